// RUN: buffer-merge-opt %s --buffer-merge='report=summary' --split-input-file -o /dev/null 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes=advise --split-input-file -o /dev/null 2>&1 | grep alone | FileCheck %s --check-prefix=ADVICE

// What may be a part of another buffer counts with that, and in place of one of
// several buffers there is room for one.

!m = memref<64xf32>
!c = memref<128xf32>
!p0 = memref<64xf32, strided<[1]>>
!p1 = memref<64xf32, strided<[1], offset: 64>>
#id = affine_map<(i) -> (i)>
#high = affine_map<(i) -> (i + 64)>

// The third and fourth buffer: 512 and 256 bytes.
// CHECK: 768 as planned ({{.*}}); only fusing or tiling linalg.generic at {{.*}}, which needs 768, can go below{{$}}
// ADVICE: mlir:[[#@LINE+12]]:3: remark: this operation alone needs the 768 bytes of the program's peak: only fusing or tiling it can go below
func.func @concatenation(%x: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.sqrt ins(%x : !m) outs(%b : !m)
  %c = memref.alloc() : !c
  %low = memref.subview %c[0] [64] [1] : !c to !p0
  %high = memref.subview %c[64] [64] [1] : !c to !p1
  memref.copy %a, %low : !m to !p0
  memref.copy %b, %high : !m to !p1
  %e = memref.alloc() : !m
  linalg.generic {indexing_maps = [#id, #id, #high, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %c : !m, !m, !c) outs(%e : !m) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  linalg.exp ins(%e : !m) outs(%out : !m)
  return
}

// -----

!m = memref<64xf32>
#id = affine_map<(i) -> (i)>

// The first buffer can be one of the others.
// CHECK: 768 as planned ({{.*}}); only fusing or tiling linalg.generic at {{.*}}, which needs 768, can go below{{$}}
// ADVICE: mlir:[[#@LINE+7]]:3: remark: this operation alone needs the 768 bytes
func.func @three_results(%x: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  %c = memref.alloc() : !m
  %d = memref.alloc() : !m
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a : !m) outs(%b, %c, %d : !m, !m, !m) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
    %t = arith.addf %p, %p : f32
    %u = arith.addf %t, %p : f32
    linalg.yield %p, %t, %u : f32, f32, f32
  }
  linalg.add ins(%b, %c : !m, !m) outs(%out : !m)
  linalg.add ins(%d, %out : !m, !m) outs(%out : !m)
  return
}
