// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t.ld' -o %t.mlir
// RUN: FileCheck %s --check-prefix=ARENA < %t.ld
// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=global target={"globals": {"section": ".sram", "memory": "tcm"}} report=%t.ld' -o %t.mlir
// RUN: FileCheck %s --check-prefix=SECTION < %t.ld
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}} report=%t.ld' -o %t.mlir
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.ld
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"linkage": "external"}} emit-header=%t.h' -o %t.mlir
// RUN: FileCheck %s --check-prefix=EXTERNAL < %t.h
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t.all.json,%t.all.ld,summary' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SUMMARY
// RUN: FileCheck %s --check-prefix=ARENA < %t.all.ld
// RUN: buffer-merge-report %t.all.json | FileCheck %s --check-prefix=TEXT
// RUN: not buffer-merge-opt %s --buffer-merge='report=%t.ld,%t.txt,%t.ld' -o %t.none 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not buffer-merge-opt %s --buffer-merge='report=%t/none/x.ld' -o %t.none 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{report=%t.ld}))' -o %t.none 2>&1 | FileCheck %s --check-prefix=PART

// A part of a linker script: what a program needs, and where its globals are.

//      ARENA: To be included in SECTIONS.
//      ARENA: /* The arena that f is given */
// ARENA-NEXT: F_ARENA_BYTES = 60;
// ARENA-NEXT: F_ARENA_ALIGNMENT = 256;
//      ARENA: /* The arena that g.h is given */
// ARENA-NEXT: G_H_ARENA_BYTES = 128;
//  ARENA-NOT: SIZEOF

//      SECTION: /* The global of f */
// SECTION-NEXT: F_POOL_BYTES = 60;
//      SECTION: G_H_POOL_BYTES = 128;
// SECTION-NEXT: G_H_POOL_ALIGNMENT = 64;
//      SECTION: .sram (NOLOAD) : ALIGN(256) {
// SECTION-NEXT:   *(.sram)
// SECTION-NEXT: } > tcm
// SECTION-NEXT: ASSERT(SIZEOF(.sram) >= 188, ".sram lacks a global of buffer-merge")
//  SECTION-NOT: ASSERT

//     GLOBAL: ENTRIES_POOL_BYTES = 128;
// GLOBAL-NOT: ASSERT

// C declares what it has to define, if it has a name for it.
//     EXTERNAL: #define F_POOL_BYTES 60
//     EXTERNAL: extern unsigned char f_pool[F_POOL_BYTES];
//     EXTERNAL: #define G_H_POOL_BYTES 128
// EXTERNAL-NOT: extern unsigned

// SUMMARY: buffer-merge of linker-script.mlir: 4 allocations merged into 2 pools
// TEXT: buffer-merge report of linker-script.mlir
// TWICE: error: the option 'report' names '{{.*}}.ld' twice
// TWICE-NOT: error:
// FILE: error: cannot write linker script '{{.*}}x.ld'
// FILE-NOT: error:
// PART: error: cannot write one report for several operations: with the option 'report' the pass must run on the top-level operation
// PART-NOT: error:
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 256 : i64} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @g.h(%x: f32, %i: index) {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.store %x, %b[%i] : memref<32xf32>
  return
}
