// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-lifetimes=report=%t.p.csv -o /dev/null
// RUN: buffer-merge-schedule %t.p.csv --ignore-offsets --scheduler=exact -o %t.q.csv
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.q.csv -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -

// Offsets that another solver found for the pools of two functions at once.

// IR-LABEL: func.func @chain
//       IR:   memref.alloc() {{.*}} : memref<128xi8>
//   IR-NOT:   memref.alloc
func.func @chain(%x: i64, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<8xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.add ins(%a, %a : memref<8xi64>, memref<8xi64>) outs(%b : memref<8xi64>)
  %c = memref.alloc() : memref<8xi64>
  linalg.add ins(%b, %b : memref<8xi64>, memref<8xi64>) outs(%c : memref<8xi64>)
  linalg.add ins(%c, %b : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  return
}

// IR-LABEL: func.func @main
//       IR:   memref.alloc() {{.*}} : memref<128xi8>
//   IR-NOT:   memref.alloc
func.func @main() {
  %one = arith.constant 1 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  call @chain(%one, %a) : (i64, memref<8xi64>) -> ()
  %b = memref.alloc() : memref<8xi64>
  linalg.add ins(%a, %a : memref<8xi64>, memref<8xi64>) outs(%b : memref<8xi64>)
  %c = memref.alloc() : memref<8xi64>
  call @chain(%seven, %c) : (i64, memref<8xi64>) -> ()
  linalg.add ins(%b, %c : memref<8xi64>, memref<8xi64>) outs(%c : memref<8xi64>)
  %any = memref.cast %c : memref<8xi64> to memref<*xi64>
  // 2 * 6 + 42
  // CHECK: [54,  54,  54,  54,  54,  54,  54,  54]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
