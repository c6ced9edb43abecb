// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=pool=global -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge=pool=global | diff %t.mlir -
// RUN: buffer-merge-opt %t.mlir --inline --canonicalize --cse | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge=pool=global | %execute | diff %t.before -

// One global for all: @leaf needs two buffers, @middle one around its calls, and
// @main one around @middle and one that is dead when it calls. The calls in the
// loop find what the iteration before has left.

//     IR-NOT: memref.alloc
//         IR: memref.global "private" @main_pool : memref<256xi8>
//   IR-LABEL: func.func @main(
//     IR-NOT:   memref.alloc
//         IR: return

// %out = 3 %x
func.func private @leaf(%x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

// %out += 3 %x + 3 (%x + 1)
func.func private @middle(%x: i32, %out: memref<16xi32>) {
  %one = arith.constant 1 : i32
  %a = memref.alloc() : memref<16xi32>
  func.call @leaf(%x, %a) : (i32, memref<16xi32>) -> ()
  linalg.add ins(%a, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  %y = arith.addi %x, %one : i32
  %b = memref.alloc() : memref<16xi32>
  func.call @leaf(%y, %b) : (i32, memref<16xi32>) -> ()
  linalg.add ins(%b, %out : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %sum = memref.alloc() : memref<16xi32>
  linalg.fill ins(%one : i32) outs(%sum : memref<16xi32>)
  scf.for %i = %c0 to %c3 step %c1 {
    %early = memref.alloc() : memref<16xi32>
    linalg.add ins(%sum, %sum : memref<16xi32>, memref<16xi32>) outs(%early : memref<16xi32>)
    %x = memref.load %early[%c0] : memref<16xi32>
    func.call @middle(%x, %sum) : (i32, memref<16xi32>) -> ()
  }
  %any = memref.cast %sum : memref<16xi32> to memref<*xi32>
  // Each iteration: s becomes s + 3 * 2 s + 3 * (2 s + 1) = 13 s + 3.
  // CHECK: [2746,  2746,{{.*}}  2746]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
