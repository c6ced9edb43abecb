// RUN: buffer-merge-opt %s --buffer-merge=capacity=1:65536 | FileCheck %s
// RUN: not buffer-merge-opt %s --buffer-merge=capacity=1:65535 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not buffer-merge-opt %s --buffer-merge='scheduler=bump capacity=1:100000' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUMP
// RUN: buffer-merge-opt %s --buffer-lifetimes=capacity=1:65535 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=LOOK

// A buffer of 64 KiB, then two of 32 KiB that are alive together:
// 64 KiB are enough, one byte less is not.

// CHECK-LABEL: func.func @packing
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<65536xi8, 1>
//   CHECK-NOT:   memref.alloc

//      OVER: [[#@LINE+10]]:1: error: pool of 'func.func' in memory space 1 : i64 needs 65536 bytes, its capacity is 65535 (the lower bound is 65536: no scheduler can help)
//      OVER: [[#@LINE+10]]:8: note: alive at the peak, tick 1: 65536 bytes
//  OVER-NOT: note:
//  OVER-NOT: func.func

// A scheduler that does not reuse bytes may need more than there are while a better
// one would not.
// BUMP: error: pool of 'func.func' in memory space 1 : i64: found 131072 bytes, its capacity is {{.*}} (the lower bound is 65536: a better schedule may exist)

// LOOK: remark: pool in memory space 1 : i64: {{.*}}, no pool: over-capacity
func.func @packing(%x: f32, %i: index) {
  %a = memref.alloc() : memref<16384xf32, 1>
  memref.store %x, %a[%i] : memref<16384xf32, 1>
  %b = memref.alloc() : memref<8192xf32, 1>
  memref.store %x, %b[%i] : memref<8192xf32, 1>
  %c = memref.alloc() : memref<8192xf32, 1>
  memref.store %x, %c[%i] : memref<8192xf32, 1>
  memref.store %x, %b[%i] : memref<8192xf32, 1>
  return
}
