// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=alignment=4096 | FileCheck %s --check-prefix=ALL

// Each buffer of a pool takes a multiple of its alignment: small ones are not in one
// pool with a page, whose multiples they would take.

// CHECK-LABEL: func.func @page(
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 4096 : i64} : memref<?xi8>
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return

// ALL-LABEL: func.func @page(
//       ALL:   memref.alloc(%{{.*}}) {alignment = 4096 : i64} : memref<?xi8>
//   ALL-NOT:   memref.alloc
//       ALL:   return
func.func @page(%n: index, %x: i8) {
  %page = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%page : memref<?xi8>)
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  %c = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%c : memref<?xi8>)
  call @use(%page, %a, %b, %c) : (memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi8>) -> ()
  memref.dealloc %page : memref<?xi8>
  memref.dealloc %a : memref<?xi8>
  memref.dealloc %b : memref<?xi8>
  memref.dealloc %c : memref<?xi8>
  return
}
func.func private @use(memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi8>)

// Nor if nothing is freed, where all bytes are held in the end.
// CHECK-LABEL: func.func @left(
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 4096 : i64} : memref<?xi8>
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   return
func.func @left(%n: index, %x: i8) {
  %page = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%page : memref<?xi8>)
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  %c = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%c : memref<?xi8>)
  call @use(%page, %a, %b, %c) : (memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi8>) -> ()
  return
}

// What asks for as much is in one pool.
// CHECK-LABEL: func.func @pages(
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 4096 : i64} : memref<?xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @pages(%n: index, %x: i8) {
  %a = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  memref.dealloc %a : memref<?xi8>
  %b = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  memref.dealloc %b : memref<?xi8>
  return
}

// A pool of both pages would be held beside two small ones: 4224 bytes, where %n is
// 64. The three that are there later take 192, and not three pages.
// CHECK-LABEL: func.func @beside(
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 4096 : i64} : memref<?xi8>
//       CHECK:   memref.dealloc
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 4096 : i64} : memref<?xi8>
//       CHECK:   return
func.func @beside(%n: index, %x: i8) {
  %first = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%first : memref<?xi8>)
  memref.dealloc %first : memref<?xi8>
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  call @use(%a, %b, %a, %b) : (memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi8>) -> ()
  memref.dealloc %a : memref<?xi8>
  memref.dealloc %b : memref<?xi8>
  %second = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%second : memref<?xi8>)
  memref.dealloc %second : memref<?xi8>
  %c = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%c : memref<?xi8>)
  %d = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%d : memref<?xi8>)
  %e = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%e : memref<?xi8>)
  call @use(%c, %d, %e, %e) : (memref<?xi8>, memref<?xi8>, memref<?xi8>, memref<?xi8>) -> ()
  memref.dealloc %c : memref<?xi8>
  memref.dealloc %d : memref<?xi8>
  memref.dealloc %e : memref<?xi8>
  return
}
