// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated --split-input-file | FileCheck %s

// R7 in functions of several blocks: a block that may not be reached has a pool of
// its own, which is freed in it.

// CHECK-LABEL: func.func @branch(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.dealloc %[[POOL]] {bufferization.manual_deallocation}
//       CHECK: ^bb1:
//       CHECK:   %[[INNER:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   memref.view %[[INNER]]
//       CHECK:   memref.view %[[INNER]]
//       CHECK:   memref.dealloc %[[INNER]] {bufferization.manual_deallocation}
//       CHECK: ^bb2:
func.func @branch(%c: i1, %x: memref<64xf32>, %y: memref<1024xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  cf.cond_br %c, ^then, ^exit
^then:
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%d : memref<1024xf32>)
  memref.copy %d, %y : memref<1024xf32> to memref<1024xf32>
  %e = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%e : memref<1024xf32>)
  memref.copy %e, %y : memref<1024xf32> to memref<1024xf32>
  cf.br ^exit
^exit:
  return
}

// -----

// A loop of blocks counts as run once, and all of its blocks that every iteration
// reaches. What is used in it is held in all of it.

// CHECK-LABEL: func.func @loop(
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<8192xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @loop(%n: index, %x: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^exit:
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%c : memref<1024xf32>)
  memref.copy %c, %x : memref<1024xf32> to memref<1024xf32>
  return
}

// -----

// A block that is not reached from the entry has no path at all.

// CHECK-LABEL: func.func @unreachable(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   return
func.func @unreachable(%x: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  cf.br ^exit
^dead:
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%c : memref<1024xf32>)
  cf.br ^exit
^exit:
  return
}
