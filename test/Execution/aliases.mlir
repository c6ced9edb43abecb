// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=bump erase-copies=false" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=best-fit erase-copies=false" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit limit-peak=none erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the aliases, one kind in each function: %a is filled with 7, read through
// the alias behind the use of %b and %c, and must still be 7. %b and %c share.

//   IR-LABEL: func.func @subview(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @subview(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = memref.subview %a[1, 1] [1, 3] [1, 1] : memref<2x4xi64> to memref<1x3xi64, strided<[4, 1], offset: 5>>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<1x3xi64, strided<[4, 1], offset: 5>>
  return %r : i64
}

//   IR-LABEL: func.func @transpose(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @transpose(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = memref.transpose %a (i, j) -> (j, i) : memref<2x4xi64> to memref<4x2xi64, strided<[1, 4]>>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c2, %c0] : memref<4x2xi64, strided<[1, 4]>>
  return %r : i64
}

//   IR-LABEL: func.func @cast(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @cast(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %u = memref.cast %a : memref<2x4xi64> to memref<*xi64>
  %v = memref.cast %u : memref<*xi64> to memref<?x4xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<?x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @collapse_expand(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @collapse_expand(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %u = memref.collapse_shape %a [[0, 1]] : memref<2x4xi64> into memref<8xi64>
  %v = memref.expand_shape %u [[0, 1]] output_shape [4, 2] : memref<8xi64> into memref<4x2xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c2, %c0] : memref<4x2xi64>
  return %r : i64
}

//   IR-LABEL: func.func @reinterpret_cast(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @reinterpret_cast(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = memref.reinterpret_cast %a to offset: [1], sizes: [3], strides: [2]
      : memref<2x4xi64> to memref<3xi64, strided<[2], offset: 1>>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c2] : memref<3xi64, strided<[2], offset: 1>>
  return %r : i64
}

//   IR-LABEL: func.func @metadata(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @metadata(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v, %o, %s:2, %t:2 = memref.extract_strided_metadata %a
      : memref<2x4xi64> -> memref<i64>, index, index, index, index, index
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[] : memref<i64>
  return %r : i64
}

//   IR-LABEL: func.func @assume_alignment(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @assume_alignment(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = memref.assume_alignment %a, 16 : memref<2x4xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<2x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @select(
//         IR:   memref.alloc() {{.*}} : memref<192xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @select(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %other = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%two : i64) outs(%other : memref<2x4xi64>)
  %v = arith.select %true, %a, %other : memref<2x4xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<2x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @if(
//         IR:   memref.alloc() {{.*}} : memref<192xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @if(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = scf.if %true -> memref<2x4xi64> {
    scf.yield %a : memref<2x4xi64>
  } else {
    %other = memref.alloc() : memref<2x4xi64>
    linalg.fill ins(%two : i64) outs(%other : memref<2x4xi64>)
    scf.yield %other : memref<2x4xi64>
  }
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<2x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @for(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @for(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = scf.for %i = %c0 to %c2 step %c2 iter_args(%p = %a) -> memref<2x4xi64> {
    scf.yield %p : memref<2x4xi64>
  }
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<2x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @execute_region(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @execute_region(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = scf.execute_region -> memref<2x4xi64> {
    cf.br ^bb1(%a : memref<2x4xi64>)
  ^bb1(%p: memref<2x4xi64>):
    scf.yield %p : memref<2x4xi64>
  }
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<2x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @call(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @call(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %v = call @same(%a) : (memref<2x4xi64>) -> memref<2x4xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = memref.load %v[%c0, %c2] : memref<2x4xi64>
  return %r : i64
}

//   IR-LABEL: func.func @call_access(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @call_access(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %r = call @first(%a) : (memref<2x4xi64>) -> i64
  return %r : i64
}

//   IR-LABEL: func.func @capture(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @capture(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<2x4xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%out : memref<8xi64>) {
  ^bb0(%o: i64):
    %y = memref.load %a[%c0, %c2] : memref<2x4xi64>
    linalg.yield %y : i64
  }
  %r = memref.load %out[%c2] : memref<8xi64>
  return %r : i64
}

//   IR-LABEL: func.func @own_shape(
//         IR:   memref.alloc() {{.*}} : memref<128xi8>
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @own_shape(%true: i1, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<1xindex>
  memref.store %c7, %a[%c0] : memref<1xindex>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %v = memref.reshape %a(%a) : (memref<1xindex>, memref<1xindex>) -> memref<?xindex>
  %d = memref.dim %v, %c0 : memref<?xindex>
  %r = arith.index_cast %d : index to i64
  return %r : i64
}

func.func @same(%m: memref<2x4xi64>) -> memref<2x4xi64> {
  return %m : memref<2x4xi64>
}
func.func @first(%m: memref<2x4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0, %c0] : memref<2x4xi64>
  return %x : i64
}

func.func @main() {
  %true = arith.constant true
  %out = memref.alloc() : memref<8xi64>
  // CHECK-COUNT-15: 7
  %r0 = call @subview(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r0 : i64
  %r1 = call @transpose(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r1 : i64
  %r2 = call @cast(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r2 : i64
  %r3 = call @collapse_expand(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r3 : i64
  %r4 = call @reinterpret_cast(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r4 : i64
  %r5 = call @metadata(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r5 : i64
  %r6 = call @assume_alignment(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r6 : i64
  %r7 = call @select(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r7 : i64
  %r8 = call @if(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r8 : i64
  %r9 = call @for(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r9 : i64
  %r10 = call @execute_region(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r10 : i64
  %r11 = call @call(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r11 : i64
  %r12 = call @call_access(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r12 : i64
  %r13 = call @capture(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r13 : i64
  %r14 = call @own_shape(%true, %out) : (i1, memref<8xi64>) -> i64
  vector.print %r14 : i64
  return
}
