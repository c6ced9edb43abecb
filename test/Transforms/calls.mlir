// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefix=KEEP
// RUN: buffer-merge-opt %s --buffer-merge=calls=keep-nothing | FileCheck %s --check-prefix=KEEP
// RUN: buffer-merge-opt %s --buffer-merge=calls=escape | FileCheck %s --check-prefix=ESCAPE

// KEEP-LABEL: func.func @calls(
//       KEEP:   memref.alloc() {{.*}} : memref<60xi8>
//   KEEP-NOT:   memref.alloc
//       KEEP:   return
// ESCAPE-LABEL: func.func @calls(
//   ESCAPE-NOT:   memref.view
//       ESCAPE:   return
func.func @calls() {
  %a = memref.alloc() : memref<15xf32>
  call @use(%a) : (memref<15xf32>) -> ()
  %b = memref.alloc() : memref<15xf32>
  call @use(%b) : (memref<15xf32>) -> ()
  return
}
func.func private @use(memref<15xf32>)
