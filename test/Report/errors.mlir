// Whatever is wrong with a report is one error; the IR is not printed, and what
// was there before stays.

// RUN: rm -rf %t && mkdir %t && echo old > %t/old.txt

// RUN: not buffer-merge-opt %s --buffer-merge=report=%t/map.doc -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=EXTENSION
// RUN: not buffer-merge-opt %s --buffer-lifetimes=report=%t/map 2>&1 | FileCheck %s --check-prefix=EXTENSION
// EXTENSION: error: cannot tell the format of report '{{.*}}map{{.*}}', expected the extension .csv, .html, .json, .ld, .md or .txt, or - for text{{(; the nearest is '.csv')?$}}
// EXTENSION-NOT: error:
// RUN: not buffer-merge-opt %s --buffer-merge=report=%t/map.trace.json -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: error: cannot write report '{{.*}}map.trace.json': write plan.json, and then buffer-merge-report plan.json -o {{.*}}map.trace.json{{$}}

// RUN: not buffer-merge-opt %s --buffer-merge=emit-header=%t/map.json -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=HEADER
// HEADER: error: emit-header writes a header for C to '{{.*}}map.json', whose extension is that of a report
// HEADER-NOT: error:

// RUN: not buffer-merge-opt %s --buffer-merge=report=%t/none/map.txt -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: errors.mlir:{{.*}}: error: cannot write report '{{.*}}none/map.txt': No such file or directory
// FOLDER-NOT: error:

// RUN: mkdir %t/folder.txt
// RUN: not buffer-merge-opt %s --buffer-merge=report=%t/folder.txt -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=IS-FOLDER
// IS-FOLDER: error: cannot write report '{{.*}}folder.txt': Is a directory

// A full disk.
// RUN: ln -s /dev/full %t/full.txt
// RUN: not buffer-merge-opt %s --buffer-merge=report=%t/full.txt -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write report '{{.*}}full.txt': No space left on device

// On functions one by one, each would replace the report on the one before.
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{report=%t/old.txt}))' -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-lifetimes{report=%t/old.txt}))' -o %t/ir.mlir 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: cannot write one report for several operations: with the option 'report' the pass must run on the top-level operation
// NESTED-NOT: error:

// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=OLD < %t/old.txt
// FILES:      folder.txt
// FILES-NEXT: full.txt
// FILES-NEXT: old.txt
// FILES-NOT:  {{.}}
// OLD: old

// A file is replaced as a whole; a link to it stays a link.
// RUN: ln -s old.txt %t/link.txt
// RUN: buffer-merge-opt %s --buffer-merge=report=%t/link.txt -o %t/ir.mlir
// RUN: test -h %t/link.txt
// RUN: FileCheck %s --check-prefix=NEW < %t/old.txt
// NEW: buffer-merge report of errors.mlir

func.func @f(%x: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return
}
func.func @g(%x: f32) {
  return
}
func.func @h(%x: f32) {
  return
}
func.func @i(%x: f32) {
  return
}
