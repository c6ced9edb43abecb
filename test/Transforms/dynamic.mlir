// RUN: buffer-merge-opt %s --buffer-merge=dynamic=bounded | FileCheck %s --check-prefixes=CHECK,BOUNDED
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=bounded --buffer-merge=dynamic=bounded | FileCheck %s --check-prefixes=CHECK,BOUNDED
// RUN: buffer-merge-opt %s -o %t.same
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=none | diff %t.same -
// RUN: buffer-merge-opt %s --buffer-lifetimes=dynamic=bounded -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: buffer-merge-opt %s --buffer-lifetimes='dynamic=bounded target={"dynamic": {"waste": 192}}' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WASTE
// RUN: not buffer-merge-opt %s --buffer-merge='target={"dynamic": {"waste": -1}}' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not buffer-merge-opt %s --buffer-merge=dynamic=sometimes 2>&1 | FileCheck %s --check-prefix=SOMETIMES

// NEGATIVE: error: target:1:23: waste -1 is not in 0 to
// NEGATIVE-NOT: error
// SOMETIMES: there is no value 'sometimes'; the nearest is '{{[a-z-]+}}'

#atMost16 = affine_map<(i) -> (16, i)>
#between4And16 = affine_map<(i) -> (i mod 13 + 4)>

//===----------------------------------------------------------------------===//
// Upper bounds
//===----------------------------------------------------------------------===//

// CHECK-LABEL:  func.func @bounded(
// BOUNDED:        %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// BOUNDED:        %[[N:.*]] = affine.min
// BOUNDED:        memref.view %[[POOL]][%{{.*}}][%[[N]]] : memref<256xi8> to memref<?x4xf32>
// BOUNDED:        memref.view %[[POOL]][%{{.*}}][%[[N]]] : memref<256xi8> to memref<?x4xf32>
// BOUNDED-NOT:    memref.alloc
// CHECK:          return
// REMARK-DAG:         :[[#@LINE+6]]:8: remark: lifetime [{{.*}}), 256 bytes
// REMARK-DAG:         :[[#@LINE+8]]:8: remark: lifetime [{{.*}}), 256 bytes
// WASTE-DAG:          :[[#@LINE+4]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
// WASTE-DAG:          :[[#@LINE+6]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
func.func @bounded(%k: index, %x: f32, %out: memref<?x4xf32>) {
  %n = affine.min #atMost16(%k)
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  memref.copy %a, %out : memref<?x4xf32> to memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?x4xf32>)
  memref.copy %b, %out : memref<?x4xf32> to memref<?x4xf32>
  return
}

// 4 to 16 rows of 16 bytes: 192 bytes may be wasted, no more.
// CHECK-LABEL:  func.func @lower_bound(
// BOUNDED:        memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// REMARK-DAG:         :[[#@LINE+4]]:8: remark: lifetime [{{.*}}), 256 bytes
// WASTE-DAG:          :[[#@LINE+3]]:8: remark: lifetime [{{.*}}), 256 bytes
func.func @lower_bound(%k: index, %x: f32, %out: memref<?x4xf32>) {
  %n = affine.apply #between4And16(%k)
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  memref.copy %a, %out : memref<?x4xf32> to memref<?x4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  %any = memref.cast %b : memref<4xf32> to memref<*xf32>
  call @use(%any) : (memref<*xf32>) -> ()
  return
}
func.func private @use(memref<*xf32>)

// The number of iterations is a bound, too; two dynamic sizes; a static partner.
// CHECK-LABEL:  func.func @in_loop(
// BOUNDED:        memref.alloc() {alignment = 64 : i64} : memref<900xi8>
// BOUNDED:        scf.for %[[I:.*]] =
// BOUNDED:          memref.view %{{.*}}[%{{.*}}][%[[I]], %[[I]]] : memref<900xi8> to memref<?x?xf32>
// CHECK:          return
func.func @in_loop(%x: f32, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %a = memref.alloc(%i, %i) : memref<?x?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?x?xf32>)
    memref.copy %a, %out : memref<?x?xf32> to memref<?x?xf32>
  }
  %b = memref.alloc() : memref<100xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<100xf32>)
  %any = memref.cast %b : memref<100xf32> to memref<*xf32>
  call @use(%any) : (memref<*xf32>) -> ()
  return
}

// Bounds that no pool can have: too many bytes; a number of elements that does not
// fit 64 bits; below 0; elements that have no bytes.
// These are in a pool of run-time size, apart from what stays with any policy.
// CHECK-LABEL:  func.func @no_bound(
// CHECK-NOT:      memref<{{[0-9]+}}xi8>
// CHECK:          memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT:      memref<{{[0-9]+}}xi8>
// CHECK:          return
func.func @no_bound(%k: index, %x: f32) {
  %big = affine.min affine_map<(i) -> (4611686018427387904, i)>(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
  %a = memref.alloc(%big) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  %bigger = affine.apply affine_map<(i) -> (i * 4)>(%big)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
  %b = memref.alloc(%bigger) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  %negative = affine.min affine_map<(i) -> (-1, i)>(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
  %c = memref.alloc(%negative) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<?xf32>)
  %none = affine.min affine_map<(i) -> (0, i)>(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
  %d = memref.alloc(%none) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?xf32>)
  %ok = affine.min #atMost16(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: layout
  %e = memref.alloc(%ok) : memref<?xf32, affine_map<(i) -> (2 * i)>>
  linalg.fill ins(%x : f32) outs(%e : memref<?xf32, affine_map<(i) -> (2 * i)>>)
  // No constraint at all.
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: lifetime [{{.*}}), in a pool of run-time size
  %f = memref.alloc(%k) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%f : memref<?xf32>)
  return
}

// A bound that does not fit 64 bits, which would be 3 without what does not fit.
// CHECK-LABEL:  func.func @too_large_for_64_bits(
// CHECK:          memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK:          return
func.func @too_large_for_64_bits(%k: index, %x: f32) {
  %big = affine.min affine_map<(i) -> (4611686018427387904, i)>(%k)
  %n = affine.apply affine_map<(i) -> (i * 4 + 3)>(%big)
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  %ok = affine.min #atMost16(%k)
  %b = memref.alloc(%ok) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  return
}
