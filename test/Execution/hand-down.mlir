// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=hand-down -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='hand-down scheduler=first-fit' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='hand-down limit-peak=none' | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-deallocation-pipeline --convert-bufferization-to-memref -o %t.freed
// RUN: FileCheck %s --check-prefix=FREED < %t.freed
// RUN: cat %t.freed | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge=hand-down -o %t.after
// RUN: FileCheck %s --check-prefix=IR < %t.after
// RUN: FileCheck %s --check-prefix=FREED < %t.after
// RUN: cat %t.after | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --inline --canonicalize --cse | %execute | diff %t.before -

// @leaf needs two buffers, @sum one around its calls of it. @first has one around
// @sum and two that are idle when it calls. @power calls itself: each of its
// executions has bytes of its own.

//   IR-LABEL: func.func private @leaf(
//     IR-NOT:   memref.alloc
//   IR-LABEL: func.func private @sum(
//     IR-NOT:   memref.alloc
//   IR-LABEL: func.func private @power(
//         IR:   memref.alloc
//   IR-LABEL: func.func @first(
//         IR:   memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// FREED-LABEL: func.func private @leaf(
//   FREED-NOT:   memref.dealloc
// FREED-LABEL: func.func private @sum(
//   FREED-NOT:   memref.dealloc
// FREED-LABEL: func.func private @power(
// FREED-LABEL: func.func @first(
//       FREED:   memref.dealloc %{{.*}} : memref<256xi8>

// %out = 3 %x
func.func private @leaf(%x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// %out = 3 * 3 %x + %x
func.func private @sum(%x: i32, %out: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %own = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%own : memref<16xi32>)
  scf.for %i = %c0 to %c3 step %c1 {
    func.call @leaf(%x, %out) : (i32, memref<16xi32>) -> ()
    linalg.add ins(%own, %out : memref<16xi32>, memref<16xi32>) outs(%own : memref<16xi32>)
  }
  memref.copy %own, %out : memref<16xi32> to memref<16xi32>
  return
}

// %out = %n + (%n - 1) + ... + 1, each kept while the others are computed.
func.func private @power(%n: i32, %out: memref<16xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  linalg.fill ins(%zero : i32) outs(%out : memref<16xi32>)
  %own = memref.alloc() : memref<16xi32>
  linalg.fill ins(%n : i32) outs(%own : memref<16xi32>)
  %other = memref.alloc() : memref<16xi32>
  %more = arith.cmpi ne, %n, %zero : i32
  scf.if %more {
    linalg.add ins(%own, %own : memref<16xi32>, memref<16xi32>) outs(%other : memref<16xi32>)
    %less = arith.subi %n, %one : i32
    func.call @power(%less, %out) : (i32, memref<16xi32>) -> ()
    linalg.sub ins(%other, %own : memref<16xi32>, memref<16xi32>) outs(%other : memref<16xi32>)
    linalg.add ins(%other, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  }
  return
}

func.func @first(%out: memref<16xi32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %kept = memref.alloc() : memref<16xi32>
  linalg.fill ins(%c1 : i32) outs(%kept : memref<16xi32>)
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%c2 : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%kept : memref<16xi32>)
  call @sum(%c2, %out) : (i32, memref<16xi32>) -> ()
  linalg.add ins(%kept, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

func.func @main() {
  %c4 = arith.constant 4 : i32
  %out = memref.alloc() : memref<16xi32>
  %any = memref.cast %out : memref<16xi32> to memref<*xi32>
  call @first(%out) : (memref<16xi32>) -> ()
  // 3 * 6 + 2, and 6.
  // CHECK: [26,  26,{{.*}}  26]
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  call @power(%c4, %out) : (i32, memref<16xi32>) -> ()
  // CHECK: [10,  10,{{.*}}  10]
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
