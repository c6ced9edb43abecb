// RUN: buffer-merge-opt %s --buffer-merge-pipeline=deallocate=false | FileCheck %s
// RUN: not mlir-opt %s --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --buffer-results-to-out-params 2>&1 | FileCheck %s --check-prefix=STOCK

// Callers pass what a function returns only if buffer-results-to-out-params does not
// fail, and does nothing wrong: not if its size is not known, if the function is called
// through a value or returns one buffer twice, or if it may allocate several.

// STOCK: error: cannot create out param

// CHECK-LABEL: func.func private @fixed(
//  CHECK-SAME:   memref<4xf32>, {{.*}}: memref<4xf32>) {
func.func private @fixed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func private @sized(
//  CHECK-SAME:   memref<?xf32>) -> memref<?xf32> {
func.func private @sized(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func private @strided(
//  CHECK-SAME:   memref<8xf32>) -> memref<4xf32, strided<[2]>> {
func.func private @strided(%x: memref<8xf32>) -> memref<4xf32, strided<[2]>> {
  %y = memref.subview %x[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  return %y : memref<4xf32, strided<[2]>>
}

// CHECK-LABEL: func.func private @referred(
//  CHECK-SAME:   memref<4xf32>) -> memref<4xf32> {
func.func private @referred(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return %y : memref<4xf32>
}

// CHECK-LABEL: func.func private @twice(
//  CHECK-SAME:   memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
func.func private @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}

// Two of its buffers are there at a time.
// CHECK-LABEL: func.func private @carries(
//  CHECK-SAME:   memref<4xf32>, {{.*}}: index) -> memref<4xf32> {
func.func private @carries(%x: memref<4xf32>, %n: index) -> memref<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.br ^body(%x, %zero : memref<4xf32>, index)
^body(%old: memref<4xf32>, %i: index):
  %new = memref.alloc() : memref<4xf32>
  linalg.transpose ins(%old : memref<4xf32>) outs(%new : memref<4xf32>) permutation = [0]
  linalg.add ins(%old, %new : memref<4xf32>, memref<4xf32>) outs(%new : memref<4xf32>)
  %next = arith.addi %i, %one : index
  %more = arith.cmpi ult, %next, %n : index
  cf.cond_br %more, ^body(%new, %next : memref<4xf32>, index), ^exit
^exit:
  return %new : memref<4xf32>
}

func.func @calls(%a: tensor<4xf32>, %b: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>, tensor<4xf32>) {
  %c = call @fixed(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %d = call @sized(%b) : (tensor<?xf32>) -> tensor<?xf32>
  %e, %f = call @twice(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %g = linalg.add ins(%e, %f : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %c, %d, %g : tensor<4xf32>, tensor<?xf32>, tensor<4xf32>
}

func.func @chosen(%x: memref<4xf32>, %s: memref<8xf32>, %p: i1)
    -> (memref<4xf32>, memref<4xf32, strided<[2]>>) {
  %f = constant @referred : (memref<4xf32>) -> memref<4xf32>
  %g = constant @other : (memref<4xf32>) -> memref<4xf32>
  %h = arith.select %p, %f, %g : (memref<4xf32>) -> memref<4xf32>
  %y = call_indirect %h(%x) : (memref<4xf32>) -> memref<4xf32>
  %three = arith.constant 3 : index
  %w = call @carries(%x, %three) : (memref<4xf32>, index) -> memref<4xf32>
  memref.copy %w, %x : memref<4xf32> to memref<4xf32>
  %z = call @strided(%s) : (memref<8xf32>) -> memref<4xf32, strided<[2]>>
  return %y, %z : memref<4xf32>, memref<4xf32, strided<[2]>>
}

func.func private @other(memref<4xf32>) -> memref<4xf32>

// What a callee returned has the bytes of what it was given.
// CHECK-LABEL: func.func @chain(
//       CHECK:   call @fixed(%{{.*}}, %[[AT:.*]]) :
//       CHECK:   call @fixed(%[[AT]], %[[AT]]) :
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @fixed(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @fixed(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @fixed(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
