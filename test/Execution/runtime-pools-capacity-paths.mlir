// RUN: buffer-merge-opt %s --buffer-merge="capacity=default:1024 limit-peak=none" -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s

// A pool may have what paths that are not taken would hold: those of a branch, of a loop
// without iterations, of a callee, and of a buffer that is freed on one path.

// IR-LABEL: func.func @f(
//       IR:   cf.assert %{{.*}}, "f: a pool has more than 1008 bytes, which its capacity leaves"

// CHECK: {{^14$}}
func.func @f(%n: index, %condition: i1, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %early = memref.alloc() : memref<200xi32>
  linalg.fill ins(%seven : i32) outs(%early : memref<200xi32>)
  %v = memref.load %early[%c0] : memref<200xi32>
  scf.if %condition {
    vector.print %v : i32
  } else {
    memref.dealloc %early : memref<200xi32>
  }
  %a = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%seven : i32) outs(%a : memref<?xi32>)
  scf.if %condition {
    func.call @large() : () -> ()
  }
  scf.for %i = %c0 to %count step %c1 {
    func.call @large() : () -> ()
  }
  func.call @maybeLarge(%condition) : (i1) -> ()
  %b = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%seven : i32) outs(%b : memref<?xi32>)
  %x = memref.load %a[%c0] : memref<?xi32>
  %y = memref.load %b[%c0] : memref<?xi32>
  %z = arith.addi %x, %y : i32
  memref.dealloc %a : memref<?xi32>
  memref.dealloc %b : memref<?xi32>
  vector.print %z : i32
  return
}
func.func private @large() {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %a = memref.alloc() : memref<200xi32>
  linalg.fill ins(%seven : i32) outs(%a : memref<200xi32>)
  %x = memref.load %a[%c0] : memref<200xi32>
  memref.dealloc %a : memref<200xi32>
  vector.print %x : i32
  return
}
func.func private @maybeLarge(%condition: i1) {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%seven : i32) outs(%a : memref<4xi32>)
  %x = memref.load %a[%c0] : memref<4xi32>
  scf.if %condition {
    func.call @large() : () -> ()
    vector.print %x : i32
  }
  memref.dealloc %a : memref<4xi32>
  return
}

func.func @main() {
  %n = arith.constant 112 : index
  %false = arith.constant false
  %count = arith.constant 0 : index
  call @f(%n, %false, %count) : (index, i1, index) -> ()
  return
}
