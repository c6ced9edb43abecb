// RUN: buffer-merge-opt %s --buffer-merge="in-place=false pool=arena" -o %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s
// RUN: sed 's/%bytes = arith.constant 128/%bytes = arith.constant 127/' %s | buffer-merge-opt --buffer-merge="in-place=false pool=arena" | %abort | FileCheck %s --check-prefix=BYTES
// RUN: sed 's/%offset = arith.constant 0/%offset = arith.constant 32/' %s | buffer-merge-opt --buffer-merge="in-place=false pool=arena" | %abort | FileCheck %s --check-prefix=ALIGNMENT
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=arena target={"arenas": {"checks": false}}' -o %t.unchecked
// RUN: FileCheck %s --check-prefix=UNCHECKED < %t.unchecked
// RUN: cat %t.unchecked | %execute | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false pool=arena" --convert-linalg-to-loops --convert-scf-to-cf --convert-cf-to-llvm | FileCheck %s --check-prefix=LINKS
// RUN: buffer-merge-opt %t.unchecked --convert-linalg-to-loops --convert-scf-to-cf --convert-cf-to-llvm | FileCheck %s --check-prefix=UNLINKED

// UNCHECKED-NOT: cf.assert

// What the checks need of a C library, and programs without them do not.

// LINKS-DAG: llvm.func @abort()
// LINKS-DAG: llvm.func @puts(
// UNLINKED-NOT: @abort
// UNLINKED-NOT: @puts
//     UNLINKED: func.func @f(
// UNLINKED-NOT: @abort
// UNLINKED-NOT: @puts

// What the caller provides is checked at run time, if it is not known earlier: one
// byte too few, or half of the alignment.

// BYTES-NOT: [
//     BYTES: f: the arena must have 128 bytes
// BYTES-NOT: [
// ALIGNMENT-NOT: [
//     ALIGNMENT: f: the arena must be aligned to 64 bytes
// ALIGNMENT-NOT: [
func.func @f(%x: i32, %out: memref<16xi32>, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  %c = memref.alloc() : memref<16xi32>
  linalg.add ins(%b, %b : memref<16xi32>, memref<16xi32>) outs(%c : memref<16xi32>)
  memref.copy %c, %out : memref<16xi32> to memref<16xi32>
  return
}

func.func @main() {
  %one = arith.constant 1 : i32
  %all = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %bytes = arith.constant 128 : index
  %offset = arith.constant 0 : index
  %arena = memref.view %all[%offset][%bytes] : memref<256xi8> to memref<?xi8>
  %out = memref.alloc() : memref<16xi32>
  %any = memref.cast %out : memref<16xi32> to memref<*xi32>
  func.call @f(%one, %out, %arena) : (i32, memref<16xi32>, memref<?xi8>) -> ()
  // CHECK: [4,  4,{{.*}}  4]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
