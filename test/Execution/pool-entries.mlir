// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}}' -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}}' | diff %t.mlir -
// RUN: buffer-merge-opt %t.mlir --inline --canonicalize --cse | %execute | diff %t.before -

// All functions but one are called from outside of the module, and share a global.
// What calls @double keeps its own buffers behind the 64 bytes of that one,
// whether it calls it itself or through @private.

// IR-COUNT-1: memref.global "private" @entries_pool : memref<192xi8>
//     IR-NOT: @entries_pool_0
//     IR-NOT: memref.alloc

// %out = 2 %x
func.func @double(%x: memref<16xi32>, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.add ins(%x, %x : memref<16xi32>, memref<16xi32>) outs(%a : memref<16xi32>)
  memref.copy %a, %out : memref<16xi32> to memref<16xi32>
  return
}

// %out = 2 %x + 2 %x
func.func private @private(%x: memref<16xi32>, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.add ins(%x, %x : memref<16xi32>, memref<16xi32>) outs(%a : memref<16xi32>)
  func.call @double(%x, %out) : (memref<16xi32>, memref<16xi32>) -> ()
  linalg.add ins(%a, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// %out = %x + 2 %x
func.func @triple(%x: memref<16xi32>, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  memref.copy %x, %a : memref<16xi32> to memref<16xi32>
  func.call @double(%a, %out) : (memref<16xi32>, memref<16xi32>) -> ()
  linalg.add ins(%a, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// %out = %x + 4 %x
func.func @quintuple(%x: memref<16xi32>, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  memref.copy %x, %a : memref<16xi32> to memref<16xi32>
  func.call @private(%a, %out) : (memref<16xi32>, memref<16xi32>) -> ()
  linalg.add ins(%a, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

memref.global "private" constant @one : memref<16xi32> = dense<1>
memref.global "private" @result : memref<16xi32> = uninitialized
func.func @main() {
  %one = memref.get_global @one : memref<16xi32>
  %out = memref.get_global @result : memref<16xi32>
  %any = memref.cast %out : memref<16xi32> to memref<*xi32>
  func.call @triple(%one, %out) : (memref<16xi32>, memref<16xi32>) -> ()
  // CHECK: [3,  3,{{.*}}  3]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  func.call @quintuple(%one, %out) : (memref<16xi32>, memref<16xi32>) -> ()
  // CHECK: [5,  5,{{.*}}  5]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
