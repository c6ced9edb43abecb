// Large intermediate results on a path that is taken once in a thousand calls. malloc is
// asked for them when the path is taken; so is it for a pool of the branch. One pool for the
// whole function would always have room for them.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @step(%in: memref<1024xf32>, %out: memref<1024xf32>, %rare: i1)
    attributes {no_inline} {
  %a = memref.alloc() : memref<1024xf32>
  linalg.add ins(%in, %in : memref<1024xf32>, memref<1024xf32>) outs(%a : memref<1024xf32>)
  scf.if %rare {
    %x = arith.constant 2.0 : f32
    %c7 = arith.constant 7 : index
    %b = memref.alloc() : memref<16777216xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<16777216xf32>)
    %c = memref.alloc() : memref<16777216xf32>
    linalg.add ins(%b, %b : memref<16777216xf32>, memref<16777216xf32>)
               outs(%c : memref<16777216xf32>)
    %d = memref.alloc() : memref<16777216xf32>
    linalg.abs ins(%c : memref<16777216xf32>) outs(%d : memref<16777216xf32>)
    %y = memref.load %d[%c7] : memref<16777216xf32>
    memref.store %y, %a[%c7] : memref<1024xf32>
  }
  linalg.abs ins(%a : memref<1024xf32>) outs(%out : memref<1024xf32>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %calls = arith.constant 2000 : index
  %period = arith.constant 1000 : index
  %x = arith.constant 1.25 : f32
  %in = memref.alloca() : memref<1024xf32>
  %out = memref.alloca() : memref<1024xf32>
  linalg.fill ins(%x : f32) outs(%in : memref<1024xf32>)
  scf.for %i = %c0 to %calls step %c1 {
    %rest = arith.remui %i, %period : index
    %rare = arith.cmpi eq, %rest, %c7 : index
    func.call @step(%in, %out, %rare) : (memref<1024xf32>, memref<1024xf32>, i1) -> ()
  }
  %y = memref.load %out[%c7] : memref<1024xf32>
  call @printF32(%y) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
