// RUN: sed 's/_size_for(index, index) -> index$/_size_for(%%p: index, %%q: index) -> index { return %%p : index }/; s/_size_for(index, index, index, index) -> index$/_size_for(%%p: index, %%q: index, %%r: index, %%s: index) -> index { return %%p : index }/' %s > %t.given
// RUN: buffer-merge-opt %t.given | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=pool=arena -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="pool=arena limit-peak=none in-place=false" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="pool=arena limit-peak=deallocated alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="pool=arena limit-peak=none scheduler=bump" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge=pool=arena | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --inline --canonicalize --cse | %execute | diff %t.before -

// An arena of run-time size: with as many bytes as the query returns for the sizes of
// the arguments, for whatever sizes, no two buffers that are alive together share
// bytes, and nothing is written behind them.

// IR-LABEL: func.func @layer(
//       IR:   cf.assert %{{.*}}, "layer: the arena must have layer_arena_size_for(..) bytes"
//   IR-NOT:   memref.alloc
//       IR:   return
func.func @layer(%x: memref<?x?xi64>, %arena: memref<?xi8> {buffer_merge.arena}, %out: memref<?x?xi64>) {
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
  %c = memref.alloc(%m, %n) {alignment = 128 : i64} : memref<?x?xi64>
  linalg.fill ins(%t : i64) outs(%c : memref<?x?xi64>)
  %narrow = memref.subview %columns[%n] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1], offset: ?>>
  linalg.broadcast ins(%narrow : memref<?xi64, strided<[1], offset: ?>>) outs(%out : memref<?x?xi64>) dimensions = [0]
  linalg.add ins(%out, %c : memref<?x?xi64>, memref<?x?xi64>) outs(%out : memref<?x?xi64>)
  return
}

// One dynamic buffer is in the arena as well, behind what callees have of it; what is
// in a loop, and known there, is allocated.

//     IR-LABEL: func.func @line(
//       IR-NOT:   memref.alloc
//           IR:   scf.for
//  IR-COUNT-1:     memref.alloc
//       IR-NOT:   memref.alloc
//           IR:   return
func.func @line(%n: index, %out: memref<?xi64>, %arena: memref<?xi8> {buffer_merge.arena}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %a = memref.alloc(%n) : memref<?xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<?xi64>)
  %sum = call @callee(%one) : (i64) -> i64
  scf.for %i = %c0 to %n step %c1 {
    %size = arith.addi %i, %c1 : index
    %b = memref.alloc(%size) : memref<?xi64>
    linalg.fill ins(%sum : i64) outs(%b : memref<?xi64>)
    %d = memref.alloc(%size) : memref<?xi64>
    linalg.add ins(%b, %b : memref<?xi64>, memref<?xi64>) outs(%d : memref<?xi64>)
    %v = memref.load %a[%i] : memref<?xi64>
    %w = memref.load %d[%i] : memref<?xi64>
    %vw = arith.addi %v, %w : i64
    memref.store %vw, %out[%i] : memref<?xi64>
  }
  return
}
func.func private @callee(%x: i64) -> i64 {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<9xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<9xi64>)
  %b = memref.alloc() : memref<9xi64>
  linalg.add ins(%a, %a : memref<9xi64>, memref<9xi64>) outs(%b : memref<9xi64>)
  %v = memref.load %b[%c3] : memref<9xi64>
  return %v : i64
}

// IR-LABEL: func.func private @layer_arena_size_for(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) -> index {
//   IR-NOT:   memref
//       IR:   return
func.func private @layer_arena_size_for(index, index, index, index) -> index
func.func private @line_arena_size_for(index, index) -> index

// Memory of `bytes` for an arena, between guards.
func.func private @guard(%bytes: index) -> memref<?xi8> {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %mark = arith.constant 90 : i8
  %more = arith.addi %bytes, %c256 : index
  %memory = memref.alloc(%more) {alignment = 128 : i64} : memref<?xi8>
  linalg.fill ins(%mark : i8) outs(%memory : memref<?xi8>)
  return %memory : memref<?xi8>
}
func.func private @check(%memory: memref<?xi8>, %bytes: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %mark = arith.constant 90 : i8
  scf.for %i = %c0 to %c128 step %c1 {
    %behind = arith.addi %bytes, %c128 : index
    %at = arith.addi %behind, %i : index
    %front = memref.load %memory[%i] : memref<?xi8>
    %back = memref.load %memory[%at] : memref<?xi8>
    %isFront = arith.cmpi eq, %front, %mark : i8
    %isBack = arith.cmpi eq, %back, %mark : i8
    cf.assert %isFront, "written in front of the arena"
    cf.assert %isBack, "written behind the arena"
  }
  return
}

func.func @show(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
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
  %bytes = call @layer_arena_size_for(%m, %n, %m, %n) : (index, index, index, index) -> index
  %memory = call @guard(%bytes) : (index) -> memref<?xi8>
  %arena = memref.view %memory[%c128][%bytes] : memref<?xi8> to memref<?xi8>
  call @layer(%x, %arena, %out) : (memref<?x?xi64>, memref<?xi8>, memref<?x?xi64>) -> ()
  call @check(%memory, %bytes) : (memref<?xi8>, index) -> ()
  %line = memref.alloc(%m) : memref<?xi64>
  %bytesOfLine = call @line_arena_size_for(%m, %m) : (index, index) -> index
  %memoryOfLine = call @guard(%bytesOfLine) : (index) -> memref<?xi8>
  %arenaOfLine = memref.view %memoryOfLine[%c128][%bytesOfLine] : memref<?xi8> to memref<?xi8>
  call @line(%m, %line, %arenaOfLine) : (index, memref<?xi64>, memref<?xi8>) -> ()
  call @check(%memoryOfLine, %bytesOfLine) : (memref<?xi8>, index) -> ()
  %isAny = arith.cmpi ne, %m, %c0 : index
  scf.if %isAny {
    %cast = memref.cast %out : memref<?x?xi64> to memref<*xi64>
    func.call @printMemrefI64(%cast) : (memref<*xi64>) -> ()
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
