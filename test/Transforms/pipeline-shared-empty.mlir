// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=unshare-empty=false | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=unshare-empty=false --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED

// DEFAULT: unshare-empty-tensors,
// DEFAULT: one-shot-bufferize
// SHARED-NOT: unshare-empty-tensors
// SHARED: one-shot-bufferize

// Operations of a chain that share a `tensor.empty` are bufferized in place of each
// other, and the pipeline leaves that alone. Others have one each, so that they have
// allocations of their own, which `emplace-buffers` looks at.

!t = tensor<16xf32>

// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: memref.alloc() {{.*}} : memref<16xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @chain(%x: !t, %i: index) -> f32 {
  %e = tensor.empty() : !t
  %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %b = linalg.abs ins(%a : !t) outs(%e : !t) -> !t
  %c = linalg.exp ins(%b : !t) outs(%e : !t) -> !t
  %r = tensor.extract %c[%i] : !t
  return %r : f32
}

// CHECK-LABEL: func.func @unshared(
// CHECK:         memref.alloc() {{.*}} : memref<64xi8>
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
