// RUN: buffer-merge-opt %s --buffer-lifetimes --split-input-file --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races --split-input-file -o /dev/null

// Branches and loops at which threads may part: everything inside happens at the
// same time, both arms included, and barriers inside do not count.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @both_arms(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %i : index
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: divergent}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      // expected-note @below {{between this access}}
      memref.store %x, %a[%i] : !wg
    } else {
      // expected-note @below {{and this one}}
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @barrier_inside(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %i : index
    // expected-remark @below {{divergent}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // The barrier is not passed by all threads.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @divergent_barrier(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %i : index
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.if %c {
      gpu.barrier
    } else {
      gpu.barrier
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Accesses inside and a barrier behind.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @barrier_behind(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %i : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      memref.store %x, %a[%i] : !wg
    }
    gpu.barrier
    scf.if %c {
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // Threads that leave a loop at different times.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @trip_count(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    scf.for %k = %i to %t step %c1 {
      // expected-remark @below {{divergent}}
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      memref.store %x, %b[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // What each thread loads may differ, if not in this program.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @loaded_bound(%x: f32, %i: index, %bounds: memref<?xindex>) kernel {
    %t = gpu.thread_id x
    %n = memref.load %bounds[%t] : memref<?xindex>
    %c1 = arith.constant 1 : index
    scf.for %k = %i to %n step %c1 {
      // expected-remark @below {{divergent}}
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      memref.store %x, %b[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // Nothing is known of how the iterations of other loops are distributed.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @parallel(%x: f32, %i: index) kernel {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.parallel (%k) = (%i) to (%i) step (%i) {
      memref.store %x, %a[%k] : !wg
      gpu.barrier
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// What threads agree on. Each loop has a barrier behind each of its accesses, so
// that the pool is small exactly if its bounds are known to be uniform.
gpu.module @kernels {
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @block_id(%x: f32, %i: index, %m: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %n = memref.dim %m, %c0 : memref<?xf32>
    %first = arith.muli %b, %d : index
    %last = arith.minui %n, %first : index
    scf.for %k = %first to %last step %d {
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      // The counter of a uniform loop.
      scf.for %l = %c0 to %k step %d {
        memref.store %x, %q[%i] : !wg
        gpu.barrier
      }
      gpu.barrier
    }
    gpu.return
  }

  // A workgroup is in one cluster.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @cluster(%x: f32, %i: index) kernel {
    %0 = gpu.cluster_id x
    %1 = gpu.cluster_block_id y
    %2 = gpu.cluster_dim x
    %3 = gpu.cluster_dim_blocks z
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %4 = arith.index_cast %rank : i32 to index
    %5 = arith.addi %0, %1 : index
    %6 = arith.addi %2, %3 : index
    %7 = arith.addi %4, %5 : index
    scf.for %k = %6 to %7 step %6 {
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      memref.store %x, %q[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // A value that is carried around a loop is uniform if all that flows into it is.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @carried(%x: f32, %i: index, %n: index) kernel {
    %c1 = arith.constant 1 : index
    %r = scf.for %k = %i to %n step %c1 iter_args(%v = %n) -> (index) {
      %w = arith.addi %v, %k : index
      scf.yield %w : index
    }
    scf.for %k = %i to %r step %c1 {
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      memref.store %x, %q[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // Here something else flows into it, in a later iteration.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @carried_thread_id(%x: f32, %i: index, %n: index) kernel {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %r:2 = scf.for %k = %i to %n step %c1 iter_args(%v = %n, %u = %n) -> (index, index) {
      scf.yield %u, %t : index, index
    }
    scf.for %k = %i to %r#0 step %c1 {
      // expected-remark @below {{divergent}}
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      memref.store %x, %q[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // The result of a branch differs if its condition does.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @selected(%x: f32, %i: index, %n: index) kernel {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %n : index
    %r = scf.if %c -> (index) {
      scf.yield %n : index
    } else {
      scf.yield %i : index
    }
    scf.for %k = %i to %r step %c1 {
      // expected-remark @below {{divergent}}
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      memref.store %x, %q[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @while(%x: f32, %i: index, %n: index) kernel {
    %c1 = arith.constant 1 : index
    scf.while (%k = %i) : (index) -> index {
      %c = arith.cmpi ult, %k, %n : index
      scf.condition(%c) %k : index
    } do {
    ^bb0(%k: index):
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      memref.store %x, %q[%i] : !wg
      gpu.barrier
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @while_thread_id(%x: f32, %i: index, %n: index) kernel {
    %t = gpu.thread_id x
    scf.while (%k = %i) : (index) -> index {
      %c = arith.cmpi ult, %k, %n : index
      scf.condition(%c) %k : index
    } do {
    ^bb0(%k: index):
      // expected-remark @below {{divergent}}
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%i] : !wg
      gpu.barrier
      memref.store %x, %q[%i] : !wg
      gpu.barrier
      %next = arith.addi %k, %t : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// In a launch, what the host computes is uniform, and ids of threads are not.
func.func @launch(%x: f32, %n: index, %bounds: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %loaded = memref.load %bounds[%n] : memref<?xindex>
  // expected-remark @below {{pool of 256 bytes}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    scf.for %k = %bx to %loaded step %sx {
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%tx] : !wg
      gpu.barrier
      memref.store %x, %q[%tx] : !wg
      gpu.barrier
    }
    gpu.terminator
  }
  // expected-remark @below {{no pool: no-gain}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    scf.for %k = %ty to %loaded step %sx {
      // expected-remark @below {{divergent}}
      %p = memref.alloc() : !wg
      %q = memref.alloc() : !wg
      memref.store %x, %p[%tx] : !wg
      gpu.barrier
      memref.store %x, %q[%tx] : !wg
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// Arguments of the blocks of a region are not those of the operation around it:
// here there are more of them than results.
gpu.module @region_of_blocks {
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @more_arguments_than_results(%x: f32) kernel {
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = gpu.thread_id x
    // expected-note @below {{between this access}}
    memref.store %x, %a[%t] : !wg
    %n = scf.execute_region -> index {
      cf.br ^bb1(%t, %t : index, index)
    ^bb1(%i: index, %j: index):
      scf.yield %j : index
    }
    %c = arith.cmpi eq, %n, %t : index
    scf.if %c {
      gpu.barrier
    }
    // expected-note @below {{and this one}}
    memref.store %x, %b[%t] : !wg
    gpu.return
  }
}
