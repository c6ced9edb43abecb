// A multi-layer perceptron of four layers, as a front end hands it over: linalg on
// tensors, no buffer in sight. Each layer is y = max(x * W + b, 0).

!matrix = tensor<128x128xf32>

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

func.func private @layer(%x: !matrix, %w: !matrix, %b: tensor<128xf32>) -> !matrix {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : !matrix
  %init = linalg.fill ins(%zero : f32) outs(%empty : !matrix) -> !matrix
  %product = linalg.matmul ins(%x, %w : !matrix, !matrix) outs(%init : !matrix) -> !matrix
  %empty2 = tensor.empty() : !matrix
  %y = linalg.generic {indexing_maps = [#all, #row, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%product, %b : !matrix, tensor<128xf32>) outs(%empty2 : !matrix) {
  ^bb0(%p: f32, %bias: f32, %out: f32):
    %sum = arith.addf %p, %bias : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> !matrix
  return %y : !matrix
}

func.func @mlp(%x: !matrix, %w1: !matrix, %w2: !matrix, %w3: !matrix, %w4: !matrix,
               %b: tensor<128xf32>) -> !matrix attributes {no_inline} {
  %h1 = call @layer(%x, %w1, %b) : (!matrix, !matrix, tensor<128xf32>) -> !matrix
  %h2 = call @layer(%h1, %w2, %b) : (!matrix, !matrix, tensor<128xf32>) -> !matrix
  %h3 = call @layer(%h2, %w3, %b) : (!matrix, !matrix, tensor<128xf32>) -> !matrix
  %y = call @layer(%h3, %w4, %b) : (!matrix, !matrix, tensor<128xf32>) -> !matrix
  return %y : !matrix
}

// A matrix of small numbers that depend on `seed`: exact in f32.
func.func private @matrix(%seed: index) -> !matrix {
  %m = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %i3 = arith.muli %i, %c3 : index
    %j5 = arith.muli %j, %c5 : index
    %s0 = arith.addi %i3, %j5 : index
    %s1 = arith.addi %s0, %seed : index
    %r = arith.remui %s1, %c7 : index
    %n = arith.subi %r, %c3 : index
    %n32 = arith.index_cast %n : index to i32
    %f = arith.sitofp %n32 : i32 to f32
    %scale = arith.constant 0.0625 : f32
    %v = arith.mulf %f, %scale : f32
    tensor.yield %v : f32
  } : !matrix
  return %m : !matrix
}

// Print the corner of the result and a sum of all its elements.
func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %bias = arith.constant dense<0.125> : tensor<128xf32>
  %x = call @matrix(%c1) : (index) -> !matrix
  %w1 = call @matrix(%c2) : (index) -> !matrix
  %w2 = call @matrix(%c3) : (index) -> !matrix
  %w3 = call @matrix(%c4) : (index) -> !matrix
  %w4 = call @matrix(%c5) : (index) -> !matrix
  %y = call @mlp(%x, %w1, %w2, %w3, %w4, %bias)
      : (!matrix, !matrix, !matrix, !matrix, !matrix, tensor<128xf32>) -> !matrix
  %corner = tensor.extract_slice %y[0, 0] [2, 4] [1, 1] : !matrix to tensor<2x4xf32>
  %corner_any = tensor.cast %corner : tensor<2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%corner_any) : (tensor<*xf32>) -> ()
  %zero = arith.constant 0.0 : f32
  %sum_init = tensor.from_elements %zero : tensor<f32>
  %sum = linalg.reduce {arith.addf} ins(%y : !matrix) outs(%sum_init : tensor<f32>) dimensions = [0, 1]
  %sum_any = tensor.cast %sum : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%sum_any) : (tensor<*xf32>) -> ()
  return
}

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
