// RUN: buffer-merge-opt %s --buffer-merge-pipeline -o %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline='merge={pool=stack}' | %execute | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=deallocate=false | %execute | FileCheck %s

// A loop that yields a new tensor in each iteration, as recurrent networks do, and one
// that swaps two: what `one-shot-bufferize` refuses unless it is told otherwise.

//      CHECK: [8,  16,  24,  32]
//      CHECK: [5,  10,  15,  20]
//      CHECK: [8,  16,  24,  32]

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func private @recurrent(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %0 = linalg.add ins(%h, %h : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
    scf.yield %0 : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}

func.func private @fibonacci(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xi32>, tensor<4xi32>) {
    %e = tensor.empty() : tensor<4xi32>
    %0 = linalg.add ins(%a, %b : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
    scf.yield %b, %0 : tensor<4xi32>, tensor<4xi32>
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

func.func @main() {
  %x = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = call @recurrent(%x) : (tensor<4xi32>) -> tensor<4xi32>
  %u = tensor.cast %0 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  %1:2 = call @fibonacci(%x) : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %v = tensor.cast %1#0 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%v) : (tensor<*xi32>) -> ()
  %w = tensor.cast %1#1 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%w) : (tensor<*xi32>) -> ()
  return
}
