// RUN: buffer-merge-opt %s --buffer-merge='report=summary limit-peak=none' -o /dev/null 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='report=summary limit-peak=none in-place=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART
// RUN: buffer-merge-opt %s --buffer-merge='report=%t.json limit-peak=none' -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json

// What one operation accesses is the least that any plan takes: an operand that
// is written in place counts once, and arguments do not count.

// CHECK: 512 as planned ({{.*}}); only fusing or tiling linalg.generic at working-set.mlir:[[#@LINE+12]]:3, which needs 512, can go below{{$}}
// APART: only fusing or tiling linalg.generic at working-set.mlir:[[#@LINE+11]]:3, which needs 768, can go below{{$}}
//  JSON: "workingSetBytes": 512,
//  JSON: "workingSet": "linalg.generic at {{.*}}working-set.mlir:[[#@LINE+9]]:3"
!m = memref<64xf32>
#id = affine_map<(i) -> (i)>
func.func @f(%in: !m, %x: f32, %out: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.tanh ins(%in : !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : !m, !m) outs(%c : !m) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  }
  %d = memref.alloc() : !m
  linalg.exp ins(%c : !m) outs(%d : !m)
  linalg.add ins(%b, %d : !m, !m) outs(%out : !m)
  return
}
