// REQUIRES: clang
// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/program.mlir --buffer-merge --convert-linalg-to-loops --convert-scf-to-cf --expand-strided-metadata \
// RUN:   --finalize-memref-to-llvm --convert-arith-to-llvm --convert-func-to-llvm --convert-cf-to-llvm \
// RUN:   --reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir -o %t/program.ll
// RUN: clang -Wno-override-module %t/program.ll %t/other.c -o %t/program
// RUN: %t/program | FileCheck %s

// The program is linked with another body of @weak, which reads what it is given.

// CHECK: 7

//--- program.mlir
func.func @weak(%m: memref<8xi64>) attributes {llvm.linkage = #llvm.linkage<weak>} {
  return
}
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i64
  %eight = arith.constant 8 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%eight : i64) outs(%b : memref<8xi64>)
  call @weak(%a) : (memref<8xi64>) -> ()
  return %zero : i32
}

//--- other.c
#include <stdint.h>
#include <stdio.h>

void weak(int64_t *allocated, int64_t *aligned, intptr_t offset, intptr_t size, intptr_t stride) {
  (void)allocated;
  (void)size;
  (void)stride;
  printf("%d\n", (int)aligned[offset]);
}
