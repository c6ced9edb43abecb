// RUN: buffer-merge-opt %s --buffer-lifetimes='report=%t.json scheduler=first-fit' -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: buffer-merge-report %t.json -o %t.again.json
// RUN: diff %t.json %t.again.json

// What computes a buffer is not what fills it first, if that is another operation. A
// linalg.generic is described by its body. An operation that only writes, and one in
// another block, computes nothing.

// CHECK:       "name": "%product",
// CHECK:       "firstAccess": "linalg.fill at
// CHECK:       "producer": "linalg.matmul at {{.*}}producer.mlir:[[# @LINE + 12]]:3"
// CHECK:       "name": "%sum",
// CHECK:       "firstAccess": "linalg.generic at
// CHECK:       "producer": "linalg.generic[arith.addf, arith.mulf] at {{.*}}producer.mlir:[[# @LINE + 11]]:3"
// CHECK:       "name": "%nested",
// CHECK:       "firstAccess": "linalg.fill at
// CHECK-NOT:   "producer"
!m = memref<8x8xf32>
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: !m, %zero: f32, %c: i1) {
  %product = memref.alloc() : !m
  linalg.fill ins(%zero : f32) outs(%product : !m)
  linalg.matmul ins(%x, %x : !m, !m) outs(%product : !m)
  %sum = memref.alloc() : !m
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product : !m) outs(%sum : !m) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %1, %0 : f32
    linalg.yield %2 : f32
  }
  %nested = memref.alloc() : !m
  linalg.fill ins(%zero : f32) outs(%nested : !m)
  scf.if %c {
    memref.copy %sum, %nested : !m to !m
  }
  return
}
