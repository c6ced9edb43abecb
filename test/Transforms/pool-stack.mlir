// RUN: buffer-merge-opt %s --buffer-merge="in-place=false pool=stack limit-peak=none" --split-input-file -o %t.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,LIMIT < %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge="in-place=false pool=stack limit-peak=none" --split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=stack limit-peak=none target={"stack": {"limit": 128}}' --split-input-file | FileCheck %s --check-prefixes=CHECK,LOW
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false pool=stack limit-peak=none" --split-input-file --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The pool of a function is on the stack, up to the limit; buffers of 128 bytes.

// CHECK-LABEL: func.func @at_the_limit(
//  CHECK-NEXT:   memref.alloca() {alignment = 64 : i64} : memref<128xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
// REMARK: [Analysis] Pool | {{.*}}Function=at_the_limit{{.*}}Storage=stack
func.func @at_the_limit(%x: f32, %i: index) {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.store %x, %b[%i] : memref<32xf32>
  return
}

// -----

// CHECK-LABEL: func.func @above_the_low_limit(
//  LIMIT-NEXT:   memref.alloca() {{.*}} : memref<132xi8>
//    LOW-NEXT:   memref.alloc() {{.*}} : memref<132xi8>
func.func @above_the_low_limit(%x: f32, %i: index) {
  %a = memref.alloc() : memref<33xf32>
  memref.store %x, %a[%i] : memref<33xf32>
  %b = memref.alloc() : memref<33xf32>
  memref.store %x, %b[%i] : memref<33xf32>
  return
}

// -----

// The default limit is 16 KiB.

// CHECK-LABEL: func.func @above_the_limit(
//  CHECK-NEXT:   memref.alloc() {{.*}} : memref<16388xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=above_the_limit{{.*}}it is larger than the limit for the stack
func.func @above_the_limit(%x: f32, %i: index) {
  %a = memref.alloc() : memref<4097xf32>
  memref.store %x, %a[%i] : memref<4097xf32>
  %b = memref.alloc() : memref<4097xf32>
  memref.store %x, %b[%i] : memref<4097xf32>
  return
}

// -----

// Deallocations vanish (R3), at every exit.

// CHECK-LABEL: func.func @deallocated(
//       CHECK:   memref.alloca()
//   CHECK-NOT:   memref.dealloc
//       CHECK: return
//   CHECK-NOT:   memref.dealloc
func.func @deallocated(%x: f32, %i: index, %c: i1) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  memref.dealloc %a : memref<15xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return
^bb2:
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  memref.dealloc %b : memref<15xf32>
  return
}

// -----

// A parallel loop becomes a sequential one, which would take more of the stack
// in every iteration.

// CHECK-LABEL: func.func @parallel(
//   CHECK-NOT:   memref.alloca
//       CHECK:   scf.forall
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   scf.parallel
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   affine.parallel
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   async.execute
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   memref.alloca
//       CHECK:   return
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=parallel{{.*}}the stack might grow with each execution of the scope
func.func @parallel(%x: f32, %i: index, %n: index) {
  scf.forall (%k) in (%n) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  scf.parallel (%k) = (%i) to (%n) step (%n) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  affine.parallel (%k) = (0) to (8) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  %token = async.execute {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
    async.yield
  }
  async.await %token : !async.token
  return
}

// -----

// memref.alloca_scope releases the stack, but canonicalization removes it from
// the end of a loop.

// CHECK-LABEL: func.func @scopes(
//       CHECK:   memref.alloca_scope
//  CHECK-NEXT:     memref.alloca() {{.*}} : memref<60xi8>
//       CHECK:   scf.if
//       CHECK:     memref.alloca_scope
//  CHECK-NEXT:       memref.alloca() {{.*}} : memref<60xi8>
//       CHECK:   scf.for
//       CHECK:     memref.alloca_scope
//  CHECK-NEXT:       memref.alloc() {{.*}} : memref<60xi8>
func.func @scopes(%x: f32, %i: index, %n: index, %c: i1) {
  memref.alloca_scope {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  scf.if %c {
    memref.alloca_scope {
      %a = memref.alloc() : memref<15xf32>
      memref.store %x, %a[%i] : memref<15xf32>
      %b = memref.alloc() : memref<15xf32>
      memref.store %x, %b[%i] : memref<15xf32>
    }
  }
  scf.for %k = %i to %n step %n {
    memref.alloca_scope {
      %a = memref.alloc() : memref<15xf32>
      memref.store %x, %a[%i] : memref<15xf32>
      %b = memref.alloc() : memref<15xf32>
      memref.store %x, %b[%i] : memref<15xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @scope_in_blocks(
//       CHECK:   memref.alloca_scope
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
func.func @scope_in_blocks(%x: f32, %i: index, %c: i1) {
  cf.br ^bb1
^bb1:
  memref.alloca_scope {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  cf.cond_br %c, ^bb1, ^bb2
^bb2:
  return
}

// -----

// The stack is in the default memory space; both have a pool of their own.

// CHECK-LABEL: func.func @spaces(
//  CHECK-NEXT:   memref.alloc() {{.*}} : memref<60xi8, 1>
//  CHECK-NEXT:   memref.alloca() {{.*}} : memref<60xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=spaces{{.*}}the stack is in another memory space
func.func @spaces(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %a[%i] : memref<15xf32, 1>
  %c = memref.alloc() : memref<15xf32>
  memref.store %x, %c[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %b[%i] : memref<15xf32, 1>
  %d = memref.alloc() : memref<15xf32>
  memref.store %x, %d[%i] : memref<15xf32>
  return
}

// -----

// In device code, the stack is private memory and nothing else.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @kernel(
  //   CHECK-DAG:   memref.alloca() {{.*}} : memref<60xi8, #gpu.address_space<private>>
  //   CHECK-DAG:   memref.alloc() {{.*}} : memref<60xi8>
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %a[%i] : memref<15xf32, #gpu.address_space<private>>
    %b = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %b[%i] : memref<15xf32, #gpu.address_space<private>>
    %c = memref.alloc() : memref<15xf32>
    memref.store %x, %c[%i] : memref<15xf32>
    %d = memref.alloc() : memref<15xf32>
    memref.store %x, %d[%i] : memref<15xf32>
    gpu.return
  }
}

// CHECK-LABEL: func.func @launch(
//       CHECK:   gpu.launch
//       CHECK:     memref.alloca() {{.*}} : memref<60xi8, #gpu.address_space<private>>
func.func @launch(%x: f32, %i: index, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %a[%i] : memref<15xf32, #gpu.address_space<private>>
    %b = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %b[%i] : memref<15xf32, #gpu.address_space<private>>
    gpu.terminator
  }
  return
}

// -----

// Nobody waits before the function returns (L8): the bytes must live on.

// CHECK-LABEL: func.func @in_flight(
//  CHECK-NEXT:   memref.alloc() {{.*}} : memref<60xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=in_flight{{.*}}it may be accessed after the end of the scope
func.func @in_flight(%x: f32, %i: index) -> !async.token {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  %token = async.execute {
    memref.store %x, %b[%i] : memref<15xf32>
    async.yield
  }
  return %token : !async.token
}

// -----

// Recursion has a depth that nobody knows: directly, through other functions, and
// through a call of something that is not known.

// CHECK-LABEL: func.func @recursive(
//   CHECK-NOT:   memref.alloca
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=recursive{{.*}}the function is recursive
func.func @recursive(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @recursive(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @ping(
//  CHECK-NEXT:   memref.alloc() {{.*}} : memref<60xi8>
func.func @ping(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @pong(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @pong(%x: f32, %i: index) {
  func.call @ping(%x, %i) : (f32, index) -> ()
  return
}

// CHECK-LABEL: func.func @through_a_pointer(
//   CHECK-NOT:   memref.alloca
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
func.func @through_a_pointer(%x: f32, %i: index) {
  %f = func.constant @through_a_pointer : (f32, index) -> ()
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call_indirect %f(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// Calling one that is recursive is not recursion.

// CHECK-LABEL: func.func @calls_recursive(
//  CHECK-NEXT:   memref.alloca() {{.*}} : memref<60xi8>
func.func @calls_recursive(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @recursive(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// -----

// A pool that is not allocated saves an allocation even if it saves no bytes: of a
// single buffer, and of buffers that are all alive at one time. One that would be
// allocated all the same is not made (R4).

// CHECK-LABEL: func.func @single(
//  CHECK-NEXT:   memref.alloca() {alignment = 128 : i64} : memref<60xi8>
//       CHECK:   memref.view
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @single(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 128 : i64} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @no_gain(
//  CHECK-NEXT:   memref.alloca() {{.*}} : memref<128xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @no_gain(%x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %a, %b : memref<16xf32> to memref<16xf32>
  return
}

// CHECK-LABEL: func.func @single_elsewhere(
//       CHECK:   memref.alloc() : memref<15xf32, 1>
//       CHECK:   scf.forall
//  CHECK-NEXT:     memref.alloc() : memref<15xf32>
//       CHECK:   scf.forall
//  CHECK-NEXT:     memref.alloc() : memref<16xf32>
//       CHECK:     memref.alloc() : memref<16xf32>
func.func @single_elsewhere(%x: f32, %i: index, %n: index) {
  %a = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %a[%i] : memref<15xf32, 1>
  scf.forall (%k) in (%n) {
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  scf.forall (%k) in (%n) {
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    %c = memref.alloc() : memref<16xf32>
    memref.copy %b, %c : memref<16xf32> to memref<16xf32>
  }
  return
}

// A deallocation of either of two pools, one of which is allocated and shall not
// be: neither is (R3).

// CHECK-LABEL: func.func @dealloc_of_two(
//       CHECK:   memref.alloc() : memref<15xf32>
//       CHECK:   memref.alloca_scope
//       CHECK:     memref.alloc() : memref<5000xf32>
//       CHECK:   memref.dealloc
func.func @dealloc_of_two(%x: f32, %i: index, %c: i1) {
  %a = memref.alloc() : memref<15xf32>
  %any = memref.cast %a : memref<15xf32> to memref<?xf32>
  memref.alloca_scope {
    %b = memref.alloc() : memref<5000xf32>
    %other = memref.cast %b : memref<5000xf32> to memref<?xf32>
    %one = arith.select %c, %any, %other : memref<?xf32>
    memref.store %x, %one[%i] : memref<?xf32>
    memref.dealloc %one : memref<?xf32>
  }
  return
}
