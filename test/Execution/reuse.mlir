// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false capacity=default:320 alignment=16 reuse=as-needed' -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false capacity=default:256 alignment=16 reuse=as-needed scheduler=best-fit' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false capacity=default:320 alignment=16 reuse=as-needed in-place' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false target=%S/Inputs/banks.json reuse=as-needed' -o %t.banks.mlir
// RUN: FileCheck %s --check-prefix=BANKS < %t.banks.mlir
// RUN: cat %t.banks.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false target=%S/Inputs/banks.json' | %execute | diff %t.before -

// Six buffers of 64 bytes, three of which are alive at once: they move within what the
// capacity leaves, but what is alive stays apart.

//    IR: memref.alloc() {{.*}} : memref<320xi8>
// BANKS: memref.alloc() {{.*}} : memref<320xi8>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%c1 : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.fill ins(%c2 : i32) outs(%b : memref<16xi32>)
  %sum = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%sum : memref<16xi32>)
  %c = memref.alloc() : memref<16xi32>
  linalg.fill ins(%c3 : i32) outs(%c : memref<16xi32>)
  %d = memref.alloc() : memref<16xi32>
  linalg.mul ins(%c, %c : memref<16xi32>, memref<16xi32>) outs(%d : memref<16xi32>)
  %e = memref.alloc() : memref<16xi32>
  linalg.add ins(%d, %sum : memref<16xi32>, memref<16xi32>) outs(%e : memref<16xi32>)
  linalg.add ins(%e, %c : memref<16xi32>, memref<16xi32>) outs(%d : memref<16xi32>)

  // 9 + 3 + 3
  // CHECK-COUNT-16: 15
  %cast = memref.cast %d : memref<16xi32> to memref<*xi32>
  call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
  return
}
