// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --canonicalize --cse --check-workgroup-races=strict -o /dev/null

// Both buffers of each kernel are declared at the top, and used in a loop. They share
// bytes (256 of 512) if each iteration fills %a before it reads it: G10 tiles. %b is
// always filled, by all threads, each with all of it.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#space = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Each thread stores one element, and reads that of another one.
  // CHECK-LABEL: gpu.func @block(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @block(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // There may be fewer threads than elements.
  // CHECK-LABEL: gpu.func @unknown_block_size(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @unknown_block_size(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // There are: half of what is read is of the iteration before.
  // CHECK-LABEL: gpu.func @small_block(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @small_block(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // They read what they have written.
  // CHECK-LABEL: gpu.func @small_block_reads_less(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @small_block_reads_less(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      %c31 = arith.constant 31 : index
      %r = arith.subi %c31, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Thread 0 is there, however large the workgroup is.
  // CHECK-LABEL: gpu.func @broadcast(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @broadcast(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      %v = memref.load %a[%c0] : !wg
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

  // The same, under a condition.
  // CHECK-LABEL: gpu.func @only_thread_0(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @only_thread_0(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %is0 = arith.cmpi eq, %t, %c0 : index
      scf.if %is0 {
        memref.store %x, %a[%c0] : !wg
      }
      gpu.barrier
      %v = memref.load %a[%c0] : !wg
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

  // Thread 1 need not be there.
  // CHECK-LABEL: gpu.func @only_thread_1(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @only_thread_1(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %is1 = arith.cmpi eq, %t, %c1 : index
      scf.if %is1 {
        memref.store %x, %a[%c0] : !wg
      }
      gpu.barrier
      %v = memref.load %a[%c0] : !wg
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

  // Without a barrier, another thread may not have stored yet.
  // CHECK-LABEL: gpu.func @no_barrier(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @no_barrier(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // What a thread has stored itself, it may read at once.
  // CHECK-LABEL: gpu.func @own_element(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @own_element(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      %v = memref.load %a[%t] : !wg
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

  // The element before it is that of another thread.
  // CHECK-LABEL: gpu.func @other_element(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @other_element(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      affine.store %x, %a[symbol(%t)] : !wg
      %v = affine.load %a[symbol(%t) + 1] : !wg
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

  // A loop in steps of the workgroup.
  // CHECK-LABEL: gpu.func @stride(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @stride(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %c16 = arith.constant 16 : index
      scf.for %j = %t to %c64 step %c16 {
        memref.store %x, %a[%j] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // In steps of twice the workgroup, one half is missing.
  // CHECK-LABEL: gpu.func @wrong_stride(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @wrong_stride(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %c32 = arith.constant 32 : index
      scf.for %j = %t to %c64 step %c32 {
        memref.store %x, %a[%j] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Steps of a workgroup of any size.
  // CHECK-LABEL: gpu.func @stride_of_block(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @stride_of_block(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %size = gpu.block_dim x
      scf.for %j = %t to %c64 step %size {
        memref.store %x, %a[%j] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // That is another size.
  // CHECK-LABEL: gpu.func @stride_of_other_dimension(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @stride_of_other_dimension(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %size = gpu.block_dim y
      scf.for %j = %t to %c64 step %size {
        memref.store %x, %a[%j] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Not all threads execute the loop.
  // CHECK-LABEL: gpu.func @stride_of_some(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @stride_of_some(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %isLow = arith.cmpi ult, %t, %c1 : index
      scf.if %isLow {
        %size = gpu.block_dim x
        scf.for %j = %t to %c64 step %size {
          memref.store %x, %a[%j] : !wg
        }
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // In the loop, the id is that of another thread than 0.
  // CHECK-LABEL: gpu.func @stride_by_thread(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @stride_by_thread(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %size = gpu.block_dim x
      scf.for %j = %t to %c64 step %size {
        %k = arith.subi %j, %t : index
        memref.store %x, %a[%k] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A condition that all threads fulfil.
  // CHECK-LABEL: gpu.func @all_threads(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @all_threads(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c64 = arith.constant 64 : index
      %isIn = arith.cmpi ult, %t, %c64 : index
      scf.if %isIn {
        memref.store %x, %a[%t] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // One does not.
  // CHECK-LABEL: gpu.func @one_thread_missing(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @one_thread_missing(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c62 = arith.constant 62 : index
      %isIn = arith.cmpi ult, %t, %c62 : index
      scf.if %isIn {
        memref.store %x, %a[%t] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // What some leave out, others store.
  // CHECK-LABEL: gpu.func @two_halves(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @two_halves(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c5 = arith.constant 5 : index
      %isIn = arith.cmpi ult, %t, %c5 : index
      scf.if %isIn {
        memref.store %x, %a[%t] : !wg
      } else {
        %y = arith.negf %x : f32
        memref.store %y, %a[%t] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Maybe nothing is stored.
  // CHECK-LABEL: gpu.func @unknown_condition(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @unknown_condition(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.if %flag {
        memref.store %x, %a[%t] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Something is stored on each path.
  // CHECK-LABEL: gpu.func @either_arm(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @either_arm(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.if %flag {
        memref.store %x, %a[%t] : !wg
      } else {
        memref.copy %in, %a : memref<64xf32> to !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // The threads that store are not known.
  // CHECK-LABEL: gpu.func @unknown_threads(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @unknown_threads(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %y = memref.load %in[%t] : memref<64xf32>
      %isIn = arith.cmpf olt, %y, %x : f32
      scf.if %isIn {
        memref.copy %in, %a : memref<64xf32> to !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // The loop may run no iteration.
  // CHECK-LABEL: gpu.func @unknown_trips(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @unknown_trips(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        memref.store %x, %a[%t] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // This one runs some.
  // CHECK-LABEL: gpu.func @some_trips(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @some_trips(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c3 = arith.constant 3 : index
      scf.for %j = %c0 to %c3 step %c1 {
        memref.store %x, %a[%t] : !wg
        gpu.barrier
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A barrier between is enough in any iteration.
  // CHECK-LABEL: gpu.func @inner_loop(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @inner_loop(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      scf.for %j = %c0 to %n step %c1 {
        %v = memref.load %a[%c1] : !wg
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

  // Elements of each iteration of a loop, 4 for each thread.
  // CHECK-LABEL: gpu.func @counted(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @counted(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c4 = arith.constant 4 : index
      scf.for %j = %c0 to %c4 step %c1 {
        %k = affine.linearize_index [%t, %j] by (16, 4) : index
        memref.store %x, %a[%k] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // The same with an index that the loop carries.
  // CHECK-LABEL: gpu.func @carried(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @carried(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %last = scf.for %j = %c0 to %c4 step %c1 iter_args(%k = %t) -> (index) {
        memref.store %x, %a[%k] : !wg
        %next = arith.addi %k, %c16 : index
        scf.yield %next : index
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A permutation of the elements.
  // CHECK-LABEL: gpu.func @swizzled(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @swizzled(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %row = arith.divui %t, %c4 : index
      %low = arith.andi %row, %c7 : index
      %k = arith.xori %t, %low : index
      memref.store %x, %a[%k] : !wg
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Two threads store one element, and none another one.
  // CHECK-LABEL: gpu.func @not_a_permutation(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @not_a_permutation(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c4 = arith.constant 4 : index
      %k = arith.ori %t, %c4 : index
      memref.store %x, %a[%k] : !wg
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Four elements at once.
  // CHECK-LABEL: gpu.func @vectors(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @vectors(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c4 = arith.constant 4 : index
      %k = arith.muli %t, %c4 : index
      %y = vector.broadcast %x : f32 to vector<4xf32>
      vector.store %y, %a[%k] : !wg, vector<4xf32>
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Those behind the bound are not written.
  // CHECK-LABEL: gpu.func @masked(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @masked(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c4 = arith.constant 4 : index
      %k = arith.muli %t, %c4 : index
      %y = vector.broadcast %x : f32 to vector<4xf32>
      %m = vector.create_mask %n : vector<4xi1>
      vector.transfer_write %y, %a[%k], %m {in_bounds = [true]} : vector<4xf32>, !wg
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Through a subview of a reshaped, transposed tile.
  // CHECK-LABEL: gpu.func @views(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @views(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c8 = arith.constant 8 : index
      %u = arith.divui %t, %c8 : index
      %s = arith.remui %t, %c8 : index
      %e = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : !wg into memref<8x8xf32, #space>
      %p = memref.transpose %e (i, j) -> (j, i) : memref<8x8xf32, #space> to memref<8x8xf32, strided<[1, 8]>, #space>
      %q = memref.subview %p[%u, 0] [1, 8] [1, 1] : memref<8x8xf32, strided<[1, 8]>, #space> to memref<8xf32, strided<[8], offset: ?>, #space>
      memref.store %x, %q[%s] : memref<8xf32, strided<[8], offset: ?>, #space>
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A row is missing.
  // CHECK-LABEL: gpu.func @row_of_view(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @row_of_view(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %c8 = arith.constant 8 : index
      %u = arith.divui %t, %c8 : index
      %s = arith.remui %t, %c8 : index
      %e = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : !wg into memref<8x8xf32, #space>
      %q = memref.subview %e[0, 0] [7, 8] [1, 1] : memref<8x8xf32, #space> to memref<7x8xf32, strided<[8, 1]>, #space>
      linalg.fill ins(%x : f32) outs(%q : memref<7x8xf32, strided<[8, 1]>, #space>)
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Copies that have arrived.
  // CHECK-LABEL: gpu.func @copies(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @copies(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %k = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<64xf32> to !wg
      %g = nvgpu.device_async_create_group %k
      nvgpu.device_async_wait %g
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // They may not have arrived: the youngest group is not waited for.
  // CHECK-LABEL: gpu.func @copies_in_flight(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @copies_in_flight(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %k = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<64xf32> to !wg
      %g = nvgpu.device_async_create_group %k
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
      memref.store %v, %out[%t] : memref<64xf32>
      nvgpu.device_async_wait %g
      gpu.barrier
      memref.copy %in, %b : memref<64xf32> to !wg
      gpu.barrier
      %w = memref.load %b[%t] : !wg
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Another group is younger.
  // CHECK-LABEL: gpu.func @older_copies(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @older_copies(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %k = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<64xf32> to !wg
      %g = nvgpu.device_async_create_group %k
      %h = nvgpu.device_async_create_group %k
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A barrier that only some threads may reach makes nothing visible.
  // CHECK-LABEL: gpu.func @own_barrier_only(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @own_barrier_only(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      %y = memref.load %in[%t] : memref<64xf32>
      %isIn = arith.cmpf olt, %y, %x : f32
      scf.if %isIn {
        gpu.barrier
      }
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // The same if it is known which threads do.
  // CHECK-LABEL: gpu.func @barrier_of_half(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @barrier_of_half(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : !wg
      %isIn = arith.cmpi ult, %t, %c32 : index
      scf.if %isIn {
        gpu.barrier
      }
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A loop over threads, at whose end they meet.
  // CHECK-LABEL: gpu.func @threads_loop(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @threads_loop(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.forall (%j) in (64) {
        memref.store %x, %a[%j] : !wg
      } {mapping = [#gpu.thread<x>]}
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // It leaves one out.
  // CHECK-LABEL: gpu.func @short_threads_loop(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @short_threads_loop(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.forall (%j) in (63) {
        memref.store %x, %a[%j] : !wg
      } {mapping = [#gpu.thread<x>]}
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // A subgroup stores a matrix.
  // CHECK-LABEL: gpu.func @matrices(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8, #gpu.address_space<workgroup>>
  gpu.func @matrices(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<16x16xf32, #space>
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %m = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %m, %a[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32, #space>
      gpu.barrier
      %v = memref.load %a[%c1, %t] : memref<16x16xf32, #space>
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

  // A condition of an affine.if.
  // CHECK-LABEL: gpu.func @affine_condition(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @affine_condition(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      affine.if affine_set<(d0) : (d0 - 32 >= 0)>(%t) {
        affine.store %x, %a[symbol(%t)] : !wg
      } else {
        affine.store %x, %a[symbol(%t) + 0] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // The low half of the threads stores in the high half as well.
  // CHECK-LABEL: gpu.func @wrong_affine_condition(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @wrong_affine_condition(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      affine.if affine_set<(d0) : (d0 - 32 >= 0)>(%t) {
        affine.store %x, %a[symbol(%t)] : !wg
      } else {
        affine.store %x, %a[symbol(%t) + 32] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // All threads are equal there.
  // CHECK-LABEL: gpu.func @affine_equality(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @affine_equality(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      affine.if affine_set<(d0) : (d0 floordiv 64 == 0)>(%t) {
        affine.store %x, %a[symbol(%t)] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Half of them are.
  // CHECK-LABEL: gpu.func @wrong_affine_equality(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @wrong_affine_equality(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      affine.if affine_set<(d0) : (d0 floordiv 32 == 0)>(%t) {
        affine.store %x, %a[symbol(%t)] : !wg
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // Whatever is switched to stores all elements.
  // CHECK-LABEL: gpu.func @every_case(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @every_case(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.index_switch %n
      case 0 {
        memref.store %x, %a[%t] : !wg
        scf.yield
      }
      default {
        %r = arith.xori %t, %c1 : index
        memref.store %x, %a[%r] : !wg
        scf.yield
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // All but one.
  // CHECK-LABEL: gpu.func @one_case(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @one_case(%in: memref<64xf32>, %x: f32, %n: index, %flag: i1, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.index_switch %n
      case 0 {
        memref.store %x, %a[%t] : !wg
        scf.yield
      }
      default {
        scf.yield
      }
      gpu.barrier
      %c63 = arith.constant 63 : index
      %r = arith.subi %c63, %t : index
      %v = memref.load %a[%r] : !wg
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

  // The first region of a loop on which all threads agree is executed.
  // CHECK-LABEL: gpu.func @first_region(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @first_region(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      scf.while (%k = %i) : (index) -> index {
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        %again = arith.cmpi ult, %k, %c1 : index
        scf.condition(%again) %k : index
      } do {
      ^bb0(%k: index):
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
      %v = memref.load %a[%c0] : !wg
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
