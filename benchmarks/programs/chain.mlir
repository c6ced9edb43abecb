// A chain of 24 results of 1 MiB of which three are alive at once, fifty times: what a
// network looks like to an allocator.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @step(%in: memref<262144xf32>, %out: memref<262144xf32>) attributes {no_inline} {
  %b0 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %in : memref<262144xf32>, memref<262144xf32>) outs(%b0 : memref<262144xf32>)
  %b1 = memref.alloc() : memref<262144xf32>
  linalg.sub ins(%b0, %in : memref<262144xf32>, memref<262144xf32>) outs(%b1 : memref<262144xf32>)
  %b2 = memref.alloc() : memref<262144xf32>
  linalg.max ins(%b1, %b0 : memref<262144xf32>, memref<262144xf32>) outs(%b2 : memref<262144xf32>)
  %b3 = memref.alloc() : memref<262144xf32>
  linalg.min ins(%b2, %b1 : memref<262144xf32>, memref<262144xf32>) outs(%b3 : memref<262144xf32>)
  %b4 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%b3, %b2 : memref<262144xf32>, memref<262144xf32>) outs(%b4 : memref<262144xf32>)
  %b5 = memref.alloc() : memref<262144xf32>
  linalg.sub ins(%b4, %b3 : memref<262144xf32>, memref<262144xf32>) outs(%b5 : memref<262144xf32>)
  %b6 = memref.alloc() : memref<262144xf32>
  linalg.max ins(%b5, %b4 : memref<262144xf32>, memref<262144xf32>) outs(%b6 : memref<262144xf32>)
  %b7 = memref.alloc() : memref<262144xf32>
  linalg.min ins(%b6, %b5 : memref<262144xf32>, memref<262144xf32>) outs(%b7 : memref<262144xf32>)
  %b8 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%b7, %b6 : memref<262144xf32>, memref<262144xf32>) outs(%b8 : memref<262144xf32>)
  %b9 = memref.alloc() : memref<262144xf32>
  linalg.sub ins(%b8, %b7 : memref<262144xf32>, memref<262144xf32>) outs(%b9 : memref<262144xf32>)
  %b10 = memref.alloc() : memref<262144xf32>
  linalg.max ins(%b9, %b8 : memref<262144xf32>, memref<262144xf32>) outs(%b10 : memref<262144xf32>)
  %b11 = memref.alloc() : memref<262144xf32>
  linalg.min ins(%b10, %b9 : memref<262144xf32>, memref<262144xf32>) outs(%b11 : memref<262144xf32>)
  %b12 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%b11, %b10 : memref<262144xf32>, memref<262144xf32>) outs(%b12 : memref<262144xf32>)
  %b13 = memref.alloc() : memref<262144xf32>
  linalg.sub ins(%b12, %b11 : memref<262144xf32>, memref<262144xf32>) outs(%b13 : memref<262144xf32>)
  %b14 = memref.alloc() : memref<262144xf32>
  linalg.max ins(%b13, %b12 : memref<262144xf32>, memref<262144xf32>) outs(%b14 : memref<262144xf32>)
  %b15 = memref.alloc() : memref<262144xf32>
  linalg.min ins(%b14, %b13 : memref<262144xf32>, memref<262144xf32>) outs(%b15 : memref<262144xf32>)
  %b16 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%b15, %b14 : memref<262144xf32>, memref<262144xf32>) outs(%b16 : memref<262144xf32>)
  %b17 = memref.alloc() : memref<262144xf32>
  linalg.sub ins(%b16, %b15 : memref<262144xf32>, memref<262144xf32>) outs(%b17 : memref<262144xf32>)
  %b18 = memref.alloc() : memref<262144xf32>
  linalg.max ins(%b17, %b16 : memref<262144xf32>, memref<262144xf32>) outs(%b18 : memref<262144xf32>)
  %b19 = memref.alloc() : memref<262144xf32>
  linalg.min ins(%b18, %b17 : memref<262144xf32>, memref<262144xf32>) outs(%b19 : memref<262144xf32>)
  %b20 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%b19, %b18 : memref<262144xf32>, memref<262144xf32>) outs(%b20 : memref<262144xf32>)
  %b21 = memref.alloc() : memref<262144xf32>
  linalg.sub ins(%b20, %b19 : memref<262144xf32>, memref<262144xf32>) outs(%b21 : memref<262144xf32>)
  %b22 = memref.alloc() : memref<262144xf32>
  linalg.max ins(%b21, %b20 : memref<262144xf32>, memref<262144xf32>) outs(%b22 : memref<262144xf32>)
  %b23 = memref.alloc() : memref<262144xf32>
  linalg.min ins(%b22, %b21 : memref<262144xf32>, memref<262144xf32>) outs(%b23 : memref<262144xf32>)
  linalg.add ins(%b23, %b22 : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  return
}

memref.global "private" @input : memref<262144xf32> = uninitialized
memref.global "private" @output : memref<262144xf32> = uninitialized

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %calls = arith.constant 50 : index
  %x = arith.constant 1.25 : f32
  %in = memref.get_global @input : memref<262144xf32>
  %out = memref.get_global @output : memref<262144xf32>
  linalg.fill ins(%x : f32) outs(%in : memref<262144xf32>)
  scf.for %i = %c0 to %calls step %c1 {
    func.call @step(%in, %out) : (memref<262144xf32>, memref<262144xf32>) -> ()
  }
  %y = memref.load %out[%c1] : memref<262144xf32>
  call @printF32(%y) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
