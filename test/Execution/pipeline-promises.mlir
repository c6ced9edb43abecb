// DEFINE: %{define} = sed -e '/func.func private @start_dma/d' -e '/func.func private @wait_dma/r %S/Inputs/dma.mlir' -e '/func.func private @wait_dma/d'
// RUN: %{define} %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge-pipeline -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %{define} %t.mlir | %execute | diff %t.before -

// What a call promises to be done with later is not freed right after the call, so that
// the next allocation would get its bytes.

// CHECK: [5, 5, 5, 5]

// IR-LABEL: func.func @main(
//       IR:   call @start_dma
//   IR-NOT:   memref.dealloc
//       IR:   call @wait_dma
//       IR:   memref.dealloc
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func private @start_dma(memref<4xi32>)
func.func private @wait_dma()

func.func @main() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : i32
  %c9 = arith.constant 9 : i32
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%c5 : i32) outs(%a : memref<4xi32>)
  call @start_dma(%a) {buffer_merge.until = "dma"} : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%c9 : i32) outs(%b : memref<4xi32>)
  %x = memref.load %b[%c0] : memref<4xi32>
  vector.print %x : i32
  call @wait_dma() {buffer_merge.wait = "dma"} : () -> ()
  return
}
