// Forty results of 1 MiB that are all alive at once, each written once and read once,
// fifty times. The pool of 41 MiB is above what glibc's malloc ever keeps (32 MiB): each
// call maps it, and each page of it faults, anew. Buffers one by one are below it.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @step(%in: memref<262144xf32>, %out: memref<262144xf32>) attributes {no_inline} {
  %t0 = memref.alloc() : memref<262144xf32>
  linalg.abs ins(%in : memref<262144xf32>) outs(%t0 : memref<262144xf32>)
  %t1 = memref.alloc() : memref<262144xf32>
  linalg.abs ins(%t0 : memref<262144xf32>) outs(%t1 : memref<262144xf32>)
  %b0 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b0 : memref<262144xf32>)
  %b1 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b1 : memref<262144xf32>)
  %b2 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b2 : memref<262144xf32>)
  %b3 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b3 : memref<262144xf32>)
  %b4 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b4 : memref<262144xf32>)
  %b5 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b5 : memref<262144xf32>)
  %b6 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b6 : memref<262144xf32>)
  %b7 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b7 : memref<262144xf32>)
  %b8 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b8 : memref<262144xf32>)
  %b9 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b9 : memref<262144xf32>)
  %b10 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b10 : memref<262144xf32>)
  %b11 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b11 : memref<262144xf32>)
  %b12 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b12 : memref<262144xf32>)
  %b13 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b13 : memref<262144xf32>)
  %b14 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b14 : memref<262144xf32>)
  %b15 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b15 : memref<262144xf32>)
  %b16 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b16 : memref<262144xf32>)
  %b17 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b17 : memref<262144xf32>)
  %b18 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b18 : memref<262144xf32>)
  %b19 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b19 : memref<262144xf32>)
  %b20 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b20 : memref<262144xf32>)
  %b21 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b21 : memref<262144xf32>)
  %b22 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b22 : memref<262144xf32>)
  %b23 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b23 : memref<262144xf32>)
  %b24 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b24 : memref<262144xf32>)
  %b25 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b25 : memref<262144xf32>)
  %b26 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b26 : memref<262144xf32>)
  %b27 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b27 : memref<262144xf32>)
  %b28 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b28 : memref<262144xf32>)
  %b29 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b29 : memref<262144xf32>)
  %b30 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b30 : memref<262144xf32>)
  %b31 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b31 : memref<262144xf32>)
  %b32 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b32 : memref<262144xf32>)
  %b33 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b33 : memref<262144xf32>)
  %b34 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b34 : memref<262144xf32>)
  %b35 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b35 : memref<262144xf32>)
  %b36 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b36 : memref<262144xf32>)
  %b37 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b37 : memref<262144xf32>)
  %b38 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b38 : memref<262144xf32>)
  %b39 = memref.alloc() : memref<262144xf32>
  linalg.add ins(%in, %t1 : memref<262144xf32>, memref<262144xf32>) outs(%b39 : memref<262144xf32>)
  linalg.add ins(%b0, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b1, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b2, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b3, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b4, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b5, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b6, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b7, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b8, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b9, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b10, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b11, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b12, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b13, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b14, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b15, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b16, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b17, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b18, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b19, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b20, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b21, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b22, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b23, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b24, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b25, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b26, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b27, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b28, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b29, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b30, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b31, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b32, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b33, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b34, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b35, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b36, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b37, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b38, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
  linalg.add ins(%b39, %out : memref<262144xf32>, memref<262144xf32>) outs(%out : memref<262144xf32>)
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
  linalg.fill ins(%x : f32) outs(%out : memref<262144xf32>)
  scf.for %i = %c0 to %calls step %c1 {
    func.call @step(%in, %out) : (memref<262144xf32>, memref<262144xf32>) -> ()
  }
  %y = memref.load %out[%c1] : memref<262144xf32>
  call @printF32(%y) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
