// RUN: buffer-merge-opt %s --buffer-merge=dynamic=runtime | %execute | FileCheck %s
// RUN: sed 's/%m = arith.constant 3/%m = arith.constant 0x4000000000000000/' %s | buffer-merge-opt --buffer-merge=dynamic=runtime | %abort | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/%m = arith.constant 3/%m = arith.constant 0x100000000/; s/%n = arith.constant 2/%n = arith.constant 0x100000001/' %s | buffer-merge-opt --buffer-merge=dynamic=runtime | %abort | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/%m = arith.constant 3/%m = arith.constant -1/' %s | buffer-merge-opt --buffer-merge=dynamic=runtime | %abort | FileCheck %s --check-prefix=LARGE
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=runtime | FileCheck %s --check-prefix=IR

// Sizes of which products or sums do not fit 64 bits: the allocation of the pool fails, and
// the first access to it ends the program. Without the check the pool would be as small as
// what is left of the numbers. 2^32 * (2^32 + 1) * 4 is 2^34 modulo 2^64.

// CHECK: [7,{{ +}}7]
// LARGE-NOT: 7]
//     LARGE: Stack dump
// LARGE-NOT: 7]

// IR-LABEL: func.func @f
//       IR:   %[[MOST:.*]] = arith.constant 9223372036854775807 : index
//       IR:   %[[SIZE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[MOST]] : index
//       IR:   memref.alloc(%[[SIZE]]) {{.*}} : memref<?xi8>
func.func @f(%m: index, %n: index, %out: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %a = memref.alloc(%m, %n) : memref<?x?xi32>
  memref.store %seven, %a[%c0, %c0] : memref<?x?xi32>
  %x = memref.load %a[%c0, %c0] : memref<?x?xi32>
  %b = memref.alloc(%m, %n) : memref<?x?xi32>
  memref.store %x, %b[%c0, %c1] : memref<?x?xi32>
  %y = memref.load %b[%c0, %c1] : memref<?x?xi32>
  memref.store %x, %out[%c0] : memref<2xi32>
  memref.store %y, %out[%c1] : memref<2xi32>
  return
}

func.func @main() {
  %m = arith.constant 3 : index
  %n = arith.constant 2 : index
  %out = memref.alloc() : memref<2xi32>
  call @f(%m, %n, %out) : (index, index, memref<2xi32>) -> ()
  %any = memref.cast %out : memref<2xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
