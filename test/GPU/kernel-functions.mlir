// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"kernelFunctions": true}}' --check-workgroup-races='target={"workgroup": {"kernelFunctions": true}}' \
// RUN:   | FileCheck %s --check-prefix=ALL

// Functions as kernels, as flows compile them that do not use gpu.func. One that is
// marked with gpu.kernel is launched once, and with kernelFunctions all are.

!t128 = memref<128xf32, #gpu.address_space<workgroup>>
!t32 = memref<32xf32, #gpu.address_space<workgroup>>
!t64 = memref<64x4xf32, #gpu.address_space<workgroup>>
!v = vector<4xf32>

// Six tiles, one after the other.
// CHECK-LABEL: func.func @sequence(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8
// CHECK-COUNT-5: gpu.barrier
//   CHECK-NOT:   gpu.barrier
//       CHECK:   return
func.func @sequence(%in: memref<128xf32>, %out: memref<128xf32>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = memref.alloc() : !t128
  %b = memref.alloc() : !t128
  %c = memref.alloc() : !t128
  %d = memref.alloc() : !t128
  %e = memref.alloc() : !t128
  %f = memref.alloc() : !t128
  %x = vector.transfer_read %in[%c0], %pad : memref<128xf32>, !v
  vector.transfer_write %x, %a[%c0] : !v, !t128
  %xa = vector.transfer_read %a[%c0], %pad : !t128, !v
  vector.transfer_write %xa, %b[%c0] : !v, !t128
  %xb = vector.transfer_read %b[%c0], %pad : !t128, !v
  vector.transfer_write %xb, %c[%c0] : !v, !t128
  %xc = vector.transfer_read %c[%c0], %pad : !t128, !v
  vector.transfer_write %xc, %d[%c0] : !v, !t128
  %xd = vector.transfer_read %d[%c0], %pad : !t128, !v
  vector.transfer_write %xd, %e[%c0] : !v, !t128
  %xe = vector.transfer_read %e[%c0], %pad : !t128, !v
  vector.transfer_write %xe, %f[%c0] : !v, !t128
  %xf = vector.transfer_read %f[%c0], %pad : !t128, !v
  vector.transfer_write %xf, %out[%c0] : !v, memref<128xf32>
  return
}

// Three tiles in use at once, and a small one after them.
// CHECK-LABEL: func.func @together(
//       CHECK:   memref.alloc() {{.*}} : memref<1536xi8
//       CHECK:   gpu.barrier
//       CHECK:   return
func.func @together(%in: memref<128xf32>, %out: memref<128xf32>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = memref.alloc() : !t128
  %b = memref.alloc() : !t128
  %c = memref.alloc() : !t128
  %d = memref.alloc() : !t32
  %x = vector.transfer_read %in[%c0], %pad : memref<128xf32>, !v
  vector.transfer_write %x, %a[%c0] : !v, !t128
  vector.transfer_write %x, %b[%c0] : !v, !t128
  vector.transfer_write %x, %c[%c0] : !v, !t128
  %xa = vector.transfer_read %a[%c0], %pad : !t128, !v
  %xb = vector.transfer_read %b[%c0], %pad : !t128, !v
  %xc = vector.transfer_read %c[%c0], %pad : !t128, !v
  vector.transfer_write %xc, %d[%c0] : !v, !t32
  %xd = vector.transfer_read %d[%c0], %pad : !t32, !v
  vector.transfer_write %xa, %out[%c0] : !v, memref<128xf32>
  vector.transfer_write %xb, %out[%c0] : !v, memref<128xf32>
  vector.transfer_write %xd, %out[%c0] : !v, memref<128xf32>
  return
}

// A large one, and a small one behind a loop.
// CHECK-LABEL: func.func @loop(
//       CHECK:   memref.alloc() {{.*}} : memref<1024xi8
//       CHECK:   }
//       CHECK:   gpu.barrier
//       CHECK:   return
func.func @loop(%in: memref<128xf32>, %out: memref<128xf32>, %n: index) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %a = memref.alloc() : !t64
  %b = memref.alloc() : !t32
  %x = vector.transfer_read %in[%c0], %pad : memref<128xf32>, !v
  scf.for %i = %c0 to %n step %c1 {
    %old = vector.transfer_read %a[%i, %c0], %pad : !t64, !v
    vector.transfer_write %old, %a[%c0, %c0] : !v, !t64
  }
  vector.transfer_write %x, %b[%c0] : !v, !t32
  %xb = vector.transfer_read %b[%c0], %pad : !t32, !v
  vector.transfer_write %xb, %out[%c0] : !v, memref<128xf32>
  return
}

// Without the mark, it may be called again, with other arguments: the first barrier separates %b
// of one call from %a of the next. All threads call it together, since it has a thread id and
// memory that they share.
// CHECK-LABEL: func.func @unmarked(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8
//       CHECK:   scf.if
//  CHECK-NEXT:     gpu.barrier
//  CHECK-NEXT:     memref.store
//  CHECK-NEXT:     gpu.barrier
//   CHECK-NOT:   gpu.barrier
//       CHECK:   return
// ALL-LABEL: func.func @unmarked(
//       ALL:   memref.alloc() {{.*}} : memref<512xi8
//       ALL:   scf.if
//       ALL:   gpu.barrier
//       ALL:   return
func.func @unmarked(%x: f32, %i: index, %c: i1) {
  %t = gpu.thread_id x
  %a = memref.alloc() : !t128
  %b = memref.alloc() : !t128
  scf.if %c {
    memref.store %x, %a[%t] : !t128
    gpu.barrier
  }
  memref.store %x, %b[%t] : !t128
  return
}

// Its arguments may differ between threads: no barrier is inserted into the branch.
// CHECK-LABEL: func.func @by_argument(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//   CHECK-NOT:     gpu.barrier
//       CHECK:   }
//       CHECK:   gpu.barrier
//  CHECK-NEXT:   memref.store
//       CHECK:   return
func.func @by_argument(%x: f32, %c: i1) {
  %t = gpu.thread_id x
  %a = memref.alloc() : !t128
  %b = memref.alloc() : !t128
  scf.if %c {
    memref.store %x, %a[%t] : !t128
  }
  memref.store %x, %b[%t] : !t128
  return
}

// Nothing says that threads execute it: its loops may not be mapped yet.
// CHECK-LABEL: func.func @not_mapped(
// CHECK-COUNT-2: memref.alloc() : memref<128xf32
//   CHECK-NOT:   gpu.barrier
//       CHECK:   return
func.func @not_mapped(%x: f32, %i: index) {
  %a = memref.alloc() : !t128
  %b = memref.alloc() : !t128
  memref.store %x, %a[%i] : !t128
  memref.store %x, %b[%i] : !t128
  return
}
