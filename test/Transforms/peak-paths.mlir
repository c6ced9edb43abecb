// RUN: buffer-merge-opt %s --buffer-merge=in-place=false --split-input-file | FileCheck %s --check-prefixes=CHECK,GIVEN
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false limit-peak=deallocated' --split-input-file \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FREED

// What a path holds that R7 compares with: not more than it certainly holds.

// A callee may need many bytes, on one of its paths.

// CHECK-LABEL: func.func @callee(
//   CHECK-NOT:   memref<8192xi8>
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref<8192xi8>
//       CHECK:   return
func.func @callee(%c: i1, %x: memref<1024xf32>, %y: memref<8192xf32>) -> memref<1024xf32> {
  call @maybe(%c, %y) : (i1, memref<8192xf32>) -> ()
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %e = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%e : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%e : memref<1024xf32>) outs(%d : memref<1024xf32>)
  return %d : memref<1024xf32>
}
func.func private @maybe(%c: i1, %y: memref<8192xf32>) {
  scf.if %c {
    %l = memref.alloc() : memref<8192xf32>
    linalg.exp ins(%y : memref<8192xf32>) outs(%l : memref<8192xf32>)
    memref.copy %l, %y : memref<8192xf32> to memref<8192xf32>
  }
  return
}

// -----

// A branch leaves a buffer behind; the other one does not.

// CHECK-LABEL: func.func @leaves(
//   CHECK-NOT:   memref<8192xi8>
//       CHECK:   scf.if
//   CHECK-NOT:   memref<8192xi8>
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref<8192xi8>
//       CHECK:   return
func.func @leaves(%c: i1, %x: memref<1024xf32>, %y: memref<8192xf32>) -> memref<1024xf32> {
  %r = scf.if %c -> memref<8192xf32> {
    %l = memref.alloc() : memref<8192xf32>
    linalg.exp ins(%y : memref<8192xf32>) outs(%l : memref<8192xf32>)
    scf.yield %l : memref<8192xf32>
  } else {
    scf.yield %y : memref<8192xf32>
  }
  memref.copy %r, %y : memref<8192xf32> to memref<8192xf32>
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %e = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%e : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%e : memref<1024xf32>) outs(%d : memref<1024xf32>)
  return %d : memref<1024xf32>
}

// -----

// What the program frees later than it could is held that long as given, although
// something else may know its address; not if it is freed after its last use.

// CHECK-LABEL: func.func @freed_late(
//       GIVEN:   memref.alloc() {{.*}} : memref<4096xi8>
//   FREED-NOT:   xi8>
//       CHECK:   linalg.fill
//       FREED:   memref.alloc() {{.*}} : memref<4096xi8>
func.func @freed_late(%x: memref<1024xf32>, %f: f32) {
  %s = memref.alloc() : memref<2048xf32>
  %t = memref.alloc() : memref<1xf32>
  %o:2 = memref.distinct_objects %s, %t : memref<2048xf32>, memref<1xf32>
  linalg.fill ins(%f : f32) outs(%o#0 : memref<2048xf32>)
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  memref.dealloc %s : memref<2048xf32>
  memref.dealloc %t : memref<1xf32>
  return
}

// -----

// Neither is what only a view of is made later.

// CHECK-LABEL: func.func @viewed_late(
//   CHECK-NOT:   xi8>
//       CHECK:   linalg.fill
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
func.func @viewed_late(%x: memref<1024xf32>, %f: f32) {
  %s = memref.alloc() : memref<2048xf32>
  %t = memref.alloc() : memref<1xf32>
  linalg.fill ins(%f : f32) outs(%s : memref<2048xf32>)
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  %o:2 = memref.distinct_objects %s, %t : memref<2048xf32>, memref<1xf32>
  return
}
