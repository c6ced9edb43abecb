// RUN: buffer-merge-opt %s --buffer-merge | %execute | FileCheck %s
// RUN: sed 's/%k = arith.constant 5/%k = arith.constant 0x4000000000000000/' %s | buffer-merge-opt --buffer-merge | %abort | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/%l = arith.constant 3/%l = arith.constant 0x4000000000000000/' %s | buffer-merge-opt --buffer-merge | %abort | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/%l = arith.constant 3/%l = arith.constant -1/' %s | buffer-merge-opt --buffer-merge | %abort | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/%m = arith.constant 7/%m = arith.constant 0x100000000/' %s | buffer-merge-opt --buffer-merge | %abort | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/%n = arith.constant 2/%n = arith.constant 0x100000000/' %s | buffer-merge-opt --buffer-merge | %abort | FileCheck %s --check-prefix=LARGE
// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefix=IR

// Sizes of a pool are compared together: each of them must fit, and each product. If one
// does not, the allocation fails, and the first access ends the program; without the
// check the pool would be small, since what is too large is 0 modulo 2^64.

// CHECK: [1,{{ +}}2,{{ +}}3,{{ +}}4]
// LARGE-NOT: 4]
//     LARGE: Stack dump
// LARGE-NOT: 4]

// One comparison for products, and one for sizes.
// IR-LABEL: func.func @f
//       IR:   arith.mului_extended
//       IR:   arith.mului_extended
//       IR:   %[[HIGH:.*]] = arith.ori
//       IR:   arith.cmpi eq, %[[HIGH]]
//       IR:   arith.cmpi ule
//   IR-NOT:   arith.cmpi
//       IR:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   IR-NOT:   memref.alloc(
//       IR:   return
func.func @f(%k: index, %l: index, %m: index, %n: index, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %a = memref.alloc(%k) : memref<?xi32>
  memref.store %one, %a[%c0] : memref<?xi32>
  %x = memref.load %a[%c0] : memref<?xi32>
  %b = memref.alloc(%l) : memref<?xi32>
  %two = arith.addi %x, %one : i32
  memref.store %two, %b[%c0] : memref<?xi32>
  %y = memref.load %b[%c0] : memref<?xi32>
  %c = memref.alloc(%m, %m) : memref<?x?xi32>
  %three = arith.addi %y, %one : i32
  memref.store %three, %c[%c0, %c0] : memref<?x?xi32>
  %z = memref.load %c[%c0, %c0] : memref<?x?xi32>
  %d = memref.alloc(%n, %n) : memref<?x?xi32>
  %four = arith.addi %z, %one : i32
  memref.store %four, %d[%c0, %c1] : memref<?x?xi32>
  %w = memref.load %d[%c0, %c1] : memref<?x?xi32>
  memref.store %x, %out[%c0] : memref<4xi32>
  memref.store %y, %out[%c1] : memref<4xi32>
  memref.store %z, %out[%c2] : memref<4xi32>
  memref.store %w, %out[%c3] : memref<4xi32>
  return
}

func.func @main() {
  %k = arith.constant 5 : index
  %l = arith.constant 3 : index
  %m = arith.constant 7 : index
  %n = arith.constant 2 : index
  %out = memref.alloc() : memref<4xi32>
  call @f(%k, %l, %m, %n, %out) : (index, index, index, index, memref<4xi32>) -> ()
  %any = memref.cast %out : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
