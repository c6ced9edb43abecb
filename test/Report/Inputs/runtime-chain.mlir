// A chain of static buffers, and one of run-time size behind it.
func.func @f(%in: memref<64xf32>, %n: index, %other: memref<?xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%in : memref<64xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%other : memref<?xf32>) outs(%d : memref<?xf32>)
  linalg.exp ins(%d : memref<?xf32>) outs(%other : memref<?xf32>)
  return
}
