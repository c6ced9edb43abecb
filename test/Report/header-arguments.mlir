// RUN: buffer-merge-opt %s --buffer-merge='pool=arena emit-header=%t.h' -o %t.mlir
// RUN: FileCheck %s --check-prefixes=BOTH,ARENA < %t.h
// RUN: buffer-merge-opt %s --buffer-merge='pool=global emit-header=%t.h' -o %t.mlir
// RUN: FileCheck %s --check-prefixes=BOTH,GLOBAL < %t.h

// What the entries are given, and where it is in one memory with the arena: nothing
// overlaps, and everything is aligned. The arena of @f has 200 bytes.

//        BOTH: /* What f is given, and its place in one memory of F_MEMORY_BYTES bytes */
//  ARENA-NEXT: #define F_ARENA_OFFSET 0
//   BOTH-NEXT: #define F_INPUT_0_BYTES 100
//   BOTH-NEXT: #define F_INPUT_0_ALIGNMENT 4
//  ARENA-NEXT: #define F_INPUT_0_OFFSET 200
// GLOBAL-NEXT: #define F_INPUT_0_OFFSET 0
//   BOTH-NEXT: #define F_OUTPUT_2_BYTES 100
//   BOTH-NEXT: #define F_OUTPUT_2_ALIGNMENT 32
//  ARENA-NEXT: #define F_OUTPUT_2_OFFSET 320
// GLOBAL-NEXT: #define F_OUTPUT_2_OFFSET 128
//  ARENA-NEXT: #define F_MEMORY_BYTES 420
// GLOBAL-NEXT: #define F_MEMORY_BYTES 228
//  ARENA-NEXT: #define F_MEMORY_ALIGNMENT 32
// GLOBAL-NEXT: #define F_MEMORY_ALIGNMENT 32
func.func @f(%in: memref<25xf32>, %x: f32, %out: memref<25xf32> {llvm.align = 32 : i64}, %more: memref<?xf32>) {
  %a = memref.alloc() : memref<25xf32>
  linalg.exp ins(%in : memref<25xf32>) outs(%a : memref<25xf32>)
  %b = memref.alloc() : memref<25xf32>
  linalg.exp ins(%a : memref<25xf32>) outs(%b : memref<25xf32>)
  linalg.add ins(%a, %b : memref<25xf32>, memref<25xf32>) outs(%out : memref<25xf32>)
  return
}

// The same name in C; a callee is no entry.

//        BOTH: /* What f.1 is given
//  BOTH-NEXT: #define F_1_OUTPUT_0_BYTES 100
//       BOTH: /* What f_1 is given
//  BOTH-NEXT: #define F_1_1_OUTPUT_0_BYTES 100
//   BOTH-NOT: inner
func.func @f.1(%out: memref<25xf32>) {
  call @inner(%out) : (memref<25xf32>) -> ()
  return
}
func.func @f_1(%out: memref<25xf32>) {
  call @inner(%out) : (memref<25xf32>) -> ()
  return
}
func.func private @inner(%out: memref<25xf32>) {
  %x = arith.constant 1.0 : f32
  linalg.fill ins(%x : f32) outs(%out : memref<25xf32>)
  return
}
