// RUN: buffer-merge-opt %s --buffer-merge=capacity=default:24 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='capacity=default:24 over-capacity=warn' 2>&1 | FileCheck %s
// RUN: not buffer-merge-opt %s --buffer-merge=capacity=default:23 2>&1 | FileCheck %s --check-prefix=OVER

// Two buffers fit, but no pool of them: between them it has four bytes that
// align the second one. So they are left alone.

//   CHECK-NOT: warning
// CHECK-LABEL: func.func @padded
// CHECK-COUNT-2: memref.alloc() : memref<12xi8>
// OVER: error: pool of 'func.func' needs {{.*}} bytes, its capacity is 23
func.func @padded(%x: i8, %out: memref<12xi8>) {
  %a = memref.alloc() : memref<12xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<12xi8>)
  %b = memref.alloc() : memref<12xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<12xi8>)
  linalg.add ins(%a, %b : memref<12xi8>, memref<12xi8>) outs(%out : memref<12xi8>)
  return
}
