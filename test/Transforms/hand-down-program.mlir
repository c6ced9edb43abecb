// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/program.mlir --buffer-merge='limit-peak=deallocated hand-down left=error' | FileCheck %t/program.mlir
// RUN: not buffer-merge-opt %t/program.mlir --buffer-merge='limit-peak=deallocated left=error' -o /dev/null 2>&1 | FileCheck %t/program.mlir --check-prefix=APART
// RUN: buffer-merge-opt %t/program.mlir --buffer-merge='limit-peak=deallocated hand-down target=%t/768.json' | FileCheck %t/program.mlir
// RUN: not buffer-merge-opt %t/program.mlir --buffer-merge='limit-peak=deallocated hand-down target=%t/704.json' -o /dev/null 2>&1 | FileCheck %t/program.mlir --check-prefix=TARGET
// RUN: buffer-merge-opt %t/program.mlir --buffer-merge='limit-peak=deallocated pool=global capacity=default:768' | FileCheck %t/program.mlir --check-prefix=GLOBAL
// RUN: not buffer-merge-opt %t/program.mlir --buffer-merge='limit-peak=deallocated pool=global capacity=default:767' -o /dev/null 2>&1 | FileCheck %t/program.mlir --check-prefix=SMALL
// RUN: not buffer-merge-opt %t/dynamic.mlir --buffer-merge='limit-peak=deallocated hand-down left=error' -o /dev/null 2>&1 | FileCheck %t/dynamic.mlir

// What callers hand down counts for budgets and regions as the pools of callees do,
// and for left=error it is no allocation.

//--- 768.json
{"regions": [{"name": "ram", "bytes": 768}]}
//--- 704.json
{"regions": [{"name": "ram", "bytes": 704}]}
//--- program.mlir
// CHECK-LABEL: func.func private @leaf(
// CHECK-NOT:     memref.alloc
// CHECK-LABEL: func.func @top(
// CHECK-COUNT-1: memref.alloc() {{.*}}: memref<768xi8>
// CHECK-NOT:     memref.alloc

// The arena of a callee in the global of its caller counts once.
// GLOBAL: memref.global {{.*}} memref<768xi8>
// SMALL: error: the arena of 'top' needs 768 bytes, but its memory space has 767

// APART: error: the allocation stays

// TARGET: error: 'func.func' holds 768 bytes at one time, with what runs inside and with callees; the capacity is 704
func.func private @leaf(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
func.func @top(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  call @leaf(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  linalg.add ins(%a, %out : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
//--- dynamic.mlir
// CHECK: dynamic.mlir:[[@LINE+2]]:{{.*}}: error: the allocation stays
func.func private @leaf(%in: memref<?xf32>, %n: index, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%in : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%out : memref<?xf32>)
  return
}
func.func @top(%in: memref<?xf32>, %n: index, %out: memref<?xf32>) {
  call @leaf(%in, %n, %out) : (memref<?xf32>, index, memref<?xf32>) -> ()
  return
}
