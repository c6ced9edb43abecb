// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=target=%S/Inputs/target.json -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='target=%S/Inputs/target.json scheduler=best-fit in-place' | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge=target=%S/Inputs/target.json | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='target=%S/Inputs/target.json pool=global' | %execute | diff %t.before -

// Buffers that ask for a place: a region that costs more, a byte of one, the bytes of
// another buffer, none of its bytes. A call of a function outside of the module is
// promised to keep nothing.

// IR: memref.view {{.*}} {buffer_merge.address = 536871040 : i64, buffer_merge.name = "a"}
// IR: memref.view {{.*}} {buffer_merge.address = 536871040 : i64}
// IR: memref.alloc() {{.*}}name = "dram"
// IR: linalg.mul
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

func.func private @callee(%x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() {buffer_merge.name = "a", buffer_merge.region = "tcm", buffer_merge.offset = 128} : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  %b = memref.alloc() {buffer_merge.together = "a"} : memref<16xi32>
  linalg.add ins(%out, %out : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%b, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

func.func @main() {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %a = memref.alloc() {buffer_merge.region = "dram"} : memref<16xi32>
  linalg.fill ins(%c1 : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() {buffer_merge.name = "b"} : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  %c = memref.alloc() : memref<16xi32>
  func.call @callee(%c7, %c) : (i32, memref<16xi32>) -> ()
  %d = memref.alloc() {buffer_merge.region = "dram", buffer_merge.offset = 256} : memref<16xi32>
  linalg.add ins(%c, %b : memref<16xi32>, memref<16xi32>) outs(%d : memref<16xi32>)
  %e = memref.alloc() {buffer_merge.apart = "b"} : memref<16xi32>
  linalg.mul ins(%d, %a : memref<16xi32>, memref<16xi32>) outs(%e : memref<16xi32>)

  // (28 + 14 + 2) * 1 = 44
  // CHECK-COUNT-16: 44
  %cast = memref.cast %e : memref<16xi32> to memref<*xi32>
  call @printMemrefI32(%cast) {buffer_merge.no_capture} : (memref<*xi32>) -> ()
  return
}
