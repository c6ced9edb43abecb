func.func @chain(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.add ins(%in, %in : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %in : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.add ins(%b, %in : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%c, %in : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
func.func @relu(%in: memref<256xf32>, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  my.relu %in, %a : memref<256xf32>, memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  my.relu %a, %b : memref<256xf32>, memref<256xf32>
  my.relu %b, %out : memref<256xf32>, memref<256xf32>
  return
}
func.func @tiles(%in: memref<128xf32>, %out: memref<128xf32>) {
  my.tiles 8 {
    %a = memref.alloc() : memref<128xf32>
    my.relu %in, %a : memref<128xf32>, memref<128xf32>
    %b = memref.alloc() : memref<128xf32>
    my.relu %a, %b : memref<128xf32>, memref<128xf32>
    my.relu %b, %out : memref<128xf32>, memref<128xf32>
  }
  return
}
