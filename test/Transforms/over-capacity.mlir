// RUN: buffer-merge-opt %s --buffer-merge='capacity=1:65535,2:4095 over-capacity=warn' 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.err
// RUN: buffer-merge-opt %s --buffer-merge='capacity=1:65536,2:4096 over-capacity=warn' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FITS
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=bump capacity=1:100000 over-capacity=warn' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUMP
// RUN: buffer-merge-opt %s --buffer-lifetimes='capacity=1:65535,2:4095 over-capacity=warn' 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=LOOK
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=1:65535 over-capacity=error' 2>&1 | FileCheck %s --check-prefix=ERROR

// A pool that does not fit is made nevertheless, as small as it can be.

// CHECK-LABEL: func.func @packing
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<65536xi8, 1>
//   CHECK-NOT:   memref.alloc
// CHECK-LABEL: func.func @alone
//       CHECK:   memref.alloc() : memref<1024xf32, 2>

//    WARN-NOT: error:
//        WARN: over-capacity.mlir:[[#@LINE+15]]:1: warning: pool of 'func.func' in memory space 1 : i64 needs 65536 bytes, its capacity is 65535 (the lower bound is 65536: no scheduler can help)
//        WARN: note: alive at the peak, tick 1: 65536 bytes
//        WARN: warning: pool of 'func.func' in memory space 2 : i64 needs 4096 bytes, its capacity is 4095
//    WARN-NOT: error:

// FITS-NOT: warning:

// BUMP: warning: pool of 'func.func' in memory space 1 : i64: found 131072 bytes, its capacity is 100000 (the lower bound is 65536: a better schedule may exist)
// BUMP: memref<131072xi8, 1>

// LOOK: remark: pool in memory space 1 : i64: {{.*}}, pool of 65536 bytes, more than its capacity of 65535
// LOOK: remark: pool in memory space 2 : i64: {{.*}}, no pool: no-partner, more than its capacity of 4095

// ERROR: error: pool of 'func.func' in memory space 1 : i64 needs 65536 bytes, its capacity is 65535

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

// A buffer without a partner stays as it is.
func.func @alone(%x: f32, %i: index) {
  %a = memref.alloc() : memref<1024xf32, 2>
  memref.store %x, %a[%i] : memref<1024xf32, 2>
  return
}
