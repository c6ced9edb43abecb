// RUN: sed 's/64xi8/2305843009213693888xi8/' %s > %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge=report=%t.txt -o /dev/null
// RUN: FileCheck %s < %t.txt
// RUN: buffer-merge-opt %t.mlir --buffer-lifetimes=report=%t.md -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=TABLE < %t.md
// RUN: not buffer-merge-opt %t.mlir --buffer-merge=capacity=default:100 -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR --implicit-check-not='which fit'

// Sums of more bytes stop at the most that a pool can have, in all that reports say.

//  CHECK: 5 of 2305843009213693952 bytes left alone
//  CHECK: at the peak 2305843009213693952 bytes as given
//  CHECK: size-overflow: 5 allocations, 2305843009213693952 bytes
// REMARK: left alone: 5 allocations of 2305843009213693952 bytes
//  TABLE: | `size-overflow` | | 5 | 2305843009213693952 |
// What is left without one of them is not known.
//  ERROR: 'func.func' holds 2305843009213693952 bytes at one time

!t = memref<64xi8>

func.func @f(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !t
  memref.store %x, %a[%c0] : !t
  %b = memref.alloc() : !t
  memref.store %x, %b[%c0] : !t
  %c = memref.alloc() : !t
  memref.store %x, %c[%c0] : !t
  %d = memref.alloc() : !t
  memref.store %x, %d[%c0] : !t
  %e = memref.alloc() : !t
  memref.store %x, %e[%c0] : !t
  memref.store %x, %a[%c0] : !t
  return
}
