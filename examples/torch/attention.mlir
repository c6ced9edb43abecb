// softmax(Q K^T) V, as a front end such as torch-mlir hands it over: linalg on tensors, each
// step with a result of its own.

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i, 0)>

func.func @attention(%q: tensor<64x32xf32>, %k: tensor<64x32xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<32x64xf32>
  %kt = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<64x32xf32>) outs(%e0 : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x64xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %scores = linalg.matmul ins(%q, %kt : tensor<64x32xf32>, tensor<32x64xf32>)
      outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e2 = tensor.empty() : tensor<64x1xf32>
  %f2 = linalg.fill ins(%least : f32) outs(%e2 : tensor<64x1xf32>) -> tensor<64x1xf32>
  %max = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<64x64xf32>) outs(%f2 : tensor<64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<64x1xf32>
  %e3 = tensor.empty() : tensor<64x64xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<64x64xf32>, tensor<64x1xf32>) outs(%e3 : tensor<64x64xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    %x = math.exp %d : f32
    linalg.yield %x : f32
  } -> tensor<64x64xf32>
  %e4 = tensor.empty() : tensor<64x1xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<64x1xf32>) -> tensor<64x1xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<64x64xf32>) outs(%f4 : tensor<64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<64x1xf32>
  %e5 = tensor.empty() : tensor<64x64xf32>
  %weights = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<64x64xf32>, tensor<64x1xf32>) outs(%e5 : tensor<64x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %w = arith.divf %in, %s : f32
    linalg.yield %w : f32
  } -> tensor<64x64xf32>
  %e6 = tensor.empty() : tensor<64x32xf32>
  %f6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %result = linalg.matmul ins(%weights, %v : tensor<64x64xf32>, tensor<64x32xf32>)
      outs(%f6 : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %result : tensor<64x32xf32>
}
