// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=unshare-empty | FileCheck %s --check-prefix=UNSHARE

// Operations that share a `tensor.empty` are bufferized in place of each other: the
// pipeline gives each one its own only if it is asked to, because that costs memory.

!t = tensor<16xf32>

// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-1: memref.alloc() {{.*}} : memref<16xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         return
// UNSHARE-LABEL: func.func @shared(
// UNSHARE:         memref.alloc() {{.*}} : memref<128xi8>
// UNSHARE-NOT:     memref.alloc
// UNSHARE:         return
func.func @shared(%x: !t, %i: index) -> f32 {
  %e = tensor.empty() : !t
  %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %b = linalg.abs ins(%a : !t) outs(%e : !t) -> !t
  %c = linalg.exp ins(%b : !t) outs(%e : !t) -> !t
  %r = tensor.extract %c[%i] : !t
  return %r : f32
}

// CHECK-LABEL: func.func @unshared(
// CHECK:         memref.alloc() {{.*}} : memref<128xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @unshared(%x: !t, %i: index) -> f32 {
  %e0 = tensor.empty() : !t
  %a = linalg.exp ins(%x : !t) outs(%e0 : !t) -> !t
  %e1 = tensor.empty() : !t
  %b = linalg.abs ins(%a : !t) outs(%e1 : !t) -> !t
  %e2 = tensor.empty() : !t
  %c = linalg.exp ins(%b : !t) outs(%e2 : !t) -> !t
  %r = tensor.extract %c[%i] : !t
  return %r : f32
}
