// RUN: buffer-merge-opt %s --split-input-file --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --split-input-file --buffer-merge --check-workgroup-races=strict \
// RUN:   | buffer-merge-opt --split-input-file --buffer-merge=barriers=insert | FileCheck %s
// RUN: buffer-merge-opt %s --split-input-file --buffer-merge \
// RUN:   | mlir-opt --split-input-file --convert-parallel-loops-to-gpu | FileCheck %s --check-prefix=LAUNCH

// Parallel loops that an attribute maps to workgroups and threads.

#wg = #gpu.address_space<workgroup>
#blocks = #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>
#threads = #gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>

// As DeepGen's attention: what a workgroup needs one after the other shares bytes between
// barriers inside of the loop over threads. The last reads of a workgroup are followed by
// nothing: it executes one iteration.
// CHECK-LABEL: func.func @barriers_inside(
//       CHECK:   scf.parallel
//  CHECK-NEXT:     memref.alloc() {alignment = 16 : i64} : memref<512xi8, #gpu.address_space<workgroup>>
//   CHECK-NOT:     memref.alloc
//       CHECK:   return
// LAUNCH-LABEL: func.func @barriers_inside(
//       LAUNCH:   gpu.launch
//       LAUNCH:     memref.alloc() {alignment = 16 : i64} : memref<512xi8, #gpu.address_space<workgroup>>
//   LAUNCH-NOT:   scf.parallel
func.func @barriers_inside(%in: memref<64x128xf32>, %out: memref<64x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  // expected-remark @below {{2 buffers of 1024 bytes, 512 alive at tick 10, pool of 512 bytes}}
  scf.parallel (%b) = (%c0) to (%c64) step (%c1) {
    %a = memref.alloc() : memref<128xf32, #wg>
    %s = memref.alloc() : memref<128xf32, #wg>
    scf.parallel (%t) = (%c0) to (%c128) step (%c1) {
      %v = memref.load %in[%b, %t] : memref<64x128xf32>
      memref.store %v, %a[%t] : memref<128xf32, #wg>
      gpu.barrier
      %i = arith.subi %c127, %t : index
      %w = memref.load %a[%i] : memref<128xf32, #wg>
      gpu.barrier
      memref.store %w, %s[%t] : memref<128xf32, #wg>
      gpu.barrier
      %x = memref.load %s[%i] : memref<128xf32, #wg>
      memref.store %x, %out[%b, %t] : memref<64x128xf32>
      scf.reduce
    } {mapping = [#threads]}
    scf.reduce
  } {mapping = [#blocks]}
  return
}

// -----

#wg = #gpu.address_space<workgroup>

// Two loops of each kind around each other, of affine, with the mapping that scf.forall has.
// All of what is before the last loop is done when it begins.
// CHECK-LABEL: func.func @nests(
//       CHECK:   affine.parallel
//       CHECK:     affine.parallel
//  CHECK-NEXT:       memref.alloc() {alignment = 16 : i64} : memref<512xi8, #gpu.address_space<workgroup>>
//   CHECK-NOT:       memref.alloc
//       CHECK:   return
func.func @nests(%in: memref<4x64x128xf32>, %out: memref<4x64x128xf32>) {
  affine.parallel (%z) = (0) to (4) {
    // expected-remark @below {{2 buffers of 1024 bytes, 512 alive at tick 7, pool of 512 bytes}}
    affine.parallel (%b) = (0) to (64) {
      %a = memref.alloc() : memref<128xf32, #wg>
      %s = memref.alloc() : memref<128xf32, #wg>
      affine.parallel (%y) = (0) to (4) {
        affine.parallel (%t) = (0) to (32) {
          %v = affine.load %in[%z, %b, %t + 32 * %y] : memref<4x64x128xf32>
          affine.store %v, %a[%t + 32 * %y] : memref<128xf32, #wg>
          gpu.barrier
          %w = affine.load %a[127 - %t - 32 * %y] : memref<128xf32, #wg>
          affine.store %w, %out[%z, %b, %t] : memref<4x64x128xf32>
          gpu.barrier
        } {mapping = [#gpu.thread<x>]}
      } {mapping = [#gpu.thread<y>]}
      affine.parallel (%t) = (0) to (128) {
        %v = affine.load %in[%z, %b, %t] : memref<4x64x128xf32>
        affine.store %v, %s[%t] : memref<128xf32, #wg>
        %w = affine.load %s[%t] : memref<128xf32, #wg>
        affine.store %w, %out[%z, %b, %t] : memref<4x64x128xf32>
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
  } {mapping = [#gpu.block<y>]}
  return
}

// -----

!wg = memref<128xf32, #gpu.address_space<workgroup>>

// The loop with the barrier may have no iteration.
func.func @no_iteration(%x: f32, %n: index) {
  // expected-remark @below {{no pool: no-gain}}
  affine.parallel (%b) = (0) to (64) {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %s = memref.alloc() : !wg
    affine.parallel (%t) = (0) to (128) {
      // expected-note @below {{between this access}}
      affine.store %x, %a[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    affine.parallel (%t) = (0) to (symbol(%n)) {
      gpu.barrier
    } {mapping = [#gpu.thread<x>]}
    affine.parallel (%t) = (0) to (128) {
      // expected-note @below {{and this one}}
      affine.store %x, %s[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// A workgroup that executes the loop between two loops over workgroups executes the inner
// one again, without a barrier.
func.func @repeated(%x: f32, %n: index) {
  affine.parallel (%y) = (0) to (64) {
    affine.for %i = 0 to %n {
      // expected-remark @below {{no pool: no-gain}}
      affine.parallel (%b) = (0) to (64) {
        // expected-remark @below {{back-edge}}
        %a = memref.alloc() : !wg
        %s = memref.alloc() : !wg
        affine.parallel (%t) = (0) to (128) {
          // expected-note @below {{and this one}}
          affine.store %x, %a[%t] : !wg
          gpu.barrier
          // expected-note @below {{between this access}}
          affine.store %x, %s[%t] : !wg
        } {mapping = [#gpu.thread<x>]}
      } {mapping = [#gpu.block<x>]}
    }
  } {mapping = [#gpu.block<y>]}
  return
}

// No workgroup: what threads execute, what is mapped to both, what has no mapping.
func.func @no_workgroup(%x: f32) {
  affine.parallel (%t) = (0) to (64) {
    affine.parallel (%b) = (0) to (64) {
      // expected-remark @below {{not mergeable: no-alloc-scope,}}
      %a = memref.alloc() : !wg
      affine.store %x, %a[%t] : !wg
    } {mapping = [#gpu.block<x>]}
  } {mapping = [#gpu.thread<x>]}
  affine.parallel (%b, %t) = (0, 0) to (64, 64) {
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %a = memref.alloc() : !wg
    affine.store %x, %a[%t] : !wg
  } {mapping = [#gpu.block<x>, #gpu.thread<x>]}
  affine.parallel (%b, %t) = (0, 0) to (64, 64) {
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %a = memref.alloc() : !wg
    affine.store %x, %a[%t] : !wg
  } {mapping = [#gpu.block<x>]}
  affine.parallel (%b) = (0) to (64) {
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %a = memref.alloc() : !wg
    affine.store %x, %a[%b] : !wg
  }
  return
}

// -----

!wg = memref<128xf32, #gpu.address_space<workgroup>>

// Perhaps not all threads execute a loop without a barrier, so none is inserted there.
// CHECK-LABEL: gpu.func @some_threads(
//  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8,
//   CHECK-NOT:   gpu.barrier
//       CHECK:   gpu.return
gpu.module @kernels {
  // expected-remark @below {{2 buffers of 1024 bytes, 1024 alive}}
  gpu.func @some_threads(%x: f32) kernel {
    %a = memref.alloc() : !wg
    %s = memref.alloc() : !wg
    scf.forall (%t) in (32) {
      memref.store %x, %a[%t] : !wg
      memref.store %x, %s[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    gpu.return
  }
}

// -----

!wg = memref<128xf32, #gpu.address_space<workgroup>>

// At the end of the inner loops, those of one warp are done, not all threads.
func.func @lanes(%x: f32) {
  // expected-remark @below {{2 buffers of 1024 bytes, 1024 alive}}
  scf.forall (%b) in (64) {
    %a = memref.alloc() : !wg
    %s = memref.alloc() : !wg
    scf.forall (%w) in (4) {
      scf.forall (%t) in (32) {
        memref.store %x, %a[%t] : !wg
      } {mapping = [#gpu.lane<linear_dim_0>]}
      scf.forall (%t) in (32) {
        memref.store %x, %s[%t] : !wg
      } {mapping = [#gpu.lane<linear_dim_0>]}
    } {mapping = [#gpu.warp<linear_dim_0>]}
  } {mapping = [#gpu.block<x>]}
  return
}
