// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive", "name": "net", "alignment": 256, "section": ".bss.sram"}}' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --finalize-memref-to-llvm --place-globals | FileCheck %s --check-prefix=LLVM
// RUN: not buffer-merge-opt %t.mlir --place-globals 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: buffer-merge-opt %s --place-globals | FileCheck %s --check-prefix=NONE
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"name": "net", "linkage": "public"}}' | FileCheck %s --check-prefix=PUBLIC
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive", "linkage": "external"}}' | FileCheck %s --check-prefix=EXTERNAL
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"linkage": "public"}}' 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: buffer-merge-opt %s --buffer-merge=pool=global | FileCheck %s --check-prefix=OTHER
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"section": "a", "address": "0x20000020"}}' 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"section": "a", "address": "0x20000040"}}' -o %t.none

// RUN: not buffer-merge-opt %s --buffer-merge='target={"globals": {"section": "a"}}' 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"alignment": 3}}' 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"section": "a-b"}}' 2>&1 | FileCheck %s --check-prefix=SECTION
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"section": "a", "memory": "a-b"}}' 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"address": "4096"}}' 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"section": "a", "address": "x"}}' 2>&1 | FileCheck %s --check-prefix=NUMBER

// Where the global of pools is, who defines it, and what it is called.

//      CHECK: module attributes {buffer_merge.globals = {net = {alignment = 256 : i64, bytes = 128 : i64, section = ".bss.sram"}}}
//  CHECK-NOT: memref.global
//      CHECK: memref.global "private" @net : memref<128xi8> = uninitialized {alignment = 256 : i64}
//  CHECK-NOT: memref.global "private" @net
//       LLVM: llvm.mlir.global private @net() {addr_space = 0 : i32, alignment = 256 : i64, section = ".bss.sram"}
//      EARLY: error: there is no llvm.mlir.global 'net' to put into section '.bss.sram': run place-globals after finalize-memref-to-llvm
//  EARLY-NOT: error:
//   NONE-NOT: buffer_merge.globals

//  PUBLIC-DAG: memref.global @f_net : memref<128xi8> = uninitialized {alignment = 64 : i64}
//  PUBLIC-DAG: memref.global @g_net : memref<128xi8> = uninitialized {alignment = 64 : i64}
//    EXTERNAL: memref.global @entries_pool : memref<128xi8> {alignment = 64 : i64}
//       TAKEN: error: the global 'f_pool' would have linkage public, but the module has another symbol of that name
//   TAKEN-NOT: error:
//       OTHER: buffer_merge.globals = {f_pool_0 = {alignment = 64 : i64, bytes = 128 : i64}, g_pool = {alignment = 64 : i64, bytes = 128 : i64}}
//   OTHER-DAG: memref.global "private" @f_pool_0
//   OTHER-DAG: memref.global "private" @g_pool
//     ADDRESS: error: the section of the globals begins at an address that is no multiple of the 64 bytes that one of them is aligned to
// ADDRESS-NOT: error:

//      POOL: error: the target describes globals, which need pool=global
// ALIGNMENT: error: target:1:27: alignment 3 is not a power of two
//   SECTION: error: target:1:25: section 'a-b' is not a name of letters, digits and _ . $ ,
//    MEMORY: error: target:1:40: memory 'a-b' is not a name of letters, digits and _ . $ ,
//     NEEDS: error: target:1:13: 'address' and 'memory' need a 'section'
//    NUMBER: error: target:1:41: expected a number such as 65536
func.func @f(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  %y = memref.load %a[%i] : memref<32xf32>
  memref.store %y, %b[%i] : memref<32xf32>
  %z = memref.load %b[%i] : memref<32xf32>
  return %z : f32
}
func.func @g(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %z = memref.load %a[%i] : memref<32xf32>
  return %z : f32
}
func.func private @f_pool()
