// Whether a pool fits its capacity is decided, at efforts above the one that is
// asked for: at effort 0 `exact` finds a pool of 768 bytes, the smallest has
// 704. Without a capacity the effort does not rise.
//
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=exact effort=0' | FileCheck %s --check-prefix=EFFORT
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=exact effort=0 capacity=default:704' | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes='scheduler=exact effort=0 capacity=default:704' 2>&1 | FileCheck %s --check-prefix=LOOK
// RUN: buffer-merge-opt %s --buffer-merge='capacity=default:704' | FileCheck %s
// The region of a target is a capacity, too.
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=exact effort=0 target={"regions": [{"name": "r", "bytes": 704}]}' | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes='scheduler=exact effort=0 target={"regions": [{"name": "r", "bytes": 704}]}' 2>&1 | FileCheck %s --check-prefix=LOOK
// RUN: not buffer-merge-opt %s --buffer-merge='scheduler=bump capacity=default:704' 2>&1 | FileCheck %s --check-prefix=PASS

// EFFORT: memref.alloc() {{.*}} : memref<768xi8>
// CHECK: memref.alloc() {{.*}} : memref<704xi8>
// LOOK: remark: pool: {{.*}} pool of 704 bytes
// PASS: error: pool of 'func.func': found {{[0-9]+}} bytes, its capacity is 704 (the lower bound is 704: a better schedule may exist)

func.func @f(%x: i8, %i: index) {
  %b4 = memref.alloc() : memref<64xi8>
  memref.store %x, %b4[%i] : memref<64xi8>
  %b8 = memref.alloc() : memref<320xi8>
  memref.store %x, %b8[%i] : memref<320xi8>
  %b12 = memref.alloc() : memref<128xi8>
  memref.store %x, %b12[%i] : memref<128xi8>
  memref.store %x, %b8[%i] : memref<320xi8>
  %b3 = memref.alloc() : memref<192xi8>
  memref.store %x, %b3[%i] : memref<192xi8>
  %b10 = memref.alloc() : memref<192xi8>
  memref.store %x, %b10[%i] : memref<192xi8>
  %b9 = memref.alloc() : memref<128xi8>
  memref.store %x, %b9[%i] : memref<128xi8>
  memref.store %x, %b4[%i] : memref<64xi8>
  memref.store %x, %b3[%i] : memref<192xi8>
  memref.store %x, %b12[%i] : memref<128xi8>
  %b6 = memref.alloc() : memref<192xi8>
  memref.store %x, %b6[%i] : memref<192xi8>
  %b11 = memref.alloc() : memref<64xi8>
  memref.store %x, %b11[%i] : memref<64xi8>
  %b5 = memref.alloc() : memref<64xi8>
  memref.store %x, %b5[%i] : memref<64xi8>
  memref.store %x, %b9[%i] : memref<128xi8>
  %b0 = memref.alloc() : memref<128xi8>
  memref.store %x, %b0[%i] : memref<128xi8>
  memref.store %x, %b5[%i] : memref<64xi8>
  memref.store %x, %b10[%i] : memref<192xi8>
  %b1 = memref.alloc() : memref<192xi8>
  memref.store %x, %b1[%i] : memref<192xi8>
  %b2 = memref.alloc() : memref<128xi8>
  memref.store %x, %b2[%i] : memref<128xi8>
  memref.store %x, %b6[%i] : memref<192xi8>
  %b7 = memref.alloc() : memref<192xi8>
  memref.store %x, %b7[%i] : memref<192xi8>
  memref.store %x, %b11[%i] : memref<64xi8>
  memref.store %x, %b7[%i] : memref<192xi8>
  memref.store %x, %b0[%i] : memref<128xi8>
  memref.store %x, %b1[%i] : memref<192xi8>
  memref.store %x, %b2[%i] : memref<128xi8>
  return
}
