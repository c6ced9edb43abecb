// RUN: buffer-merge-opt %s --buffer-merge='report=%t.txt dynamic=none scheduler=first-fit limit-peak=deallocated' -o %t.mlir
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.txt
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// The analysis alone writes the same and changes no IR.
// RUN: buffer-merge-opt %s --buffer-lifetimes='report=%t.same.txt dynamic=none scheduler=first-fit limit-peak=deallocated' -o %t.mlir
// RUN: diff %t.txt %t.same.txt
// RUN: FileCheck %s --check-prefix=UNCHANGED < %t.mlir

// - is standard error: standard output is for the IR.
// RUN: buffer-merge-opt %s --buffer-merge='report=- dynamic=none scheduler=first-fit limit-peak=deallocated' -o /dev/null 2> %t.stderr
// RUN: diff %t.txt %t.stderr

// The schedule, checked by another program.
// RUN: buffer-merge-opt %s --buffer-merge='report=%t.csv dynamic=none scheduler=first-fit limit-peak=deallocated' -o /dev/null
// RUN: buffer-merge-schedule --verify %t.csv | FileCheck %s --check-prefix=VERIFY
// VERIFY: valid: pool 512, lower bound 512, ratio 1.0000

// IR-LABEL: func.func @chain
//       IR:   memref.alloc() {{.*}} memref<512xi8>

// UNCHANGED-NOT: memref.view

//      CHECK:buffer-merge report of text.mlir, scheduler first-fit
// CHECK-NEXT:3 allocations of 704 bytes merged into 512 bytes
// CHECK-NEXT:3 of 128 bytes left alone
// CHECK-NEXT:program: 832 bytes allocated
// CHECK-NEXT:  at the peak 512 bytes deallocated, 512 as planned (0.0 %)
// CHECK-NEXT:  only fusing or tiling func.call at text.mlir:[[#]]:3, which needs 512, can go below
// CHECK-EMPTY:
// CHECK-NEXT:@chain: deallocated 512 bytes, as planned 512 bytes
// CHECK-NEXT:@stays: deallocated 128 bytes, as planned 128 bytes
// CHECK-EMPTY:
// CHECK-NEXT:pool 1 of 1: @chain (func.func at text.mlir:[[# @LINE + 48]]:1)
// CHECK-NEXT:  before 704 bytes, pool 512 bytes, ratio 0.727
// CHECK-NEXT:  lower bound 512 bytes at tick 3, pool / lower bound 1.000
// CHECK-NEXT:  deallocated 512 bytes, pool / that 1.000
// CHECK-EMPTY:
// CHECK-NEXT:  alive at the peak, tick 3: 2 buffers, 512 bytes
// CHECK-NEXT:     bytes  lifetime  buffer      type    operation
// CHECK-NEXT:  A    256    [1, 4)  %in.staged  64xf32  memref.copy
// CHECK-NEXT:  B    256    [3, 7)  conv1.out   64xf32  func.call
// CHECK-EMPTY:
// CHECK-NEXT:            512 >+------------------------------------------+
// CHECK-NEXT:                 |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:            448  |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:                 |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:            384  |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:                 |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:            320  |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:                 |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:            256  |            BBBBBBBBBBBBBBBBBBBBBBBB      |
// CHECK-NEXT:                 |AAAAAAAAAAAAAAAAAA                        |
// CHECK-NEXT:            192  |AAAAAAAAAAAAAAAAAA                        |
// CHECK-NEXT:                 |AAAAAAAAAAAAAAAAAA            CCCCCCCCCCCC|
// CHECK-NEXT:            128  |AAAAAAAAAAAAAAAAAA            CCCCCCCCCCCC|
// CHECK-NEXT:                 |AAAAAAAAAAAAAAAAAA            CCCCCCCCCCCC|
// CHECK-NEXT:             64  |AAAAAAAAAAAAAAAAAA            CCCCCCCCCCCC|
// CHECK-NEXT:                 |AAAAAAAAAAAAAAAAAA            CCCCCCCCCCCC|
// CHECK-NEXT:              0  |AAAAAAAAAAAAAAAAAA            CCCCCCCCCCCC|
// CHECK-NEXT:                 +------------^^^^^^------------------------+
// CHECK-NEXT:                  tick 1                                    8
// CHECK-EMPTY:
// CHECK-NEXT:      buffer      offset  bytes  lifetime  type    location
// CHECK-NEXT:  A^  %in.staged       0    256    [1, 4)  64xf32  :[[# @LINE + 18]]:16
// CHECK-NEXT:  B^  conv1.out      256    256    [3, 7)  64xf32
// CHECK-NEXT:  C   %c               0    192    [6, 8)  48xf32  :[[# @LINE + 21]]:8
// CHECK-EMPTY:
// CHECK-NEXT:left alone: 3 allocations of 128 bytes
// CHECK-NEXT:  dynamic-shape: 1 allocation, 0 bytes
// CHECK-NEXT:    {{[a-z].*}}
// CHECK-NEXT:    advice: bound the size by affine.min with a constant, for dynamic=bounded
// CHECK-NEXT:      %dynamic  ?  ?xf32  @stays  text.mlir:[[# @LINE + 23]]:14
// CHECK-NEXT:  returned: 1 allocation, 64 bytes
// CHECK-NEXT:    its function returns it
// CHECK-NEXT:    advice: let the caller pass the buffer: --buffer-results-to-out-params
// CHECK-NEXT:      %r  64  16xf32  @stays  text.mlir:[[# @LINE + 18]]:8  func.return at text.mlir:[[# @LINE + 24]]:3
// CHECK-NEXT:  no-partner: 1 allocation, 64 bytes
// CHECK-NEXT:    there is no other buffer to share a pool with
// CHECK-NEXT:      %alone  64  16xf32  @stays  text.mlir:[[# @LINE + 17]]:12
//  CHECK-NOT:{{.}}
func.func @chain(%in: memref<64xf32>, %out: memref<48xf32>) {
  %in.staged = memref.alloc() : memref<64xf32>
  memref.copy %in, %in.staged : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() : memref<64xf32> loc("conv1.out")
  call @g(%in.staged, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  %x = arith.constant 1.0 : f32
  %c = memref.alloc() : memref<48xf32>
  call @h(%b, %c) : (memref<64xf32>, memref<48xf32>) -> ()
  memref.copy %c, %out : memref<48xf32> to memref<48xf32>
  return
}

func.func @stays(%n: index, %x: f32) -> memref<16xf32> {
  %r = memref.alloc() : memref<16xf32>
  %dynamic = memref.alloc(%n) : memref<?xf32>
  %alone = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%alone : memref<16xf32>)
  linalg.fill ins(%x : f32) outs(%dynamic : memref<?xf32>)
  linalg.exp ins(%r : memref<16xf32>) outs(%alone : memref<16xf32>)
  return %r : memref<16xf32>
}

func.func private @g(memref<64xf32>, memref<64xf32>)
func.func private @h(memref<64xf32>, memref<48xf32>)
