// DEFINE: %{define} = sed -e '/func.func private @start_dma/d' -e '/func.func private @wait_dma/r %S/Inputs/dma.mlir' -e '/func.func private @wait_dma/d'
// RUN: %{define} %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=calls=escape -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %{define} %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='calls=escape scheduler=bump' | %{define} | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='calls=escape scheduler=best-fit' | %{define} | %execute | diff %t.before -

// The analysis sees declarations of functions. When the program runs, the first one
// remembers the address of the memref and the second one reads what is there: until it
// has done so, no other buffer may have these bytes.

// IR-LABEL: func.func @main
//       IR: memref.alloc() {{.*}} : memref<80xi8>
//   IR-NOT: memref.alloc
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func private @start_dma(memref<4xi32>)
func.func private @wait_dma()

func.func @main() {
  %c5 = arith.constant 5 : i32
  %c9 = arith.constant 9 : i32
  %a = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
  linalg.fill ins(%c5 : i32) outs(%a : memref<4xi32>)
  call @start_dma(%a) {buffer_merge.until = "dma"} : (memref<4xi32>) -> ()
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
  linalg.fill ins(%c9 : i32) outs(%b : memref<4xi32>)
  // CHECK: [5, 5, 5, 5]
  call @wait_dma() {buffer_merge.wait = "dma"} : () -> ()
  %c = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
  linalg.add ins(%b, %b : memref<4xi32>, memref<4xi32>) outs(%c : memref<4xi32>)
  // CHECK: [18, 18, 18, 18]
  %cast = memref.cast %c : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%cast) {buffer_merge.no_capture} : (memref<*xi32>) -> ()
  return
}
