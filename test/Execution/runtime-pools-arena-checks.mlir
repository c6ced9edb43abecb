// RUN: buffer-merge-opt %s --buffer-merge="pool=arena limit-peak=none" -o %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s
// RUN: sed 's/%missing = arith.constant 0/%missing = arith.constant 1/' %s | buffer-merge-opt --buffer-merge="pool=arena limit-peak=none" | %abort | FileCheck %s --check-prefix=BYTES
// RUN: sed 's/%n = arith.constant 3/%n = arith.constant 0x4000000000000000/' %s | buffer-merge-opt --buffer-merge="pool=arena limit-peak=none" | %abort | FileCheck %s --check-prefix=REFUSED

// What an arena of run-time size must have: the sum of its pools, or more than there is
// if a number wraps around. Of 2^62 bytes in each of two pools, 62 would be left.

// CHECK: 9223372036854775807
// CHECK: {{^7$}}
// CHECK: [5,  5,  5]

// BYTES-NOT: {{^7$}}
//     BYTES: f: the arena must have f_arena_size_for(..) bytes
// BYTES-NOT: {{^7$}}

// What an assertion refuses is no part of what is needed.
// REFUSED-NOT: the arena
//     REFUSED: too many
// REFUSED-NOT: the arena
func.func @f(%m: index, %n: index, %out: memref<3xi32>, %arena: memref<?xi8> {buffer_merge.arena}) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %five = arith.constant 5 : i32
  %seven = call @seven() : () -> i32
  %a = memref.alloc(%m) {alignment = 256 : i64} : memref<?xi32>
  linalg.fill ins(%seven : i32) outs(%a : memref<?xi32>)
  %b = memref.alloc(%m) : memref<?xi32>
  memref.copy %a, %b : memref<?xi32> to memref<?xi32>
  %x = memref.load %b[%c0] : memref<?xi32>
  memref.store %x, %a[%c0] : memref<?xi32>
  %isSmall = arith.cmpi ult, %n, %c9 : index
  cf.assert %isSmall, "too many"
  vector.print %x : i32
  %c = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%five : i32) outs(%c : memref<?xi32>)
  %same = memref.cast %c : memref<?xi32> to memref<3xi32>
  memref.copy %same, %out : memref<3xi32> to memref<3xi32>
  return
}
func.func private @seven() -> i32 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 7 : i32
  %a = memref.alloc() : memref<1xi32>
  memref.store %x, %a[%c0] : memref<1xi32>
  %y = memref.load %a[%c0] : memref<1xi32>
  return %y : i32
}
func.func private @f_arena_size_for(index, index) -> index

func.func @main() {
  %c0 = arith.constant 0 : index
  %m = arith.constant 2 : index
  %n = arith.constant 3 : index
  %missing = arith.constant 0 : index
  %many = arith.constant 0x1000000000000000 : index
  %most = call @f_arena_size_for(%many, %n) : (index, index) -> index
  vector.print %most : index
  %out = memref.alloc() : memref<3xi32>
  %bytes = call @f_arena_size_for(%m, %n) : (index, index) -> index
  %memory = memref.alloc(%bytes) {alignment = 256 : i64} : memref<?xi8>
  %given = arith.subi %bytes, %missing : index
  %arena = memref.view %memory[%c0][%given] : memref<?xi8> to memref<?xi8>
  call @f(%m, %n, %out, %arena) : (index, index, memref<3xi32>, memref<?xi8>) -> ()
  %any = memref.cast %out : memref<3xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
