// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s

// As in tiles.mlir: %a and %b share bytes if each iteration fills %a before it reads it.
// Here that depends on what threads compute their indices with, and on what they read.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
!matrix = memref<16x32xf16, #gpu.address_space<workgroup>>
#space = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Each thread stores one element: its own, transposed twice.
  // CHECK-LABEL: gpu.func @all(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @all(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %t32 = arith.index_cast %t : index to i32
    %t8 = arith.trunci %t32 : i32 to i8
    %t64 = arith.extui %t8 : i8 to i64
    %u = arith.index_castui %t64 : i64 to index
    %p:2 = affine.delinearize_index %u into (8, 8) : index, index
    %q = affine.linearize_index [%p#1, %p#0] by (8, 8) : index
    %r = affine.apply affine_map<(d0) -> ((d0 * 8) mod 64 + (d0 - 7) ceildiv 8)>(%q)
    %least = affine.min affine_map<(d0) -> (d0, 63)>(%r)
    %index = affine.max affine_map<(d0) -> (d0, 0)>(%least)
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%index] : !wg
      gpu.barrier
      %other = arith.subi %c63, %t : index
      %v = memref.load %a[%other] : !wg
      memref.store %v, %out[%t] : memref<64xf32>
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Two threads store each element of the first half.
  // CHECK-LABEL: gpu.func @half(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @half(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %p:2 = affine.delinearize_index %t into (32, 2) : index, index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%p#0] : !wg
      gpu.barrier
      %other = arith.subi %c63, %t : index
      %v = memref.load %a[%other] : !wg
      memref.store %v, %out[%t] : memref<64xf32>
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Each thread stores a column. Subgroups read the left half, and the right half
  // transposed.
  // CHECK-LABEL: gpu.func @matrices(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8, #gpu.address_space<workgroup>>
  gpu.func @matrices(%in: memref<16x32xf16>, %x: f16, %n: index, %out: memref<32xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !matrix
    %b = memref.alloc() : !matrix
    scf.for %i = %c0 to %n step %c1 {
      scf.for %row = %c0 to %c16 step %c1 {
        memref.store %x, %a[%row, %t] : !matrix
      }
      gpu.barrier
      %left = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 32 : index} : !matrix -> !gpu.mma_matrix<16x16xf16, "AOp">
      %right = gpu.subgroup_mma_load_matrix %a[%c0, %c16] {leadDimension = 32 : index, transpose} : !matrix -> !gpu.mma_matrix<16x16xf16, "BOp">
      gpu.barrier
      memref.copy %in, %b : memref<16x32xf16> to !matrix
      gpu.barrier
      %w = memref.load %b[%c0, %t] : !matrix
      memref.store %w, %out[%t] : memref<32xf16>
      gpu.barrier
    }
    gpu.return
  }

  // The right half is not stored.
  // CHECK-LABEL: gpu.func @half_of_a_matrix(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<2048xi8, #gpu.address_space<workgroup>>
  gpu.func @half_of_a_matrix(%in: memref<16x32xf16>, %x: f16, %n: index, %out: memref<16xf16>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !matrix
    %b = memref.alloc() : !matrix
    scf.for %i = %c0 to %n step %c1 {
      scf.for %row = %c0 to %c16 step %c1 {
        memref.store %x, %a[%row, %t] : !matrix
      }
      gpu.barrier
      %right = gpu.subgroup_mma_load_matrix %a[%c0, %c16] {leadDimension = 32 : index} : !matrix -> !gpu.mma_matrix<16x16xf16, "AOp">
      gpu.barrier
      memref.copy %in, %b : memref<16x32xf16> to !matrix
      gpu.barrier
      %w = memref.load %b[%c0, %t] : !matrix
      memref.store %w, %out[%t] : memref<16xf16>
      gpu.barrier
    }
    gpu.return
  }

  // A view of bytes.
  // CHECK-LABEL: gpu.func @bytes(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @bytes(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<256xi8, #space>
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %view = memref.view %a[%c0][] : memref<256xi8, #space> to !wg
      memref.store %x, %view[%t] : !wg
      gpu.barrier
      %other = arith.subi %c63, %t : index
      %v = memref.load %view[%other] : !wg
      memref.store %v, %out[%t] : memref<64xf32>
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }
}
