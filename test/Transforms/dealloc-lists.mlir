// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=limit-peak=none | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=pool=stack | FileCheck %s --check-prefix=STACK
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge='target={"regions":[{"name":"m","bytes":8192,"address":0}]}' | FileCheck %s --check-prefix=REGION

// R4: the lists of a `dealloc_helper` are in no pool with what it frees: in an
// allocated one they would be the last thing that it is held for. The stack is held
// until then anyway, and a region all the time.

// CHECK-LABEL: func.func @main
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
//   CHECK-NOT:   to memref<3xi
//       CHECK:   call @dealloc_helper
//   CHECK-NOT:   to memref<3xi
// CHECK-LABEL: func.func private @dealloc_helper

// STACK-LABEL: func.func @main
//       STACK:   memref.alloca() {alignment = 64 : i64} : memref<4096xi8>
//   STACK-DAG:   memref.view {{.*}} to memref<3xindex>
//   STACK-DAG:   memref.view {{.*}} to memref<3xi1>
//       STACK:   call @dealloc_helper

// REGION-LABEL: func.func @main
//       REGION:   memref.alloc() {alignment = 64 : i64, buffer_merge.region = {{.*}}} : memref<4096xi8>
//   REGION-DAG:   memref.view {{.*}} to memref<3xindex>
//   REGION-DAG:   memref.view {{.*}} to memref<3xi1>
//       REGION:   call @dealloc_helper
func.func private @use(memref<1024xf32>)
func.func private @same(%m: memref<1024xf32>) -> memref<1024xf32> {
  return %m : memref<1024xf32>
}
func.func @main(%x: f32) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<1024xf32>)
  %r = call @same(%a) : (memref<1024xf32>) -> memref<1024xf32>
  call @use(%r) : (memref<1024xf32>) -> ()
  %b = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<1024xf32>)
  call @use(%b) : (memref<1024xf32>) -> ()
  return
}
