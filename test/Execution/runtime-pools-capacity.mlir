// RUN: buffer-merge-opt %s --buffer-merge=capacity=default:1024 -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s
// RUN: sed 's/%n = arith.constant 96/%n = arith.constant 97/' %s | buffer-merge-opt --buffer-merge=capacity=default:1024 | %abort | FileCheck %s --check-prefix=EXCESS
// RUN: sed 's/%n = arith.constant 96/%n = arith.constant 97/' %s | buffer-merge-opt --buffer-merge="capacity=default:1024 over-capacity=warn" | %execute | FileCheck %s
// RUN: sed '/^func.func @main/,$d' %s | buffer-merge-opt --buffer-merge="capacity=default:1024 pool=arena limit-peak=none" | FileCheck %s --check-prefix=ARENA

// The program checks what a pool of run-time size may have: the capacity, less what is
// of static size and held at the same time. 256 bytes of @inner and 2 * 384 are as many
// as there are.

// IR-LABEL: func.func @f(
//       IR:   %[[MOST:.*]] = arith.constant 768 : index
//       IR:   %[[FITS:.*]] = arith.cmpi ule, %[[BYTES:.*]], %[[MOST]]
//       IR:   cf.assert %[[FITS]], "f: a pool has more than 768 bytes, which its capacity leaves"
//       IR:   memref.alloc(%[[BYTES]])

// ARENA-LABEL: func.func @f(
//       ARENA:   cf.assert %{{.*}}, "f: a pool has more than 1024 bytes, which its capacity leaves"
//       ARENA:   cf.assert %{{.*}}, "f: the arena must have f_arena_size_for(..) bytes"

// CHECK: {{^7$}}
// EXCESS-NOT: {{^7$}}
//     EXCESS: f: a pool has more than 768 bytes, which its capacity leaves
// EXCESS-NOT: {{^7$}}
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %large = memref.alloc() : memref<200xi32>
  linalg.fill ins(%seven : i32) outs(%large : memref<200xi32>)
  memref.dealloc %large : memref<200xi32>
  %a = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%seven : i32) outs(%a : memref<?xi32>)
  %b = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%seven : i32) outs(%b : memref<?xi32>)
  %x = func.call @inner(%seven) : (i32) -> i32
  %y = memref.load %a[%c0] : memref<?xi32>
  memref.store %y, %b[%c0] : memref<?xi32>
  memref.dealloc %a : memref<?xi32>
  %c = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%seven : i32) outs(%c : memref<?xi32>)
  %z = memref.load %b[%c0] : memref<?xi32>
  memref.store %z, %c[%c0] : memref<?xi32>
  memref.dealloc %b : memref<?xi32>
  memref.dealloc %c : memref<?xi32>
  vector.print %z : i32
  return
}
func.func private @inner(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<64xi32>)
  %y = memref.load %a[%c0] : memref<64xi32>
  memref.dealloc %a : memref<64xi32>
  return %y : i32
}

func.func @main() {
  %n = arith.constant 96 : index
  call @f(%n) : (index) -> ()
  return
}
