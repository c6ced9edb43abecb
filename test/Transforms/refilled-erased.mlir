// RUN: buffer-merge-opt %s --buffer-merge=report=%t.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.txt
// RUN: buffer-merge-opt %s --buffer-merge=pool=arena | FileCheck %s --check-prefix=ARENA
// RUN: buffer-merge-opt %s --buffer-merge=capacity=default:16896 | FileCheck %s
// RUN: not buffer-merge-opt %s --buffer-merge=capacity=default:16895 2>&1 | FileCheck %s --check-prefix=OVER

// What is only copied takes no bytes of a pool, or of an arena, when its copies are
// fills: neither beside others nor alone.

// REPORT: @gradient: as given {{.*}}, as planned 16896 bytes
// REPORT: @gradient {{.*}}, pool=none
// OVER: error: 'func.func' holds 16896 bytes at one time

// CHECK-LABEL: func.func @gradient(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8>
//   CHECK-NOT:   memref.copy
//       CHECK:   memref.alloc() : memref<4096xf32>
//  CHECK-NEXT:   linalg.fill
//   CHECK-NOT:   memref.alloc(
// ARENA: func.func @gradient({{.*}}buffer_merge.arena = {alignment = 64 : i64, bytes = 512 : i64}
func.func @gradient(%x: memref<64xf32>, %out: memref<64xf32>, %zero: f32) -> memref<4096xf32> {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %z = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<4096xf32>)
  %r = memref.alloc() : memref<4096xf32>
  memref.copy %z, %r : memref<4096xf32> to memref<4096xf32>
  memref.dealloc %z : memref<4096xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  linalg.sqrt ins(%c : memref<64xf32>) outs(%out : memref<64xf32>)
  memref.dealloc %c : memref<64xf32>
  return %r : memref<4096xf32>
}
