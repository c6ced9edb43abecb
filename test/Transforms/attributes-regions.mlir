// RUN: buffer-merge-opt %s --buffer-lifetimes=target='{"regions": [{"name": "fast", "bytes": 65536, "address": 4096}]}' -o /dev/null 2>&1 | FileCheck %s

// The bytes of a region are there for all functions, as those of a global.

// CHECK: remark: pool: 2 buffers of 512 bytes, {{.*}}no pool: no-region (the attribute 'llvm.readnone' of 'none' would become false)
func.func @none(%x: f32) -> f32 attributes {llvm.readnone} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %r = memref.load %b[%c0] : memref<64xf32>
  return %r : f32
}

// CHECK: remark: pool in region fast: 2 buffers of 512 bytes
func.func @all(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %r = memref.load %b[%c0] : memref<64xf32>
  return %r : f32
}
