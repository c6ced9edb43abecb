// RUN: sed 's/_arena_size() -> index$/_arena_size() -> index { %%z = arith.constant 0 : index return %%z : index }/' %s > %t.alone
// RUN: buffer-merge-opt %t.alone | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=pool=arena -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-deallocation-pipeline --convert-bufferization-to-memref -o %t.freed
// RUN: FileCheck %s --check-prefix=FREED < %t.freed
// RUN: cat %t.freed | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge=pool=arena -o %t.after
// RUN: FileCheck %s --check-prefix=IR < %t.after
// RUN: FileCheck %s --check-prefix=FREED < %t.after
// RUN: cat %t.after | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --inline --canonicalize --cse | %execute | diff %t.before -

// One arena that the module asks for the size of, and that functions called in
// sequence share: nobody else allocates.

//   IR-LABEL: func.func private @fill(
//     IR-NOT:   memref.alloc
//   IR-LABEL: func.func private @sum(
//     IR-NOT:   memref.alloc
//   IR-LABEL: func.func @first(
//     IR-NOT:   memref.alloc
//   IR-LABEL: func.func @second(
//     IR-NOT:   memref.alloc
//   IR-LABEL: func.func @main(
//         IR:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>

// FREED-LABEL: func.func @first(
//   FREED-NOT:   memref.dealloc
// FREED-LABEL: func.func @second(
//   FREED-NOT:   memref.dealloc
// FREED-LABEL: func.func @main(
//       FREED:   memref.dealloc %{{.*}} : memref<?xi8>

// Uses all of its pool.
func.func private @fill(%x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  %c = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%c : memref<16xi32>)
  linalg.add ins(%b, %c : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// Its own buffers are in use around the calls, and those of the callee are in use
// at the same time.
func.func private @sum(%x: i32, %out: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  scf.for %i = %c0 to %c3 step %c1 {
    func.call @fill(%x, %b) : (i32, memref<16xi32>) -> ()
    linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%a : memref<16xi32>)
  }
  %c = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%c : memref<16xi32>)
  linalg.add ins(%c, %c : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// 1 + 3 * 5 = 16, four times; the argument is in front.
func.func @first(%arena: memref<?xi8> {buffer_merge.arena}, %x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  func.call @sum(%x, %a) : (i32, memref<16xi32>) -> ()
  %b = memref.alloc() : memref<16xi32>
  func.call @sum(%x, %b) : (i32, memref<16xi32>) -> ()
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

func.func @second(%x: i32, %out: memref<16xi32>, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() {alignment = 32 : i64} : memref<16xi32>
  func.call @fill(%x, %a) : (i32, memref<16xi32>) -> ()
  %b = memref.alloc() : memref<16xi32>
  func.call @first(%arena, %x, %b) : (memref<?xi8>, i32, memref<16xi32>) -> ()
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// Defined by the pass.
func.func private @first_arena_size() -> index
func.func private @second_arena_size() -> index

func.func @main() {
  %one = arith.constant 1 : i32
  %bytesFirst = func.call @first_arena_size() : () -> index
  %bytesSecond = func.call @second_arena_size() : () -> index
  %bytes = arith.maxui %bytesFirst, %bytesSecond : index
  %arena = memref.alloc(%bytes) {alignment = 64 : i64} : memref<?xi8>
  %out = memref.alloc() : memref<16xi32>
  %any = memref.cast %out : memref<16xi32> to memref<*xi32>
  func.call @first(%arena, %one, %out) : (memref<?xi8>, i32, memref<16xi32>) -> ()
  // CHECK: [128,  128,{{.*}}  128]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  func.call @second(%one, %out, %arena) : (i32, memref<16xi32>, memref<?xi8>) -> ()
  // CHECK: [133,  133,{{.*}}  133]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
