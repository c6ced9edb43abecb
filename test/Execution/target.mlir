// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false target=%S/Inputs/target.json" -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false target=%S/Inputs/target.json scheduler=bump' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false target=%S/Inputs/target.json scheduler=best-fit in-place' | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge="in-place=false target=%S/Inputs/target.json" | %execute | diff %t.before -

// Buffers in four pools of one function and in those of its callee: a global, the
// stack, and two allocations. Each is read after others were written.

//     IR: memref.global "private" @callee_tcm_pool
//     IR: memref.get_global @callee_tcm_pool
//     IR: memref.global "private" @main_tcm_pool
//     IR: memref.get_global @main_tcm_pool
// IR-DAG: memref.alloca() {{.*}}name = "stack"
// IR-DAG: memref.alloc() {{.*}}name = "sram"
// IR-DAG: memref.alloc() {{.*}}name = "dram"
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

func.func private @callee(%x: i32, %out: memref<16xi32>) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

func.func @main() {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%c1 : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  %c = memref.alloc() : memref<16xi32>
  func.call @callee(%c7, %c) : (i32, memref<16xi32>) -> ()
  %d = memref.alloc() : memref<16xi32>
  linalg.add ins(%c, %b : memref<16xi32>, memref<16xi32>) outs(%d : memref<16xi32>)
  %e = memref.alloc() : memref<16xi32>
  linalg.add ins(%d, %a : memref<16xi32>, memref<16xi32>) outs(%e : memref<16xi32>)
  %f = memref.alloc() : memref<16xi32>
  linalg.mul ins(%e, %c : memref<16xi32>, memref<16xi32>) outs(%f : memref<16xi32>)
  %g = memref.alloc() : memref<16xi32>
  linalg.add ins(%f, %b : memref<16xi32>, memref<16xi32>) outs(%g : memref<16xi32>)

  // 21 + 2 = 23, + 1 = 24, * 21 = 504, + 2 = 506
  // CHECK-COUNT-16: 506
  %cast = memref.cast %g : memref<16xi32> to memref<*xi32>
  call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
  return
}
