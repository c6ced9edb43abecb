// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false pool=stack" -o %t.stack
// RUN: FileCheck %s --check-prefix=STACK < %t.stack
// RUN: cat %t.stack | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.stack --buffer-deallocation-pipeline --convert-bufferization-to-memref | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=global limit-peak=deallocated' -o %t.global
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.global
// RUN: cat %t.global | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.global --buffer-deallocation-pipeline --convert-bufferization-to-memref | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge="in-place=false pool=stack" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge="in-place=false pool=global" | %execute | diff %t.before -

// Some buffers of a function are in a global, and others allocated, so that the peak
// is that of the program (R7). The stack is there anyway.

//  STACK-LABEL: func.func @steps(
//        STACK:   memref.alloca() {{.*}} : memref<8192xi8>
//        STACK:   memref.alloc() : memref<1024xi32>
//    STACK-NOT:   memref.alloc
//        STACK:   return
//       GLOBAL: memref.global "private" @steps_pool : memref<4096xi8>
// GLOBAL-LABEL: func.func @steps(
//       GLOBAL:   memref.alloc
func.func @steps(%x: memref<1024xi32>) -> memref<1024xi32> {
  %a = memref.alloc() : memref<1024xi32>
  linalg.add ins(%x, %x : memref<1024xi32>, memref<1024xi32>) outs(%a : memref<1024xi32>)
  %b = memref.alloc() : memref<1024xi32>
  linalg.add ins(%a, %x : memref<1024xi32>, memref<1024xi32>) outs(%b : memref<1024xi32>)
  %d = memref.alloc() : memref<1024xi32>
  linalg.add ins(%b, %b : memref<1024xi32>, memref<1024xi32>) outs(%d : memref<1024xi32>)
  %r = memref.alloc() : memref<1024xi32>
  linalg.add ins(%d, %x : memref<1024xi32>, memref<1024xi32>) outs(%r : memref<1024xi32>)
  return %r : memref<1024xi32>
}

// What a branch needs is allocated where it is taken.
func.func private @maybe(%x: memref<1024xi32>, %c: i1) {
  %seven = arith.constant 7 : i32
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%seven : i32) outs(%a : memref<16xi32>)
  %s = memref.subview %x[0] [16] [1] : memref<1024xi32> to memref<16xi32, strided<[1]>>
  linalg.add ins(%a, %s : memref<16xi32>, memref<16xi32, strided<[1]>>) outs(%s : memref<16xi32, strided<[1]>>)
  scf.if %c {
    %l = memref.alloc() : memref<8192xi32>
    linalg.fill ins(%seven : i32) outs(%l : memref<8192xi32>)
    %m = memref.alloc() : memref<8192xi32>
    linalg.add ins(%l, %l : memref<8192xi32>, memref<8192xi32>) outs(%m : memref<8192xi32>)
    %t = memref.subview %m[5] [1024] [1] : memref<8192xi32> to memref<1024xi32, strided<[1], offset: 5>>
    linalg.add ins(%x, %t : memref<1024xi32>, memref<1024xi32, strided<[1], offset: 5>>) outs(%x : memref<1024xi32>)
  }
  return
}

// CHECK: 21
// CHECK: 28
// CHECK: 49
// CHECK: 343
func.func @main() {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %false = arith.constant false
  %true = arith.constant true
  %x = memref.alloc() : memref<1024xi32>
  linalg.fill ins(%three : i32) outs(%x : memref<1024xi32>)
  %r = call @steps(%x) : (memref<1024xi32>) -> memref<1024xi32>
  %u = memref.load %r[%c0] : memref<1024xi32>
  vector.print %u : i32
  call @maybe(%r, %false) : (memref<1024xi32>, i1) -> ()
  %u2 = memref.load %r[%c0] : memref<1024xi32>
  vector.print %u2 : i32
  call @maybe(%r, %true) : (memref<1024xi32>, i1) -> ()
  %v = memref.load %r[%c0] : memref<1024xi32>
  vector.print %v : i32
  %q = call @steps(%r) : (memref<1024xi32>) -> memref<1024xi32>
  %w = memref.load %q[%c0] : memref<1024xi32>
  vector.print %w : i32
  return
}
