// RUN: buffer-merge-opt %s --buffer-merge="pool=arena erase-copies=false" -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s

// The bytes that an arena needs are a constant: one that the module declares, and
// one that others may refer to.

// IR: memref.global "private" constant @f_arena_bytes : memref<i64> = dense<128>
memref.global "private" @f_arena_bytes : memref<i64>

// IR-LABEL: func.func @f(
func.func @f(%x: i32, %out: memref<16xi32>, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// IR-LABEL: func.func @g(
//       IR: func.func @g_arena_alignment()
//       IR: memref.global constant @g_arena_bytes : memref<i64> = dense<64>
func.func @g(%x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  memref.copy %a, %out : memref<16xi32> to memref<16xi32>
  return
}

func.func @main() {
  %one = arith.constant 1 : i32
  %constant = memref.get_global @f_arena_bytes : memref<i64>
  %i64 = memref.load %constant[] : memref<i64>
  %bytes = arith.index_cast %i64 : i64 to index
  %arena = memref.alloc(%bytes) {alignment = 64 : i64} : memref<?xi8>
  %out = memref.alloc() : memref<16xi32>
  %any = memref.cast %out : memref<16xi32> to memref<*xi32>
  func.call @f(%one, %out, %arena) : (i32, memref<16xi32>, memref<?xi8>) -> ()
  // CHECK: [3,  3,{{.*}}  3]
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
