// A chain of small intermediate results, computed very often: what an allocator costs.
// Merging wins: one allocation a call instead of eight.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @step(%in: memref<64xf32>, %out: memref<64xf32>) attributes {no_inline} {
  %b0 = memref.alloc() : memref<64xf32>
  linalg.add ins(%in, %in : memref<64xf32>, memref<64xf32>) outs(%b0 : memref<64xf32>)
  %b1 = memref.alloc() : memref<64xf32>
  linalg.abs ins(%b0 : memref<64xf32>) outs(%b1 : memref<64xf32>)
  %b2 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%b1, %in : memref<64xf32>, memref<64xf32>) outs(%b2 : memref<64xf32>)
  %b3 = memref.alloc() : memref<64xf32>
  linalg.sub ins(%b2, %b1 : memref<64xf32>, memref<64xf32>) outs(%b3 : memref<64xf32>)
  %b4 = memref.alloc() : memref<64xf32>
  linalg.max ins(%b3, %b1 : memref<64xf32>, memref<64xf32>) outs(%b4 : memref<64xf32>)
  %b5 = memref.alloc() : memref<64xf32>
  linalg.add ins(%b4, %b3 : memref<64xf32>, memref<64xf32>) outs(%b5 : memref<64xf32>)
  %b6 = memref.alloc() : memref<64xf32>
  linalg.min ins(%b5, %in : memref<64xf32>, memref<64xf32>) outs(%b6 : memref<64xf32>)
  %b7 = memref.alloc() : memref<64xf32>
  linalg.sub ins(%b6, %b5 : memref<64xf32>, memref<64xf32>) outs(%b7 : memref<64xf32>)
  linalg.add ins(%b7, %in : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %calls = arith.constant 200000 : index
  %x = arith.constant 1.25 : f32
  %in = memref.alloca() : memref<64xf32>
  %out = memref.alloca() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%in : memref<64xf32>)
  scf.for %i = %c0 to %calls step %c1 {
    func.call @step(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  %y = memref.load %out[%c1] : memref<64xf32>
  call @printF32(%y) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
