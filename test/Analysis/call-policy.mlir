// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-lifetimes=calls=escape -o /dev/null 2>&1 | FileCheck %s

// By MLIR's convention a callee keeps no memref that it is given. With
// calls=escape it may.

// CHECK: call-policy.mlir:[[#@LINE+3]]:8: remark: not mergeable: passed-to-call, {{.*}} ('func.call')
func.func @passed() {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  return
}

// CHECK: call-policy.mlir:[[#@LINE+3]]:8: remark: not mergeable: passed-to-call, {{.*}} ('func.call')
func.func @view_passed() {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  %u = memref.cast %a : memref<16xf32> to memref<*xf32>
  call @use_unranked(%u) : (memref<*xf32>) -> ()
  return
}

// CHECK: call-policy.mlir:[[#@LINE+3]]:8: remark: not mergeable: passed-to-call, {{.*}} ('func.call_indirect')
func.func @passed_indirectly(%f: (memref<16xf32>) -> ()) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  call_indirect %f(%a) : (memref<16xf32>) -> ()
  return
}

// Not passed: no difference.
// CHECK: call-policy.mlir:[[#@LINE+3]]:8: remark: lifetime [2, 3), 64 bytes
func.func @not_passed(%x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%m) : (memref<16xf32>) -> ()
  memref.store %x, %a[%i] : memref<16xf32>
  return
}

func.func private @use(memref<16xf32>)
func.func private @use_unranked(memref<*xf32>)
