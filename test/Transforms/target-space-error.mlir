// A memory space of a target that nothing has, and almost has a memory without a
// region, is misspelt. A target may have other memories, which a program does not use,
// with names that differ in the first letter, the last one or a number.
//
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"falsh","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not buffer-merge-opt %s --buffer-lifetimes='target={"regions":[{"name":"r","space":"falsh","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"flsh","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"flesh","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"FLASH","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"flash2","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefixes=BANK,CHECK
// RUN: buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"flash","bytes":4096},{"name":"s","space":"flasks","bytes":4096}]}' 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"dram","bytes":4096}]}' 2>&1 | FileCheck %s

// RUN: buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"slash","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefixes=WARNING,CHECK
// RUN: buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"r","space":"slafh","bytes":4096}]}' 2>&1 | FileCheck %s --check-prefixes=ANAGRAM,CHECK

//   ANAGRAM: warning: no type has the memory space 'slafh' of the target
//   WARNING: warning: no type has the memory space 'slash' of the target; the nearest that occurs without a region is 'flash'
//      BANK: warning: no type has the memory space 'flash2' of the target
// ERROR: error: no type has the memory space '{{falsh|flsh|FLASH|flesh}}' of the target; the nearest that occurs without a region is 'flash'
// CHECK-NOT: error:
// CHECK: func.func @f

func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32, "flash">
  memref.store %x, %a[%i] : memref<64xf32, "flash">
  %b = memref.alloc() : memref<64xf32, "flash">
  memref.store %x, %b[%i] : memref<64xf32, "flash">
  return
}
