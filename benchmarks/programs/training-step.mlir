// A training step of a perceptron: the activations of the forward pass are kept until the
// backward pass has used them, gradients are returned, and the parameters are updated.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @step(%x: memref<64x128xf32>, %target: memref<64x10xf32>, %w0: memref<128x96xf32>, %w1: memref<96x64xf32>, %w2: memref<64x10xf32>)
    -> (memref<64x10xf32>, memref<96x64xf32>, memref<128x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %rate = arith.constant 0.01 : f32
  %z0 = memref.alloc() : memref<64x96xf32>
  linalg.fill ins(%zero : f32) outs(%z0 : memref<64x96xf32>)
  linalg.matmul ins(%x, %w0 : memref<64x128xf32>, memref<128x96xf32>) outs(%z0 : memref<64x96xf32>)
  %a0 = memref.alloc() : memref<64x96xf32>
  linalg.tanh ins(%z0 : memref<64x96xf32>) outs(%a0 : memref<64x96xf32>)
  %z1 = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%z1 : memref<64x64xf32>)
  linalg.matmul ins(%a0, %w1 : memref<64x96xf32>, memref<96x64xf32>) outs(%z1 : memref<64x64xf32>)
  %a1 = memref.alloc() : memref<64x64xf32>
  linalg.tanh ins(%z1 : memref<64x64xf32>) outs(%a1 : memref<64x64xf32>)
  %z2 = memref.alloc() : memref<64x10xf32>
  linalg.fill ins(%zero : f32) outs(%z2 : memref<64x10xf32>)
  linalg.matmul ins(%a1, %w2 : memref<64x64xf32>, memref<64x10xf32>) outs(%z2 : memref<64x10xf32>)
  %a2 = memref.alloc() : memref<64x10xf32>
  linalg.tanh ins(%z2 : memref<64x10xf32>) outs(%a2 : memref<64x10xf32>)
  %d2 = memref.alloc() : memref<64x10xf32>
  linalg.sub ins(%a2, %target : memref<64x10xf32>, memref<64x10xf32>) outs(%d2 : memref<64x10xf32>)
  %sq2 = memref.alloc() : memref<64x10xf32>
  linalg.mul ins(%a2, %a2 : memref<64x10xf32>, memref<64x10xf32>) outs(%sq2 : memref<64x10xf32>)
  %one2 = memref.alloc() : memref<64x10xf32>
  linalg.fill ins(%one : f32) outs(%one2 : memref<64x10xf32>)
  %dt2 = memref.alloc() : memref<64x10xf32>
  linalg.sub ins(%one2, %sq2 : memref<64x10xf32>, memref<64x10xf32>) outs(%dt2 : memref<64x10xf32>)
  %dz2 = memref.alloc() : memref<64x10xf32>
  linalg.mul ins(%d2, %dt2 : memref<64x10xf32>, memref<64x10xf32>) outs(%dz2 : memref<64x10xf32>)
  %pt2 = memref.alloc() : memref<64x64xf32>
  linalg.transpose ins(%a1 : memref<64x64xf32>) outs(%pt2 : memref<64x64xf32>) permutation = [1, 0]
  %g2 = memref.alloc() : memref<64x10xf32>
  linalg.fill ins(%zero : f32) outs(%g2 : memref<64x10xf32>)
  linalg.matmul ins(%pt2, %dz2 : memref<64x64xf32>, memref<64x10xf32>) outs(%g2 : memref<64x10xf32>)
  %wt2 = memref.alloc() : memref<10x64xf32>
  linalg.transpose ins(%w2 : memref<64x10xf32>) outs(%wt2 : memref<10x64xf32>) permutation = [1, 0]
  %d1 = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%d1 : memref<64x64xf32>)
  linalg.matmul ins(%dz2, %wt2 : memref<64x10xf32>, memref<10x64xf32>) outs(%d1 : memref<64x64xf32>)
  %rate2 = memref.alloc() : memref<64x10xf32>
  linalg.fill ins(%rate : f32) outs(%rate2 : memref<64x10xf32>)
  %step2 = memref.alloc() : memref<64x10xf32>
  linalg.mul ins(%g2, %rate2 : memref<64x10xf32>, memref<64x10xf32>) outs(%step2 : memref<64x10xf32>)
  linalg.sub ins(%w2, %step2 : memref<64x10xf32>, memref<64x10xf32>) outs(%w2 : memref<64x10xf32>)
  %sq1 = memref.alloc() : memref<64x64xf32>
  linalg.mul ins(%a1, %a1 : memref<64x64xf32>, memref<64x64xf32>) outs(%sq1 : memref<64x64xf32>)
  %one1 = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%one : f32) outs(%one1 : memref<64x64xf32>)
  %dt1 = memref.alloc() : memref<64x64xf32>
  linalg.sub ins(%one1, %sq1 : memref<64x64xf32>, memref<64x64xf32>) outs(%dt1 : memref<64x64xf32>)
  %dz1 = memref.alloc() : memref<64x64xf32>
  linalg.mul ins(%d1, %dt1 : memref<64x64xf32>, memref<64x64xf32>) outs(%dz1 : memref<64x64xf32>)
  %pt1 = memref.alloc() : memref<96x64xf32>
  linalg.transpose ins(%a0 : memref<64x96xf32>) outs(%pt1 : memref<96x64xf32>) permutation = [1, 0]
  %g1 = memref.alloc() : memref<96x64xf32>
  linalg.fill ins(%zero : f32) outs(%g1 : memref<96x64xf32>)
  linalg.matmul ins(%pt1, %dz1 : memref<96x64xf32>, memref<64x64xf32>) outs(%g1 : memref<96x64xf32>)
  %wt1 = memref.alloc() : memref<64x96xf32>
  linalg.transpose ins(%w1 : memref<96x64xf32>) outs(%wt1 : memref<64x96xf32>) permutation = [1, 0]
  %d0 = memref.alloc() : memref<64x96xf32>
  linalg.fill ins(%zero : f32) outs(%d0 : memref<64x96xf32>)
  linalg.matmul ins(%dz1, %wt1 : memref<64x64xf32>, memref<64x96xf32>) outs(%d0 : memref<64x96xf32>)
  %rate1 = memref.alloc() : memref<96x64xf32>
  linalg.fill ins(%rate : f32) outs(%rate1 : memref<96x64xf32>)
  %step1 = memref.alloc() : memref<96x64xf32>
  linalg.mul ins(%g1, %rate1 : memref<96x64xf32>, memref<96x64xf32>) outs(%step1 : memref<96x64xf32>)
  linalg.sub ins(%w1, %step1 : memref<96x64xf32>, memref<96x64xf32>) outs(%w1 : memref<96x64xf32>)
  %sq0 = memref.alloc() : memref<64x96xf32>
  linalg.mul ins(%a0, %a0 : memref<64x96xf32>, memref<64x96xf32>) outs(%sq0 : memref<64x96xf32>)
  %one0 = memref.alloc() : memref<64x96xf32>
  linalg.fill ins(%one : f32) outs(%one0 : memref<64x96xf32>)
  %dt0 = memref.alloc() : memref<64x96xf32>
  linalg.sub ins(%one0, %sq0 : memref<64x96xf32>, memref<64x96xf32>) outs(%dt0 : memref<64x96xf32>)
  %dz0 = memref.alloc() : memref<64x96xf32>
  linalg.mul ins(%d0, %dt0 : memref<64x96xf32>, memref<64x96xf32>) outs(%dz0 : memref<64x96xf32>)
  %pt0 = memref.alloc() : memref<128x64xf32>
  linalg.transpose ins(%x : memref<64x128xf32>) outs(%pt0 : memref<128x64xf32>) permutation = [1, 0]
  %g0 = memref.alloc() : memref<128x96xf32>
  linalg.fill ins(%zero : f32) outs(%g0 : memref<128x96xf32>)
  linalg.matmul ins(%pt0, %dz0 : memref<128x64xf32>, memref<64x96xf32>) outs(%g0 : memref<128x96xf32>)
  %rate0 = memref.alloc() : memref<128x96xf32>
  linalg.fill ins(%rate : f32) outs(%rate0 : memref<128x96xf32>)
  %step0 = memref.alloc() : memref<128x96xf32>
  linalg.mul ins(%g0, %rate0 : memref<128x96xf32>, memref<128x96xf32>) outs(%step0 : memref<128x96xf32>)
  linalg.sub ins(%w0, %step0 : memref<128x96xf32>, memref<128x96xf32>) outs(%w0 : memref<128x96xf32>)
  return %g2, %g1, %g0 : memref<64x10xf32>, memref<96x64xf32>, memref<128x96xf32>
}

memref.global "private" @x : memref<64x128xf32> = uninitialized
memref.global "private" @target : memref<64x10xf32> = uninitialized
memref.global "private" @w0 : memref<128x96xf32> = uninitialized
memref.global "private" @w1 : memref<96x64xf32> = uninitialized
memref.global "private" @w2 : memref<64x10xf32> = uninitialized

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %small = arith.constant 0.01 : f32
  %x = memref.get_global @x : memref<64x128xf32>
  linalg.fill ins(%half : f32) outs(%x : memref<64x128xf32>)
  %target = memref.get_global @target : memref<64x10xf32>
  linalg.fill ins(%half : f32) outs(%target : memref<64x10xf32>)
  %w0 = memref.get_global @w0 : memref<128x96xf32>
  linalg.fill ins(%small : f32) outs(%w0 : memref<128x96xf32>)
  %w1 = memref.get_global @w1 : memref<96x64xf32>
  linalg.fill ins(%small : f32) outs(%w1 : memref<96x64xf32>)
  %w2 = memref.get_global @w2 : memref<64x10xf32>
  linalg.fill ins(%small : f32) outs(%w2 : memref<64x10xf32>)
  %r0:3 = call @step(%x, %target, %w0, %w1, %w2)
      : (memref<64x128xf32>, memref<64x10xf32>, memref<128x96xf32>, memref<96x64xf32>, memref<64x10xf32>)
      -> (memref<64x10xf32>, memref<96x64xf32>, memref<128x96xf32>)
  %v00 = memref.load %r0#0[%c0, %c1] : memref<64x10xf32>
  call @printF32(%v00) : (f32) -> ()
  call @printNewline() : () -> ()
  %v01 = memref.load %r0#1[%c0, %c1] : memref<96x64xf32>
  call @printF32(%v01) : (f32) -> ()
  call @printNewline() : () -> ()
  %v02 = memref.load %r0#2[%c0, %c1] : memref<128x96xf32>
  call @printF32(%v02) : (f32) -> ()
  call @printNewline() : () -> ()
  %r1:3 = call @step(%x, %target, %w0, %w1, %w2)
      : (memref<64x128xf32>, memref<64x10xf32>, memref<128x96xf32>, memref<96x64xf32>, memref<64x10xf32>)
      -> (memref<64x10xf32>, memref<96x64xf32>, memref<128x96xf32>)
  %v10 = memref.load %r1#0[%c0, %c1] : memref<64x10xf32>
  call @printF32(%v10) : (f32) -> ()
  call @printNewline() : () -> ()
  %v11 = memref.load %r1#1[%c0, %c1] : memref<96x64xf32>
  call @printF32(%v11) : (f32) -> ()
  call @printNewline() : () -> ()
  %v12 = memref.load %r1#2[%c0, %c1] : memref<128x96xf32>
  call @printF32(%v12) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
