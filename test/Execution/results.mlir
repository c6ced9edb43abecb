// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --optimize-allocation-liveness --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge --buffer-deallocation-pipeline | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge --buffer-merge | %execute | diff %t.before -

// Results hold others until the function needs them, and what is in place of them.

//      CHECK: [3,  4,  5,  6]
//      CHECK: [3,  4,  5,  6]
//      CHECK: [26,  22,  18,  14]
//      CHECK: [-1,  -4,  -9,  -16]

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

// Two results, each in place of its own: a step of an optimizer.
// IR-LABEL: func @step(
//       IR:   linalg.add ins(%[[A:.*]], %{{.*}}) outs(%[[A]] :
//       IR:   linalg.add ins(%[[B:.*]], %{{.*}}) outs(%[[B]] :
func.func @step(%x: memref<4xi32>, %y: memref<4xi32>) -> (memref<4xi32>, memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %b = memref.alloc() : memref<4xi32>
  linalg.add ins(%y, %x : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  %r = memref.alloc() : memref<4xi32>
  linalg.add ins(%a, %y : memref<4xi32>, memref<4xi32>) outs(%r : memref<4xi32>)
  %s = memref.alloc() : memref<4xi32>
  linalg.add ins(%b, %y : memref<4xi32>, memref<4xi32>) outs(%s : memref<4xi32>)
  return %r, %s : memref<4xi32>, memref<4xi32>
}

// The result is written while %a is read in another order: not in place.
func.func @reversed(%x: memref<4xi32>, %y: memref<4xi32>) -> memref<4xi32> {
  %zero = arith.constant 0 : i32
  %a = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %b = memref.alloc() : memref<4x4xi32>
  linalg.broadcast ins(%a : memref<4xi32>) outs(%b : memref<4x4xi32>) dimensions = [1]
  %c = memref.alloc() : memref<4xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<4xi32>)
  linalg.reduce { arith.addi } ins(%b : memref<4x4xi32>) outs(%c : memref<4xi32>) dimensions = [0]
  %r = memref.alloc() : memref<4xi32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%r : memref<4xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %c3 = arith.constant 3 : index
    %j = arith.subi %c3, %i : index
    %p = memref.load %a[%j] : memref<4xi32>
    %q = memref.load %a[%i] : memref<4xi32>
    %s = memref.load %c[%i] : memref<4xi32>
    %d = arith.subi %p, %q : i32
    %m = arith.addi %d, %s : i32
    linalg.yield %m : i32
  }
  return %r : memref<4xi32>
}

// The loop reads %a again after it has written the result.
func.func @loop(%x: memref<4xi32>, %y: memref<4xi32>) -> memref<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<4xi32>
  linalg.mul ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %b = memref.alloc() : memref<4xi32>
  linalg.add ins(%a, %y : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  %r = memref.alloc() : memref<4xi32>
  scf.for %i = %c0 to %c3 step %c1 {
    linalg.sub ins(%y, %b : memref<4xi32>, memref<4xi32>) outs(%r : memref<4xi32>)
  }
  return %r : memref<4xi32>
}

func.func @print(%m: memref<4xi32>) {
  %u = memref.cast %m : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%u) : (memref<*xi32>) -> ()
  return
}

func.func @main() {
  %x = memref.alloc() : memref<4xi32>
  %y = memref.alloc() : memref<4xi32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x, %y : memref<4xi32>, memref<4xi32>) {
  ^bb0(%p: i32, %q: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c1 = arith.constant 1 : i32
    %m = arith.addi %n, %c1 : i32
    linalg.yield %m, %c1 : i32, i32
  }
  %0:2 = call @step(%x, %y) : (memref<4xi32>, memref<4xi32>) -> (memref<4xi32>, memref<4xi32>)
  call @print(%0#0) : (memref<4xi32>) -> ()
  call @print(%0#1) : (memref<4xi32>) -> ()
  %1 = call @reversed(%x, %x) : (memref<4xi32>, memref<4xi32>) -> memref<4xi32>
  call @print(%1) : (memref<4xi32>) -> ()
  %2 = call @loop(%x, %x) : (memref<4xi32>, memref<4xi32>) -> memref<4xi32>
  call @print(%2) : (memref<4xi32>) -> ()
  return
}
