// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}}' > %t.plain
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}}' --remarks-filter=buffer-merge > %t.noted 2>&1
// RUN: FileCheck %s < %t.plain
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}} in-place' | diff %t.plain -
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}} dynamic=bounded' | diff %t.plain -
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}} pool=stack' --remarks-filter=buffer-merge 2>&1 | diff %t.noted -
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}} pool=arena' --remarks-filter=buffer-merge 2>&1 | diff %t.noted -
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"]}} pool=global' --remarks-filter=buffer-merge 2>&1 | diff %t.noted -
// RUN: buffer-merge-opt %s -o %t.same
// RUN: buffer-merge-opt %s --rotate-carried-buffers | diff %t.same -

// Options that are about the memory of one thread: none of them changes anything in
// workgroup memory. Where it comes from is no choice that a remark would explain.

#atMost64 = affine_map<(i) -> (64, i)>

// in-place: a thread would write over what another one has not read yet.
// CHECK-LABEL: func.func @in_place(
//       CHECK:   memref.alloc() {alignment = 16 : i64} : memref<512xi8, 3>
func.func @in_place(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32, 3>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32, 3>)
  gpu.barrier
  %b = memref.alloc() : memref<64xf32, 3>
  linalg.exp ins(%a : memref<64xf32, 3>) outs(%b : memref<64xf32, 3>)
  gpu.barrier
  %c = memref.alloc() : memref<64xf32, 3>
  linalg.exp ins(%b : memref<64xf32, 3>) outs(%c : memref<64xf32, 3>)
  gpu.barrier
  memref.copy %c, %out : memref<64xf32, 3> to memref<64xf32>
  gpu.barrier
  return
}

// dynamic=bounded: workgroup memory is a static variable.
// CHECK-LABEL: func.func @bounded(
//       CHECK:   %[[N:.*]] = affine.min
//       CHECK:   memref.alloc(%[[N]]) : memref<?xf32, 3>
//       CHECK:   memref.alloc(%[[N]]) : memref<?xf32, 3>
func.func @bounded(%k: index, %x: f32) {
  %n = affine.min #atMost64(%k)
  %a = memref.alloc(%n) : memref<?xf32, 3>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32, 3>)
  gpu.barrier
  %b = memref.alloc(%n) : memref<?xf32, 3>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32, 3>)
  gpu.barrier
  return
}

// pool: the memory of a workgroup is that of its kernel, whoever calls it. With
// deallocations the pool is not freed.
// CHECK-LABEL: func.func @pool(
//  CHECK-SAME:     %{{[^:]*}}: f32, %{{[^:]*}}: index) {
//  CHECK-NEXT:   memref.alloc() {alignment = 16 : i64} : memref<256xi8, 3>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @pool(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  gpu.barrier
  %b = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %b[%i] : memref<64xf32, 3>
  gpu.barrier
  memref.dealloc %a : memref<64xf32, 3>
  memref.dealloc %b : memref<64xf32, 3>
  return
}

// The same in a launch.
// CHECK-LABEL: func.func @launch(
//       CHECK:   gpu.launch
//  CHECK-NEXT:     memref.alloc() {alignment = 16 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @launch(%x: f32, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %p = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %p[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %q = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %q[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Rotation: threads that are an iteration behind would still read the slot.
// CHECK-LABEL: func.func @carried(
//       CHECK:   scf.for
//       CHECK:     memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
func.func @carried(%init: !wg, %x: f32, %n: index, %s: index) {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> !wg {
    %a = memref.alloc() : !wg
    %v = memref.load %old[%i] : !wg
    memref.store %v, %a[%i] : !wg
    scf.yield %a : !wg
  }
  memref.store %x, %r[%n] : !wg
  return
}
