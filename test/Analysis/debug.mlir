// REQUIRES: asserts
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-lifetimes -debug-only=buffer-merge -o /dev/null 2>&1 | FileCheck %s

// What a developer sees of each allocation: its lifetime and scope, or why it stays.

// CHECK: memref.alloc() {{.*}}debug.mlir":[[#@LINE+3]]:8): [1, 2) in the scope of func.func at
// CHECK: memref.alloc() {{.*}}: unknown-use, {{.*}} ('unknown.use')
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  "unknown.use"(%b) : (memref<16xf32>) -> ()
  return
}
