// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: buffer-merge-opt %s --buffer-merge='memory-spaces=sram,1' | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: not buffer-merge-opt %s --buffer-merge='memory-spaces=#gpu.address_space<none>' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error:
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=default:0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=1:5,1:6' 2>&1 | FileCheck %s --check-prefix=TWICE

// One pool for each memory space, in the order of their first buffers.

// CHECK-LABEL: func.func @spaces
//    ALL-NEXT:   memref.alloc() {alignment = 64 : i64} : memref<64xi8>
//  CHECK-NEXT:   memref.alloc() {alignment = 64 : i64} : memref<128xi8, "sram">
//  CHECK-NEXT:   memref.alloc() {alignment = 64 : i64} : memref<192xi8, 1>
//        SOME:   memref.alloc() : memref<64xi8>
//        SOME:   memref.alloc() : memref<64xi8>
//   CHECK-NOT:   memref.alloc

// UNKNOWN: error: unknown memory space '#gpu.address_space<none>', expected 'default', a name or an attribute such as 1
// ZERO: error: capacity 'default:0' is not SPACE:BYTES with a positive number of bytes, such as default:65536
// TWICE: error: memory space '1' has two capacities
func.func @spaces(%x: i8, %i: index) {
  %a0 = memref.alloc() : memref<64xi8>
  memref.store %x, %a0[%i] : memref<64xi8>
  %b0 = memref.alloc() : memref<128xi8, "sram">
  memref.store %x, %b0[%i] : memref<128xi8, "sram">
  %c0 = memref.alloc() : memref<192xi8, 1>
  memref.store %x, %c0[%i] : memref<192xi8, 1>
  %a1 = memref.alloc() : memref<64xi8>
  memref.store %x, %a1[%i] : memref<64xi8>
  %b1 = memref.alloc() : memref<128xi8, "sram">
  memref.store %x, %b1[%i] : memref<128xi8, "sram">
  %c1 = memref.alloc() : memref<192xi8, 1>
  memref.store %x, %c1[%i] : memref<192xi8, 1>
  return
}
