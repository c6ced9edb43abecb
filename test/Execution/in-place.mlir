// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place scheduler=bump" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place scheduler=best-fit" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=in-place | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place scheduler=first-fit" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --cse --canonicalize | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Offsets of another solver, which knows the pairs from the file; a program that is
// not to be merged in place takes none of them.
// RUN: buffer-merge-opt %s --buffer-lifetimes="in-place report=%t.p.csv" -o /dev/null
// RUN: buffer-merge-schedule %t.p.csv --ignore-offsets --pools --scheduler=best-fit -o %t.q.csv
// RUN: buffer-merge-schedule --verify %t.q.csv
// RUN: buffer-merge-opt %s --buffer-merge="in-place offsets=%t.q.csv" -o %t.taken.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.taken.mlir
// RUN: cat %t.taken.mlir | %execute | diff %t.before -
// RUN: not buffer-merge-opt %s --buffer-merge="in-place=false offsets=%t.q.csv" 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: {{.*}}q.csv:2: 'chain/1/%a' has the lifetime

// Guards what makes in-place reuse right: in every function but the first, sharing
// the bytes would overwrite an element that is still to be read.

#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#first = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (i, 0)>

// x, then 2x, 4x and their copy.
//    IR-LABEL: func.func @chain
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @chain(%x: memref<8xi64>, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  linalg.add ins(%x, %x : memref<8xi64>, memref<8xi64>) outs(%a : memref<8xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.add ins(%a, %a : memref<8xi64>, memref<8xi64>) outs(%b : memref<8xi64>)
  %c = memref.alloc() : memref<8xi64>
  memref.copy %b, %c : memref<8xi64> to memref<8xi64>
  linalg.add ins(%c, %x : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  return
}

// Reads element (j, i) to write element (i, j).
//    IR-LABEL: func.func @transposed
//      IR-NOT:   memref.view
//          IR:   return
func.func @transposed(%x: memref<8xi64>, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<2x4xi64>
  %x2x4 = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<8xi64> into memref<2x4xi64>
  memref.copy %x2x4, %a : memref<2x4xi64> to memref<2x4xi64>
  %b = memref.alloc() : memref<4x2xi64>
  linalg.transpose ins(%a : memref<2x4xi64>) outs(%b : memref<4x2xi64>) permutation = [1, 0]
  %b8 = memref.collapse_shape %b [[0, 1]] : memref<4x2xi64> into memref<8xi64>
  memref.copy %b8, %out : memref<8xi64> to memref<8xi64>
  return
}

// Reads the element that it writes, and another one.
//    IR-LABEL: func.func @twice
//      IR-NOT:   memref.view
//          IR:   return
func.func @twice(%x: memref<4x4xi64>, %out: memref<4x4xi64>) {
  %a = memref.alloc() : memref<4x4xi64>
  memref.copy %x, %a : memref<4x4xi64> to memref<4x4xi64>
  %b = memref.alloc() : memref<4x4xi64>
  linalg.generic {indexing_maps = [#id2, #transposed, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : memref<4x4xi64>, memref<4x4xi64>) outs(%b : memref<4x4xi64>) {
    ^bb0(%y: i64, %z: i64, %o: i64):
      %two = arith.constant 2 : i64
      %y2 = arith.muli %y, %two : i64
      %s = arith.addi %y2, %z : i64
      linalg.yield %s : i64
  }
  memref.copy %b, %out : memref<4x4xi64> to memref<4x4xi64>
  return
}

// Elements of 4 bytes become elements of 8.
//    IR-LABEL: func.func @wider
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @wider(%x: memref<8xi64>, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<8xi64>) outs(%a : memref<8xi32>) {
    ^bb0(%y: i64, %o: i32):
      %s = arith.trunci %y : i64 to i32
      linalg.yield %s : i32
  }
  %b = memref.alloc() : memref<8xi64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<8xi32>) outs(%b : memref<8xi64>) {
    ^bb0(%y: i32, %o: i64):
      %s = arith.extsi %y : i32 to i64
      linalg.yield %s : i64
  }
  %c = memref.alloc() : memref<8xi64>
  linalg.add ins(%b, %x : memref<8xi64>, memref<8xi64>) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  return
}

// Writes from byte 8 of its buffer on.
//    IR-LABEL: func.func @shifted
//      IR-NOT:   alignment
//          IR:   return
func.func @shifted(%x: memref<8xi64>, %out: memref<8xi64>) {
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  %b = memref.alloc() : memref<72xi8>
  %part = memref.view %b[%c8][] : memref<72xi8> to memref<8xi64>
  linalg.add ins(%a, %a : memref<8xi64>, memref<8xi64>) outs(%part : memref<8xi64>)
  memref.copy %part, %out : memref<8xi64> to memref<8xi64>
  return
}

// Row i is read by all iterations of j, and would be written by the first one.
//    IR-LABEL: func.func @reduced
//      IR-NOT:   memref.view
//          IR:   return
func.func @reduced(%x: memref<4x4xi64>, %out: memref<4x4xi64>) {
  %a = memref.alloc() : memref<4xi64>
  %row = memref.subview %x[0, 0] [1, 4] [1, 1] : memref<4x4xi64> to memref<4xi64, strided<[1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%row : memref<4xi64, strided<[1]>>) outs(%a : memref<4xi64>) {
    ^bb0(%y: i64, %o: i64):
      linalg.yield %y : i64
  }
  %b = memref.alloc() : memref<4xi64>
  linalg.generic {indexing_maps = [#first, #id2, #first], iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : memref<4xi64>, memref<4x4xi64>) outs(%b : memref<4xi64>) {
    ^bb0(%y: i64, %z: i64, %o: i64):
      %s = arith.addi %y, %z : i64
      linalg.yield %s : i64
  }
  linalg.broadcast ins(%b : memref<4xi64>) outs(%out : memref<4x4xi64>) dimensions = [1]
  return
}

// Rows of another length: element (i, 0) is another one.
//    IR-LABEL: func.func @columns
//      IR-NOT:   memref.view
//          IR:   return
func.func @columns(%x: memref<8xi64>, %w: memref<4x1xi64>, %out: memref<8xi64>) {
  %zero = arith.constant 0 : i64
  %a = memref.alloc() : memref<4x2xi64>
  %x4x2 = memref.expand_shape %x [[0, 1]] output_shape [4, 2] : memref<8xi64> into memref<4x2xi64>
  memref.copy %x4x2, %a : memref<4x2xi64> to memref<4x2xi64>
  %b = memref.alloc() : memref<4x4xi64>
  linalg.generic {indexing_maps = [#column, #id2, #column], iterator_types = ["parallel", "parallel"]}
      ins(%a, %w : memref<4x2xi64>, memref<4x1xi64>) outs(%b : memref<4x4xi64>) {
    ^bb0(%y: i64, %z: i64, %o: i64):
      linalg.yield %y : i64
  }
  %column = memref.subview %b[0, 0] [4, 1] [1, 1] : memref<4x4xi64> to memref<4xi64, strided<[4]>>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  %half = memref.subview %out[0] [4] [1] : memref<8xi64> to memref<4xi64, strided<[1]>>
  memref.copy %column, %half : memref<4xi64, strided<[4]>> to memref<4xi64, strided<[1]>>
  return
}

// One place for all: dimensions of one element, other shapes, and views.
//    IR-LABEL: func.func @shapes
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @shapes(%x: memref<8xi64>, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<1x8x1xi64>
  %x1x8x1 = memref.expand_shape %x [[0, 1, 2]] output_shape [1, 8, 1] : memref<8xi64> into memref<1x8x1xi64>
  linalg.add ins(%x1x8x1, %x1x8x1 : memref<1x8x1xi64>, memref<1x8x1xi64>) outs(%a : memref<1x8x1xi64>)
  // Without them, and in another order.
  %b = memref.alloc() : memref<8x1xi64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<1x8x1xi64>) outs(%b : memref<8x1xi64>) {
    ^bb0(%y: i64, %o: i64):
      %three = arith.constant 3 : i64
      %z = arith.muli %y, %three : i64
      linalg.yield %z : i64
  }
  %c = memref.alloc() : memref<1x8xi64>
  linalg.transpose ins(%b : memref<8x1xi64>) outs(%c : memref<1x8xi64>) permutation = [1, 0]
  // A row of the buffer, by its number.
  %row = memref.subview %c[0, 0] [1, 8] [1, 1] : memref<1x8xi64> to memref<8xi64, strided<[1]>>
  %d = memref.alloc() : memref<2x4xi64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 4 + j)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%row : memref<8xi64, strided<[1]>>) outs(%d : memref<2x4xi64>) {
    ^bb0(%y: i64, %o: i64):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i64
      %z = arith.addi %y, %n : i64
      linalg.yield %z : i64
  }
  %flat = memref.reinterpret_cast %d to offset: [0], sizes: [8], strides: [1] : memref<2x4xi64> to memref<8xi64>
  %e = memref.alloc() : memref<8xi64>
  linalg.add ins(%flat, %x : memref<8xi64>, memref<8xi64>) outs(%e : memref<8xi64>)
  memref.copy %e, %out : memref<8xi64> to memref<8xi64>
  return
}

// Element (i, j) is not the one with the number 2 * i + j, nor 4 * i + j + 1 modulo 8.
//    IR-LABEL: func.func @numbers
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//          IR:   return
func.func @numbers(%x: memref<8xi64>, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  %b = memref.alloc() : memref<2x4xi64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8xi64>) outs(%b : memref<2x4xi64>) {
    ^bb0(%y: i64, %o: i64):
      linalg.yield %y : i64
  }
  %flat = memref.collapse_shape %b [[0, 1]] : memref<2x4xi64> into memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  memref.copy %flat, %c : memref<8xi64> to memref<8xi64>
  linalg.add ins(%flat, %c : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  %d = memref.alloc() : memref<2x4xi64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ((i * 4 + j + 1) mod 8)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<8xi64>) outs(%d : memref<2x4xi64>) {
    ^bb0(%y: i64, %o: i64):
      linalg.yield %y : i64
  }
  %flat2 = memref.collapse_shape %d [[0, 1]] : memref<2x4xi64> into memref<8xi64>
  linalg.add ins(%flat2, %out : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  return
}

// Rows of 3 elements become rows of 4: what is not known about the strides of both may
// be different.
//    IR-LABEL: func.func @strides
//      IR-NOT:   memref.view
//          IR:   return
func.func @strides(%x: memref<8xi64>, %c3: index, %out: memref<8xi64>) {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc() : memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  %rows3 = memref.reinterpret_cast %a to offset: [0], sizes: [%c2, %c3], strides: [%c3, 1]
      : memref<8xi64> to memref<?x?xi64, strided<[?, 1]>>
  %b = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  %any = memref.cast %b : memref<2x4xi64> to memref<?x?xi64>
  %rows4 = memref.subview %any[0, 0] [%c2, %c3] [1, 1] : memref<?x?xi64> to memref<?x?xi64, strided<[?, 1]>>
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%rows3 : memref<?x?xi64, strided<[?, 1]>>) outs(%rows4 : memref<?x?xi64, strided<[?, 1]>>) {
    ^bb0(%y: i64, %o: i64):
      linalg.yield %y : i64
  }
  %out2x4 = memref.expand_shape %out [[0, 1]] output_shape [2, 4] : memref<8xi64> into memref<2x4xi64>
  %part = memref.subview %out2x4[0, 0] [%c2, %c3] [1, 1] : memref<2x4xi64> to memref<?x?xi64, strided<[4, 1]>>
  memref.copy %rows4, %part : memref<?x?xi64, strided<[?, 1]>> to memref<?x?xi64, strided<[4, 1]>>
  return
}

// The next iteration reads it again.
//    IR-LABEL: func.func @again
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//          IR:   return
func.func @again(%x: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  scf.for %i = %c0 to %c3 step %c1 {
    %b = memref.alloc() : memref<8xi64>
    linalg.add ins(%a, %a : memref<8xi64>, memref<8xi64>) outs(%b : memref<8xi64>)
    linalg.add ins(%b, %out : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  }
  return
}

// An earlier iteration has written it.
//    IR-LABEL: func.func @kept
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//          IR:   return
func.func @kept(%x: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = memref.alloc() : memref<8xi64>
  scf.for %i = %c0 to %c3 step %c1 {
    %a = memref.alloc() : memref<8xi64>
    linalg.add ins(%x, %x : memref<8xi64>, memref<8xi64>) outs(%a : memref<8xi64>)
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      linalg.add ins(%a, %x : memref<8xi64>, memref<8xi64>) outs(%b : memref<8xi64>)
    }
    linalg.add ins(%b, %out : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  }
  return
}

// Writes element 7 - i as well.
//    IR-LABEL: func.func @captured
//      IR-NOT:   memref.view
//          IR:   return
func.func @captured(%x: memref<8xi64>, %out: memref<8xi64>) {
  %c7 = arith.constant 7 : index
  %a = memref.alloc() : memref<8xi64>
  memref.copy %x, %a : memref<8xi64> to memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<8xi64>) outs(%b : memref<8xi64>) {
    ^bb0(%y: i64, %o: i64):
      %i = linalg.index 0 : index
      %j = arith.subi %c7, %i : index
      memref.store %y, %b[%j] : memref<8xi64>
      linalg.yield %y : i64
  }
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  return
}

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : i64
  %x = memref.alloca() : memref<8xi64>
  %x4x4 = memref.alloca() : memref<4x4xi64>
  %out = memref.alloca() : memref<8xi64>
  %out4x4 = memref.alloca() : memref<4x4xi64>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<8xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %v = arith.index_cast %i : index to i64
      linalg.yield %v : i64
  }
  linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%x4x4 : memref<4x4xi64>) {
    ^bb0(%o: i64):
      %c10 = arith.constant 10 : index
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %i10 = arith.muli %i, %c10 : index
      %ij = arith.addi %i10, %j : index
      %v = arith.index_cast %ij : index to i64
      linalg.yield %v : i64
  }
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  %any4x4 = memref.cast %out4x4 : memref<4x4xi64> to memref<*xi64>

  // CHECK: [0,  5,  10,  15,  20,  25,  30,  35]
  call @chain(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  4,  1,  5,  2,  6,  3,  7]
  call @transposed(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // 2 * ij + ji
  // CHECK:      [0,   12,   24,   36],
  // CHECK-NEXT: [21,   33,   45,   57],
  // CHECK-NEXT: [42,   54,   66,   78],
  // CHECK-NEXT: [63,   75,   87,   99]
  call @twice(%x4x4, %out4x4) : (memref<4x4xi64>, memref<4x4xi64>) -> ()
  call @printMemrefI64(%any4x4) : (memref<*xi64>) -> ()
  // CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
  call @wider(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
  call @shifted(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // The last of each row, i + 10i + 3.
  // CHECK:      [3,   3,   3,   3],
  // CHECK-NEXT: [14,   14,   14,   14],
  // CHECK-NEXT: [25,   25,   25,   25],
  // CHECK-NEXT: [36,   36,   36,   36]
  call @reduced(%x4x4, %out4x4) : (memref<4x4xi64>, memref<4x4xi64>) -> ()
  call @printMemrefI64(%any4x4) : (memref<*xi64>) -> ()
  // CHECK: [0,  2,  4,  6,  0,  0,  0,  0]
  %w = memref.subview %x4x4[0, 0] [4, 1] [1, 1] : memref<4x4xi64> to memref<4x1xi64, strided<[4, 1]>>
  %column = memref.alloca() : memref<4x1xi64>
  memref.copy %w, %column : memref<4x1xi64, strided<[4, 1]>> to memref<4x1xi64>
  call @columns(%x, %column, %out) : (memref<8xi64>, memref<4x1xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // 6x + x, and 1 more in the second half.
  // CHECK: [0,  7,  14,  21,  29,  36,  43,  50]
  call @shapes(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  4,  7,  8,  7,  10,  13,  10]
  call @numbers(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  1,  2,  0,  3,  4,  5,  0]
  %c3 = arith.constant 3 : index
  call @strides(%x, %c3, %out) : (memref<8xi64>, index, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  6,  12,  18,  24,  30,  36,  42]
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @again(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  9,  18,  27,  36,  45,  54,  63]
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @kept(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [7,  6,  5,  4,  4,  5,  6,  7]
  call @captured(%x, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
