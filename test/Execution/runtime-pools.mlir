// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=runtime -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime limit-peak=none" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime limit-peak=none scheduler=first-fit alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime limit-peak=none scheduler=bump" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime limit-peak=deallocated" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=dynamic=runtime | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge=limit-peak=deallocated | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=runtime --buffer-deallocation-pipeline --canonicalize --cse | %execute | diff %t.before -

// Guards pools of run-time size: for no sizes, 0 among them, buffers that are alive
// together share bytes, and none is outside of the pool.

// Rows and columns vary by themselves, and what is of static size beside them.
// IR-LABEL: func.func @layer
//       IR:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   IR-NOT:   memref.alloc
//       IR:   return
func.func @layer(%x: memref<?x?xi64>, %out: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i64
  %m = memref.dim %x, %c0 : memref<?x?xi64>
  %n = memref.dim %x, %c1 : memref<?x?xi64>
  %wide = arith.muli %n, %c3 : index
  %a = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.add ins(%x, %x : memref<?x?xi64>, memref<?x?xi64>) outs(%a : memref<?x?xi64>)
  %rows = memref.alloc(%m) : memref<?xi64>
  linalg.fill ins(%seven : i64) outs(%rows : memref<?xi64>)
  linalg.reduce ins(%a : memref<?x?xi64>) outs(%rows : memref<?xi64>) dimensions = [1]
    (%in: i64, %init: i64) {
      %sum = arith.addi %in, %init : i64
      linalg.yield %sum : i64
    }
  %table = memref.alloc() : memref<5xi64>
  linalg.fill ins(%seven : i64) outs(%table : memref<5xi64>)
  %b = memref.alloc(%m, %wide) : memref<?x?xi64>
  linalg.fill ins(%seven : i64) outs(%b : memref<?x?xi64>)
  %part = memref.subview %b[0, %n] [%m, %n] [1, 1] : memref<?x?xi64> to memref<?x?xi64, strided<[?, 1], offset: ?>>
  %all = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.broadcast ins(%rows : memref<?xi64>) outs(%all : memref<?x?xi64>) dimensions = [1]
  linalg.add ins(%a, %all : memref<?x?xi64>, memref<?x?xi64>) outs(%part : memref<?x?xi64, strided<[?, 1], offset: ?>>)
  %columns = memref.alloc(%wide) : memref<?xi64>
  linalg.fill ins(%seven : i64) outs(%columns : memref<?xi64>)
  linalg.reduce ins(%b : memref<?x?xi64>) outs(%columns : memref<?xi64>) dimensions = [0]
    (%in: i64, %init: i64) {
      %sum = arith.addi %in, %init : i64
      linalg.yield %sum : i64
    }
  %t = memref.load %table[%c3] : memref<5xi64>
  %c = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.fill ins(%t : i64) outs(%c : memref<?x?xi64>)
  %narrow = memref.subview %columns[%n] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1], offset: ?>>
  linalg.broadcast ins(%narrow : memref<?xi64, strided<[1], offset: ?>>) outs(%out : memref<?x?xi64>) dimensions = [0]
  linalg.add ins(%out, %c : memref<?x?xi64>, memref<?x?xi64>) outs(%out : memref<?x?xi64>)
  return
}

// A pool for each iteration, of another size each time.
// IR-LABEL: func.func @loop
//       IR:   scf.for
//       IR:     memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   IR-NOT:     memref.alloc(
//       IR:   return
func.func @loop(%n: index, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %size = arith.addi %i, %c1 : index
    %v = arith.index_cast %i : index to i64
    %a = memref.alloc(%size) : memref<?xi64>
    linalg.fill ins(%v : i64) outs(%a : memref<?xi64>)
    %b = memref.alloc(%size) : memref<?xi64>
    linalg.add ins(%a, %a : memref<?xi64>, memref<?xi64>) outs(%b : memref<?xi64>)
    %c = memref.alloc(%i) : memref<?x2xi64>
    linalg.fill ins(%v : i64) outs(%c : memref<?x2xi64>)
    %w = memref.load %b[%i] : memref<?xi64>
    memref.store %w, %out[%i] : memref<?xi64>
  }
  return
}

// What works by element is in place, of other types as well; a transposition is not.
// IR-LABEL: func.func @chain
//       IR:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   IR-NOT:   memref.alloc
//       IR:   return
func.func @chain(%x: memref<?x?xi64>, %out: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %m = memref.dim %x, %c0 : memref<?x?xi64>
  %n = memref.dim %x, %c1 : memref<?x?xi64>
  %a = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.add ins(%x, %x : memref<?x?xi64>, memref<?x?xi64>) outs(%a : memref<?x?xi64>)
  %t = memref.alloc(%n, %m) : memref<?x?xi64>
  linalg.transpose ins(%a : memref<?x?xi64>) outs(%t : memref<?x?xi64>) permutation = [1, 0]
  %b = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.transpose ins(%t : memref<?x?xi64>) outs(%b : memref<?x?xi64>) permutation = [1, 0]
  %c = memref.alloc(%m, %n) : memref<?x?xf64>
  linalg.map ins(%b : memref<?x?xi64>) outs(%c : memref<?x?xf64>)
    (%in: i64, %init: f64) {
      %f = arith.sitofp %in : i64 to f64
      linalg.yield %f : f64
    }
  %d = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.map ins(%c : memref<?x?xf64>) outs(%d : memref<?x?xi64>)
    (%in: f64, %init: i64) {
      %i = arith.fptosi %in : f64 to i64
      linalg.yield %i : i64
    }
  %e = memref.alloc(%m, %n) : memref<?x?xi64>
  linalg.add ins(%d, %x : memref<?x?xi64>, memref<?x?xi64>) outs(%e : memref<?x?xi64>)
  %g = memref.alloc(%m, %n) : memref<?x?xi64>
  memref.copy %e, %g : memref<?x?xi64> to memref<?x?xi64>
  %wide = arith.addi %n, %c1 : index
  %h = memref.alloc(%m, %wide) : memref<?x?xi64>
  linalg.fill ins(%three : i64) outs(%h : memref<?x?xi64>)
  %part = memref.subview %h[0, 1] [%m, %n] [1, 1] : memref<?x?xi64> to memref<?x?xi64, strided<[?, 1], offset: 1>>
  linalg.add ins(%g, %part : memref<?x?xi64>, memref<?x?xi64, strided<[?, 1], offset: 1>>) outs(%out : memref<?x?xi64>)
  return
}

func.func @show(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc(%m, %n) : memref<?x?xi64>
  %out = memref.alloc(%m, %n) : memref<?x?xi64>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = arith.addi %i, %j : index
      %product = arith.muli %sum, %sum : index
      %v = arith.index_cast %product : index to i64
      memref.store %v, %x[%i, %j] : memref<?x?xi64>
    }
  }
  call @layer(%x, %out) : (memref<?x?xi64>, memref<?x?xi64>) -> ()
  %line = memref.alloc(%m) : memref<?xi64>
  call @loop(%m, %line) : (index, memref<?xi64>) -> ()
  %last = memref.alloc(%m, %n) : memref<?x?xi64>
  call @chain(%x, %last) : (memref<?x?xi64>, memref<?x?xi64>) -> ()
  %isAny = arith.cmpi ne, %m, %c0 : index
  scf.if %isAny {
    %cast = memref.cast %out : memref<?x?xi64> to memref<*xi64>
    func.call @printMemrefI64(%cast) : (memref<*xi64>) -> ()
    %lastCast = memref.cast %last : memref<?x?xi64> to memref<*xi64>
    func.call @printMemrefI64(%lastCast) : (memref<*xi64>) -> ()
    %lineCast = memref.cast %line : memref<?xi64> to memref<*xi64>
    func.call @printMemrefI64(%lineCast) : (memref<*xi64>) -> ()
  }
  return
}

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

// CHECK: sizes = [1, 1]
// CHECK: sizes = [3, 2]
// CHECK: sizes = [2, 9]
// CHECK: sizes = [17, 1]
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %c17 = arith.constant 17 : index
  call @show(%c1, %c1) : (index, index) -> ()
  call @show(%c3, %c2) : (index, index) -> ()
  call @show(%c2, %c9) : (index, index) -> ()
  call @show(%c17, %c1) : (index, index) -> ()
  call @show(%c0, %c4) : (index, index) -> ()
  return
}
