// RUN: buffer-merge-opt %s --buffer-merge-pipeline=propagate=false | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge-pipeline -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' \
// RUN:   --propagate-copies=generalize -o %t.all.mlir
// RUN: cat %t.all.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=ALL < %t.all.mlir

// A layer of a decoder whose weights are of half precision and transposed: all
// bits of the results are the same.

//     IR-LABEL: func.func @forward(
//       IR-NOT:   arith.extf
//           IR:   linalg.matmul indexing_maps {{.*}} memref<4x4xf16>
//       IR-NOT:   arith.extf
//           IR:   return
//    ALL-LABEL: func.func @forward(
//          ALL:   linalg.contract {{.*}} memref<3x2x2xf32
//          ALL:   return
// CHECK: {{\[\[}}1064591835,   1065899354,   1068539664,   1066104208],
#id = affine_map<(i, j) -> (i, j)>
func.func @forward(%x: tensor<3x4xf32>, %wq0: tensor<4x4xf16>, %wk0: tensor<4x4xf16>, %wv0: tensor<4x4xf16>, %wo0: tensor<4x4xf16>, %wg0: tensor<6x4xf16>, %wu0: tensor<6x4xf16>, %wd0: tensor<4x6xf16>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.empty() : tensor<4x4xf32>
  %v2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wq0 : tensor<4x4xf16>) outs(%v1 : tensor<4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<4x4xf32>
  %v3 = tensor.empty() : tensor<4x4xf32>
  %v4 = linalg.transpose ins(%v2 : tensor<4x4xf32>) outs(%v3 : tensor<4x4xf32>) permutation = [1, 0]
  %v5 = tensor.empty() : tensor<3x4xf32>
  %v6 = linalg.fill ins(%zero : f32) outs(%v5 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v7 = linalg.matmul ins(%x, %v4 : tensor<3x4xf32>, tensor<4x4xf32>) outs(%v6 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v8 = tensor.expand_shape %v7 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
  %v9 = tensor.empty() : tensor<2x3x2xf32>
  %v10 = linalg.transpose ins(%v8 : tensor<3x2x2xf32>) outs(%v9 : tensor<2x3x2xf32>) permutation = [1, 0, 2]
  %v11 = tensor.empty() : tensor<4x4xf32>
  %v12 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wk0 : tensor<4x4xf16>) outs(%v11 : tensor<4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<4x4xf32>
  %v13 = tensor.empty() : tensor<4x4xf32>
  %v14 = linalg.transpose ins(%v12 : tensor<4x4xf32>) outs(%v13 : tensor<4x4xf32>) permutation = [1, 0]
  %v15 = tensor.empty() : tensor<3x4xf32>
  %v16 = linalg.fill ins(%zero : f32) outs(%v15 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v17 = linalg.matmul ins(%x, %v14 : tensor<3x4xf32>, tensor<4x4xf32>) outs(%v16 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v18 = tensor.expand_shape %v17 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
  %v19 = tensor.empty() : tensor<2x3x2xf32>
  %v20 = linalg.transpose ins(%v18 : tensor<3x2x2xf32>) outs(%v19 : tensor<2x3x2xf32>) permutation = [1, 0, 2]
  %v21 = tensor.empty() : tensor<4x4xf32>
  %v22 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wv0 : tensor<4x4xf16>) outs(%v21 : tensor<4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<4x4xf32>
  %v23 = tensor.empty() : tensor<4x4xf32>
  %v24 = linalg.transpose ins(%v22 : tensor<4x4xf32>) outs(%v23 : tensor<4x4xf32>) permutation = [1, 0]
  %v25 = tensor.empty() : tensor<3x4xf32>
  %v26 = linalg.fill ins(%zero : f32) outs(%v25 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v27 = linalg.matmul ins(%x, %v24 : tensor<3x4xf32>, tensor<4x4xf32>) outs(%v26 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v28 = tensor.expand_shape %v27 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
  %v29 = tensor.empty() : tensor<2x3x2xf32>
  %v30 = linalg.transpose ins(%v28 : tensor<3x2x2xf32>) outs(%v29 : tensor<2x3x2xf32>) permutation = [1, 0, 2]
  %v31 = tensor.empty() : tensor<2x2x3xf32>
  %v32 = linalg.transpose ins(%v20 : tensor<2x3x2xf32>) outs(%v31 : tensor<2x2x3xf32>) permutation = [0, 2, 1]
  %v33 = tensor.empty() : tensor<2x3x3xf32>
  %v34 = linalg.fill ins(%zero : f32) outs(%v33 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %v35 = linalg.batch_matmul ins(%v10, %v32 : tensor<2x3x2xf32>, tensor<2x2x3xf32>) outs(%v34 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %v36 = tensor.empty() : tensor<2x3x3xf32>
  %v37 = linalg.exp ins(%v35 : tensor<2x3x3xf32>) outs(%v36 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %v38 = tensor.empty() : tensor<2x3x2xf32>
  %v39 = linalg.fill ins(%zero : f32) outs(%v38 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  %v40 = linalg.batch_matmul ins(%v37, %v30 : tensor<2x3x3xf32>, tensor<2x3x2xf32>) outs(%v39 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  %v41 = tensor.empty() : tensor<3x2x2xf32>
  %v42 = linalg.transpose ins(%v40 : tensor<2x3x2xf32>) outs(%v41 : tensor<3x2x2xf32>) permutation = [1, 0, 2]
  %v43 = tensor.collapse_shape %v42 [[0], [1, 2]] : tensor<3x2x2xf32> into tensor<3x4xf32>
  %v44 = tensor.empty() : tensor<4x4xf32>
  %v45 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wo0 : tensor<4x4xf16>) outs(%v44 : tensor<4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<4x4xf32>
  %v46 = tensor.empty() : tensor<4x4xf32>
  %v47 = linalg.transpose ins(%v45 : tensor<4x4xf32>) outs(%v46 : tensor<4x4xf32>) permutation = [1, 0]
  %v48 = tensor.empty() : tensor<3x4xf32>
  %v49 = linalg.fill ins(%zero : f32) outs(%v48 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v50 = linalg.matmul ins(%v43, %v47 : tensor<3x4xf32>, tensor<4x4xf32>) outs(%v49 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v51 = tensor.empty() : tensor<3x4xf32>
  %v52 = linalg.add ins(%x, %v50 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%v51 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v53 = tensor.empty() : tensor<6x4xf32>
  %v54 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wg0 : tensor<6x4xf16>) outs(%v53 : tensor<6x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<6x4xf32>
  %v55 = tensor.empty() : tensor<4x6xf32>
  %v56 = linalg.transpose ins(%v54 : tensor<6x4xf32>) outs(%v55 : tensor<4x6xf32>) permutation = [1, 0]
  %v57 = tensor.empty() : tensor<3x6xf32>
  %v58 = linalg.fill ins(%zero : f32) outs(%v57 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v59 = linalg.matmul ins(%v52, %v56 : tensor<3x4xf32>, tensor<4x6xf32>) outs(%v58 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v60 = tensor.empty() : tensor<3x6xf32>
  %v61 = linalg.exp ins(%v59 : tensor<3x6xf32>) outs(%v60 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v62 = tensor.empty() : tensor<6x4xf32>
  %v63 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wu0 : tensor<6x4xf16>) outs(%v62 : tensor<6x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<6x4xf32>
  %v64 = tensor.empty() : tensor<4x6xf32>
  %v65 = linalg.transpose ins(%v63 : tensor<6x4xf32>) outs(%v64 : tensor<4x6xf32>) permutation = [1, 0]
  %v66 = tensor.empty() : tensor<3x6xf32>
  %v67 = linalg.fill ins(%zero : f32) outs(%v66 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v68 = linalg.matmul ins(%v52, %v65 : tensor<3x4xf32>, tensor<4x6xf32>) outs(%v67 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v69 = tensor.empty() : tensor<3x6xf32>
  %v70 = linalg.mul ins(%v61, %v68 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%v69 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v71 = tensor.empty() : tensor<4x6xf32>
  %v72 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wd0 : tensor<4x6xf16>) outs(%v71 : tensor<4x6xf32>) {
  ^bb0(%in: f16, %out: f32):
    %c = arith.extf %in : f16 to f32
    linalg.yield %c : f32
  } -> tensor<4x6xf32>
  %v73 = tensor.empty() : tensor<6x4xf32>
  %v74 = linalg.transpose ins(%v72 : tensor<4x6xf32>) outs(%v73 : tensor<6x4xf32>) permutation = [1, 0]
  %v75 = tensor.empty() : tensor<3x4xf32>
  %v76 = linalg.fill ins(%zero : f32) outs(%v75 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v77 = linalg.matmul ins(%v70, %v74 : tensor<3x6xf32>, tensor<6x4xf32>) outs(%v76 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v78 = tensor.empty() : tensor<3x4xf32>
  %v79 = linalg.add ins(%v52, %v77 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%v78 : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %v79 : tensor<3x4xf32>
}

func.func @main() {
  %a0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f32
    %d = arith.constant 29.3 : f32
    %g = arith.divf %f, %d : f32
    tensor.yield %g : f32
  } : tensor<3x4xf32>
  %a1 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 8 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<4x4xf16>
  %a2 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 9 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<4x4xf16>
  %a3 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<4x4xf16>
  %a4 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 11 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<4x4xf16>
  %a5 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 12 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<6x4xf16>
  %a6 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 13 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<6x4xf16>
  %a7 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c7 = arith.constant 14 : index
    %c5 = arith.constant 5 : index
    %c13 = arith.constant 13 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %r = arith.remui %s, %c13 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f16
    %d = arith.constant 31.0 : f16
    %g = arith.divf %f, %d : f16
    tensor.yield %g : f16
  } : tensor<4x6xf16>
  %r = call @forward(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7) : (tensor<3x4xf32>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<4x6xf16>) -> tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xi64>
  %b = linalg.map ins(%r : tensor<3x4xf32>) outs(%e : tensor<3x4xi64>) (%in: f32, %init: i64) {
    %0 = arith.bitcast %in : f32 to i32
    %1 = arith.extui %0 : i32 to i64
    linalg.yield %1 : i64
  }
  %m = bufferization.to_buffer %b : tensor<3x4xi64> to memref<3x4xi64>
  %u = memref.cast %m : memref<3x4xi64> to memref<*xi64>
  call @printMemrefI64(%u) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
