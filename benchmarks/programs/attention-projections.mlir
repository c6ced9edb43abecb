// Attention with projections of its input: the keys and values leave as results, for a
// cache, beside the output.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @attention(%x: memref<128x256xf32>, %wq: memref<256x256xf32>, %wk: memref<256x256xf32>, %wv: memref<256x256xf32>, %wo: memref<256x256xf32>)
    -> (memref<128x256xf32>, memref<128x256xf32>, memref<128x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %sixteenth = arith.constant 0.0625 : f32
  %q = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%q : memref<128x256xf32>)
  linalg.matmul ins(%x, %wq : memref<128x256xf32>, memref<256x256xf32>) outs(%q : memref<128x256xf32>)
  %k = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%k : memref<128x256xf32>)
  linalg.matmul ins(%x, %wk : memref<128x256xf32>, memref<256x256xf32>) outs(%k : memref<128x256xf32>)
  %v = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<128x256xf32>)
  linalg.matmul ins(%x, %wv : memref<128x256xf32>, memref<256x256xf32>) outs(%v : memref<128x256xf32>)
  %kt = memref.alloc() : memref<256x128xf32>
  linalg.transpose ins(%k : memref<128x256xf32>) outs(%kt : memref<256x128xf32>) permutation = [1, 0]
  %scores = memref.alloc() : memref<128x128xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<128x128xf32>)
  linalg.matmul ins(%q, %kt : memref<128x256xf32>, memref<256x128xf32>) outs(%scores : memref<128x128xf32>)
  %scale = memref.alloc() : memref<128x128xf32>
  linalg.fill ins(%sixteenth : f32) outs(%scale : memref<128x128xf32>)
  %scaled = memref.alloc() : memref<128x128xf32>
  linalg.mul ins(%scores, %scale : memref<128x128xf32>, memref<128x128xf32>) outs(%scaled : memref<128x128xf32>)
  %e = memref.alloc() : memref<128x128xf32>
  linalg.exp ins(%scaled : memref<128x128xf32>) outs(%e : memref<128x128xf32>)
  %sum = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<128xf32>)
  linalg.reduce ins(%e : memref<128x128xf32>) outs(%sum : memref<128xf32>) dimensions = [1]
    (%i: f32, %o: f32) {
      %s = arith.addf %i, %o : f32
      linalg.yield %s : f32
    }
  %sums = memref.alloc() : memref<128x128xf32>
  linalg.broadcast ins(%sum : memref<128xf32>) outs(%sums : memref<128x128xf32>) dimensions = [1]
  %p = memref.alloc() : memref<128x128xf32>
  linalg.div ins(%e, %sums : memref<128x128xf32>, memref<128x128xf32>) outs(%p : memref<128x128xf32>)
  %heads = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%heads : memref<128x256xf32>)
  linalg.matmul ins(%p, %v : memref<128x128xf32>, memref<128x256xf32>) outs(%heads : memref<128x256xf32>)
  %projected = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%projected : memref<128x256xf32>)
  linalg.matmul ins(%heads, %wo : memref<128x256xf32>, memref<256x256xf32>) outs(%projected : memref<128x256xf32>)
  %out = memref.alloc() : memref<128x256xf32>
  linalg.add ins(%projected, %x : memref<128x256xf32>, memref<128x256xf32>) outs(%out : memref<128x256xf32>)
  return %out, %k, %v : memref<128x256xf32>, memref<128x256xf32>, memref<128x256xf32>
}

memref.global "private" @x : memref<128x256xf32> = uninitialized
memref.global "private" @wq : memref<256x256xf32> = uninitialized
memref.global "private" @wk : memref<256x256xf32> = uninitialized
memref.global "private" @wv : memref<256x256xf32> = uninitialized
memref.global "private" @wo : memref<256x256xf32> = uninitialized

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %small = arith.constant 0.01 : f32
  %x = memref.get_global @x : memref<128x256xf32>
  linalg.fill ins(%half : f32) outs(%x : memref<128x256xf32>)
  %wq = memref.get_global @wq : memref<256x256xf32>
  linalg.fill ins(%small : f32) outs(%wq : memref<256x256xf32>)
  %wk = memref.get_global @wk : memref<256x256xf32>
  linalg.fill ins(%small : f32) outs(%wk : memref<256x256xf32>)
  %wv = memref.get_global @wv : memref<256x256xf32>
  linalg.fill ins(%small : f32) outs(%wv : memref<256x256xf32>)
  %wo = memref.get_global @wo : memref<256x256xf32>
  linalg.fill ins(%small : f32) outs(%wo : memref<256x256xf32>)
  %r:3 = call @attention(%x, %wq, %wk, %wv, %wo)
      : (memref<128x256xf32>, memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>)
      -> (memref<128x256xf32>, memref<128x256xf32>, memref<128x256xf32>)
  %v0 = memref.load %r#0[%c0, %c1] : memref<128x256xf32>
  call @printF32(%v0) : (f32) -> ()
  call @printNewline() : () -> ()
  %v1 = memref.load %r#1[%c0, %c1] : memref<128x256xf32>
  call @printF32(%v1) : (f32) -> ()
  call @printNewline() : () -> ()
  %v2 = memref.load %r#2[%c0, %c1] : memref<128x256xf32>
  call @printF32(%v2) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
