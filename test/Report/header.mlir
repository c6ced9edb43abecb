// RUN: buffer-merge-opt %s --buffer-merge='pool=arena emit-header=%t-1.h' -o %t.mlir
// RUN: FileCheck %s --check-prefix=ARENA < %t-1.h
// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=arena emit-header=%t-2.h' -o /dev/null
// RUN: sed 's/_1_H/_2_H/' %t-1.h | diff - %t-2.h
// RUN: buffer-merge-opt %s --buffer-merge='pool=global emit-header=%t.h' -o %t.mlir
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.h
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}} emit-header=%t.h' -o %t.mlir
// RUN: FileCheck %s --check-prefix=EXCLUSIVE < %t.h
// RUN: buffer-merge-opt %s --buffer-merge=emit-header=%t.h -o %t.mlir
// RUN: FileCheck %s --check-prefix=ALLOC < %t.h
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena emit-header=-' 2>&1 -o %t.mlir | FileCheck %s --check-prefix=ERROR-STREAM
// RUN: not buffer-merge-opt %s --buffer-merge='emit-header=%t.txt report=%t.txt' -o %t.none 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not buffer-merge-opt %s --buffer-merge='emit-header=%t.ld report=%t.ld' -o %t.none 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not buffer-merge-opt %s --buffer-merge=emit-header=%t/none/x.h -o %t.none 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{emit-header=%t.h}))' -o %t.none 2>&1 | FileCheck %s --check-prefix=PART

// What a program in C must provide, for functions that it can call.

//      ARENA: #ifndef HEADER_MLIR_TMP_1_H
// ARENA-NEXT: #define HEADER_MLIR_TMP_1_H
//      ARENA: /* The arena that first.one is given */
// ARENA-NEXT: #define FIRST_ONE_ARENA_BYTES 60
// ARENA-NEXT: #define FIRST_ONE_ARENA_ALIGNMENT 256
// ARENA-NEXT: BUFFER_MERGE_STATIC_ASSERT(FIRST_ONE_ARENA_BYTES <= SIZE_MAX, "the target has no FIRST_ONE_ARENA_BYTES bytes");
//      ARENA: /* The arena that first_one is given */
// ARENA-NEXT: #define FIRST_ONE_1_ARENA_BYTES 128
//  ARENA-NOT: #define {{[A-Z0-9_]+}}_BYTES 

//      GLOBAL: /* The global of first.one */
// GLOBAL-NEXT: #define FIRST_ONE_POOL_BYTES 60
//      GLOBAL: /* The global of first_one */
// GLOBAL-NEXT: #define FIRST_ONE_1_POOL_BYTES 128
//      GLOBAL: /* The global of first_one in memory space 1 : i64 */
// GLOBAL-NEXT: #define FIRST_ONE_2_POOL_BYTES 60
//  GLOBAL-NOT: #define {{.*}}_BYTES

//      EXCLUSIVE: /* The global that entries share */
// EXCLUSIVE-NEXT: #define ENTRIES_POOL_BYTES 128
// EXCLUSIVE-NEXT: #define ENTRIES_POOL_ALIGNMENT 256
//      EXCLUSIVE: FIRST_ONE_POOL_BYTES 60

//     ALLOC: #ifndef HEADER_MLIR_TMP_H
// ALLOC-NOT: #define {{.*}}_BYTES
//     ALLOC: #endif /* HEADER_MLIR_TMP_H */

// ERROR-STREAM: #ifndef BUFFER_MERGE_H
// ERROR-STREAM: #define FIRST_ONE_ARENA_BYTES 60
// SAME: error: the options 'report' and 'emit-header' name one file, '{{.*}}'
// SAME-NOT: error:
// FILE: error: cannot write header '{{.*}}x.h'
// FILE-NOT: error:
// PART: error: cannot write one report for several operations: with the option 'emit-header' the pass must run on the top-level operation
// PART-NOT: error:
func.func @first.one(%x: f32, %i: index) {
  call @inner(%x, %i) : (f32, index) -> ()
  return
}
func.func @first_one(%x: f32, %i: index) {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.store %x, %b[%i] : memref<32xf32>
  %c = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %c[%i] : memref<15xf32, 1>
  %d = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %d[%i] : memref<15xf32, 1>
  return
}
func.func private @inner(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 256 : i64} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
