// RUN: buffer-merge-opt %s --buffer-merge=report=summary -o /dev/null 2>&1 | FileCheck %s

// What a function returns is a part of what operations need, and no plan takes less for it.

// CHECK: 2560 as planned ({{.*}}); linalg.broadcast at working-set-results.mlir:[[#@LINE+7]]:3 alone needs 1536, 40.0 % less; 2048 bytes of the peak are results{{$}}
func.func @f(%in: memref<256xf32>, %x: f32) -> (memref<256xf32>, memref<2x128xf32>) {
  %r = memref.alloc() : memref<256xf32>
  linalg.exp ins(%in : memref<256xf32>) outs(%r : memref<256xf32>)
  %s = memref.alloc() : memref<2x128xf32>
  %a = memref.alloc() : memref<128xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<128xf32>)
  linalg.broadcast ins(%a : memref<128xf32>) outs(%s : memref<2x128xf32>) dimensions = [0]
  return %r, %s : memref<256xf32>, memref<2x128xf32>
}
