// RUN: buffer-merge-opt %s --buffer-merge='in-place=false report=%t.txt' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REPORT < %t.txt
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false report=%t.csv' -o %t.none
// RUN: FileCheck %s --check-prefix=CSV < %t.csv
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false offsets=%t.csv' | diff %t.mlir -
// RUN: buffer-merge-opt %t.mlir --buffer-merge=in-place=false | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false left=error pool=global' | FileCheck %s --check-prefix=GLOBAL

// Arguments that the caller lends hold buffers while they are free.

// GLOBAL-NOT: memref.alloc

// The second of three buffers of the peak is in the argument after its last read.
// CHECK-LABEL: func @donated(
//  CHECK-SAME: %[[X:.*]]: memref<64xf32> {buffer_merge.donated}
//       CHECK: %[[ALLOC:.*]] = memref.alloc() {{.*}}: memref<512xi8>
//       CHECK: linalg.exp ins(%[[X]]
//       CHECK: %[[B:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32> to memref<8x8xf32>
//       CHECK: linalg.exp {{.*}} outs(%[[B]] : memref<8x8xf32>)
//      REPORT: @donated{{.*}}pool=argument
func.func @donated(%x: memref<64xf32> {buffer_merge.donated}, %out: memref<8x8xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %e = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %b = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%e : memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  %c = memref.alloc() : memref<8x8xf32>
  linalg.add ins(%e, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  %d = memref.alloc() : memref<8x8xf32>
  linalg.add ins(%c, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  linalg.exp ins(%d : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  return
}

// Bufferization asks for an alignment, which has to be promised.
// CHECK-LABEL: func @aligned(
//  CHECK-NEXT: memref.reinterpret_cast %arg1
// CHECK-LABEL: func @unaligned(
//  CHECK-NEXT: memref.alloc()
func.func @aligned(%x: memref<64xf32>, %out: memref<64xf32> {buffer_merge.output, llvm.align = 64 : i64}) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
func.func @unaligned(%x: memref<64xf32>, %out: memref<64xf32> {buffer_merge.output, llvm.align = 32 : i64}) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// A pool that holds what is lent is aligned as promised.
// CHECK-LABEL: func @lends(
//       CHECK: memref.alloc() {alignment = 256 : i64}
func.func @lends(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  call @borrows(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}
func.func private @borrows(%x: memref<64xf32> {buffer_merge.donated, llvm.align = 256 : i64}) {
  return
}

// None of these can hold a buffer: the type says too little, another use may need
// the bytes, all of the argument is not overwritten first.
// CHECK-LABEL: func @others(
//   CHECK-NOT: reinterpret_cast
func.func @others(%x: memref<64xf32>,
                  %dynamic: memref<?xf32> {buffer_merge.donated},
                  %strided: memref<64xf32, strided<[2]>> {buffer_merge.donated},
                  %type: memref<64xi32> {buffer_merge.donated},
                  %small: memref<63xf32> {buffer_merge.donated},
                  %never: memref<64xf32> {buffer_merge.donated},
                  %returned: memref<64xf32> {buffer_merge.donated},
                  %escapes: memref<64xf32> {buffer_merge.donated},
                  %added: memref<64xf32> {buffer_merge.output},
                  %late: memref<64xf32> {buffer_merge.donated}) -> memref<64xf32> {
  %c0 = arith.constant 0 : index
  %0 = memref.load %dynamic[%c0] : memref<?xf32>
  %1 = memref.load %strided[%c0] : memref<64xf32, strided<[2]>>
  %2 = memref.load %type[%c0] : memref<64xi32>
  %3 = memref.load %small[%c0] : memref<63xf32>
  %4 = memref.load %returned[%c0] : memref<64xf32>
  %5 = memref.load %escapes[%c0] : memref<64xf32>
  %p = memref.extract_aligned_pointer_as_index %escapes : memref<64xf32> -> index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%b, %added : memref<64xf32>, memref<64xf32>) outs(%added : memref<64xf32>)
  memref.store %0, %late[%c0] : memref<64xf32>
  return %returned : memref<64xf32>
}

// What comes first overwrites all of a view, but only half of the argument.
// CHECK-LABEL: func @half(
//   CHECK-NOT: reinterpret_cast
//       CHECK: memref.alloc()
func.func @half(%x: memref<64xf32>, %out: memref<64xf32> {buffer_merge.output}, %v: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  %half = memref.subview %out[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  linalg.fill ins(%v : f32) outs(%half : memref<32xf32, strided<[1]>>)
  return
}

//  CSV: donated/1/%a,1
// CSV-NEXT: donated/1/%c
