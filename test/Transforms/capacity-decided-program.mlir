// A capacity of the program is decided as one of a pool is: at effort 0 `exact` finds a pool of
// 768 bytes for @inner, the smallest has 704, and 256 bytes are held beside it.
//
// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/program.mlir --buffer-merge='scheduler=exact effort=0' | FileCheck %s --check-prefix=EFFORT
// RUN: buffer-merge-opt %t/program.mlir --buffer-merge='scheduler=exact effort=0 capacity=default:1000' | FileCheck %s
// RUN: buffer-merge-opt %t/program.mlir --buffer-lifetimes='scheduler=exact effort=0 capacity=default:1000' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOOK
// What is not decided is found; where it is proved that nothing fits, nothing is said of that.
// RUN: not buffer-merge-opt %t/program.mlir --buffer-merge='scheduler=bump capacity=default:2000' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: not buffer-merge-opt %t/program.mlir --buffer-merge='scheduler=exact capacity=default:900' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED

// EFFORT: memref.alloc() {{.*}} : memref<768xi8>
// CHECK:  memref.alloc() {{.*}} : memref<704xi8>
// LOOK:   remark: pool: {{.*}} pool of 704 bytes
// FOUND:  error: 'func.func': found {{[0-9]+}} bytes at one time, with what runs inside and with callees; the capacity is 2000
// FOUND:  note: smaller pools, with which it fits, are not excluded: with more effort they may be found
// PROVED: error: 'func.func' holds {{[0-9]+}} bytes at one time
// PROVED-NOT: not excluded

//--- program.mlir
func.func @main(%x: i8, %i: index) -> i8 {
  %kept = memref.alloc() : memref<256xi8>
  memref.store %x, %kept[%i] : memref<256xi8>
  call @inner(%x, %i) : (i8, index) -> ()
  %y = memref.load %kept[%i] : memref<256xi8>
  return %y : i8
}
func.func private @inner(%x: i8, %i: index) {
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
