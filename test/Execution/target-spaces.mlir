// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge='target=%S/Inputs/target-spaces.json' -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='target=%S/Inputs/target-spaces.json scheduler=best-fit in-place' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='target=%S/Inputs/target-spaces.json reuse=as-needed' | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge='target=%S/Inputs/target-spaces.json' | %execute | diff %t.before -

// Buffers of two memory spaces share bytes of either, and are read after others were
// written.

//         IR: memref.global "private" @main_tcm_pool : memref<192xi8, 1>
//         IR: memref.alloc() {{.*}}name = "ddr"{{.*}} : memref<{{[0-9]+}}xi8>
// IR-COUNT-4: to memref<16xi32, 1>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : i32
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%one : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32, 1>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32, 1>)
  %c = memref.alloc() : memref<16xi32>
  scf.for %i = %c0 to %c16 step %c1 {
    %x = memref.load %a[%i] : memref<16xi32>
    %y = memref.load %b[%i] : memref<16xi32, 1>
    %sum = arith.addi %x, %y : i32
    memref.store %sum, %c[%i] : memref<16xi32>
  }
  %d = memref.alloc() : memref<16xi32>
  memref.copy %c, %d : memref<16xi32> to memref<16xi32>
  %e = memref.alloc() : memref<16xi32>
  linalg.mul ins(%d, %c : memref<16xi32>, memref<16xi32>) outs(%e : memref<16xi32>)
  %f = memref.alloc() : memref<16xi32, 1>
  linalg.add ins(%e, %b : memref<16xi32>, memref<16xi32, 1>) outs(%f : memref<16xi32, 1>)
  %v = vector.load %f[%c0] : memref<16xi32, 1>, vector<8xi32>
  vector.store %v, %e[%c0] : memref<16xi32>, vector<8xi32>
  memref.dealloc %a : memref<16xi32>
  %g = memref.alloc() : memref<16xi32>
  linalg.add ins(%e, %d : memref<16xi32>, memref<16xi32>) outs(%g : memref<16xi32>)

  // 3 * 3 = 9, + 2 = 11 in the first half; + 3
  // CHECK-COUNT-8: 14
  // CHECK-COUNT-8: 12
  %cast = memref.cast %g : memref<16xi32> to memref<*xi32>
  call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
  return
}
