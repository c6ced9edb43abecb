// A function whose intermediate results are dead before it calls another with large ones
// of its own. A pool that is held until its function returns, such as one in an arena or
// a global, takes the bytes of both; one on the heap is freed before the call.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @inner(%in: memref<2097152xf32>, %out: memref<2097152xf32>) attributes {no_inline} {
  %a = memref.alloc() : memref<2097152xf32>
  linalg.abs ins(%in : memref<2097152xf32>) outs(%a : memref<2097152xf32>)
  %b = memref.alloc() : memref<2097152xf32>
  linalg.add ins(%a, %in : memref<2097152xf32>, memref<2097152xf32>)
             outs(%b : memref<2097152xf32>)
  %c = memref.alloc() : memref<2097152xf32>
  linalg.mul ins(%b, %b : memref<2097152xf32>, memref<2097152xf32>)
             outs(%c : memref<2097152xf32>)
  linalg.sub ins(%c, %in : memref<2097152xf32>, memref<2097152xf32>)
             outs(%out : memref<2097152xf32>)
  return
}

func.func @outer(%in: memref<2097152xf32>, %out: memref<2097152xf32>) attributes {no_inline} {
  %a = memref.alloc() : memref<2097152xf32>
  linalg.add ins(%in, %in : memref<2097152xf32>, memref<2097152xf32>)
             outs(%a : memref<2097152xf32>)
  %b = memref.alloc() : memref<2097152xf32>
  linalg.abs ins(%a : memref<2097152xf32>) outs(%b : memref<2097152xf32>)
  %c = memref.alloc() : memref<2097152xf32>
  linalg.mul ins(%b, %b : memref<2097152xf32>, memref<2097152xf32>)
             outs(%c : memref<2097152xf32>)
  linalg.sub ins(%c, %in : memref<2097152xf32>, memref<2097152xf32>)
             outs(%in : memref<2097152xf32>)
  call @inner(%in, %out) : (memref<2097152xf32>, memref<2097152xf32>) -> ()
  return
}

memref.global "private" @input : memref<2097152xf32> = uninitialized
memref.global "private" @output : memref<2097152xf32> = uninitialized

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 0.5 : f32
  %in = memref.get_global @input : memref<2097152xf32>
  %out = memref.get_global @output : memref<2097152xf32>
  linalg.fill ins(%x : f32) outs(%in : memref<2097152xf32>)
  call @outer(%in, %out) : (memref<2097152xf32>, memref<2097152xf32>) -> ()
  %y = memref.load %out[%c1] : memref<2097152xf32>
  call @printF32(%y) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
