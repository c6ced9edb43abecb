// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --canonicalize --cse --check-workgroup-races=strict -o /dev/null

// Both buffers of each kernel are declared at the top, and used in a loop. What is read
// of %a was written in the same place of the program, but by others than those that
// read it, or not where it is read: G10 tiles. They do not share bytes: 512 of 512.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#space = #gpu.address_space<workgroup>

gpu.module @kernels {
  // The threads of one arm have not written what those of the other one have.
  // CHECK-LABEL: gpu.func @other_arm(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @other_arm(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        memref.store %x, %a[%t] : !wg
      }
      scf.if %low {
        memref.store %x, %a[%t] : !wg
      } else {
        %v = memref.load %a[%t] : !wg
        memref.store %v, %out[%t] : memref<64xf32>
      }
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // The same in a workgroup of unknown size.
  // CHECK-LABEL: gpu.func @other_arm_of_first(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @other_arm_of_first(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %is0 = arith.cmpi eq, %t, %c0 : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.if %is0 {
        memref.store %x, %a[%t] : !wg
      } else {
        %v = memref.load %a[%t] : !wg
        memref.store %v, %out[%t] : memref<64xf32>
      }
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Only thread 0 reads what was written; the others read what nothing writes, which
  // no proof of a write can cover.
  // CHECK-LABEL: gpu.func @diagonal(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @diagonal(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<8x8xf32, #space>
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t, %t] : memref<8x8xf32, #space>
      gpu.barrier
      %v = memref.load %a[%c0, %t] : memref<8x8xf32, #space>
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

  // In a vector eight of them are one byte, and in the buffer each has its own: the
  // buffers of 64 and 256 bytes do not share.
  // CHECK-LABEL: gpu.func @bits(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<320xi8, #gpu.address_space<workgroup>>
  gpu.func @bits(%in: memref<64xf32>, %x: vector<8xi1>, %n: index, %out: memref<64xi1>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xi1, #space>
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %t, %c8 : index
      vector.store %x, %a[%k] : memref<64xi1, #space>, vector<8xi1>
      gpu.barrier
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : memref<64xi1, #space>
      memref.store %v, %out[%t] : memref<64xi1>
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %in[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // In a vector each of them has three bytes, and in the buffer four.
  // CHECK-LABEL: gpu.func @packed(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @packed(%in: memref<64xf32>, %x: vector<8xi24>, %n: index, %out: memref<64xi24>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xi24, #space>
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %t, %c8 : index
      vector.store %x, %a[%k] : memref<64xi24, #space>, vector<8xi24>
      gpu.barrier
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : memref<64xi24, #space>
      memref.store %v, %out[%t] : memref<64xi24>
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %in[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }
}

// Each workgroup executes one iteration of the loop over blocks.
// CHECK-LABEL: func.func @other_blocks(
//       CHECK:   gpu.launch
//       CHECK:     memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
//       CHECK:     memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
func.func @other_blocks(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c64, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.forall (%j) in (64) {
        memref.store %x, %a[%j] : !wg
      } {mapping = [#gpu.block<x>]}
      gpu.barrier
      %v = memref.load %a[%t] : !wg
      memref.store %v, %out[%t] : memref<64xf32>
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}
