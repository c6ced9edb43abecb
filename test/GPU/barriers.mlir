// RUN: buffer-merge-opt %s --buffer-lifetimes --split-input-file --verify-diagnostics=only-expected -o /dev/null

// Which pairs of buffers may not share bytes although their lifetimes are
// disjoint: between an access of one and an access of the other, of which one is a
// write, a barrier is missing on some path.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A barrier between the last access of one and the first of the other.
  // expected-remark @below {{2 buffers of 512 bytes, 256 alive at tick 2, pool of 256 bytes}}
  gpu.func @barrier(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{2 buffers of 512 bytes, 256 alive at tick 2, pool of 512 bytes}}
  gpu.func @write_write(%x: f32, %i: index) kernel {
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    // expected-note @below {{between this access}}
    memref.store %x, %a[%i] : !wg
    // expected-note @below {{and this one}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A branch that is always taken has its barrier on every path.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @always_taken(%x: f32, %i: index) kernel {
    %true = arith.constant true
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.if %true {
      gpu.barrier
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // One that is never taken has none.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @never_taken(%x: f32, %i: index) kernel {
    %false = arith.constant false
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    // expected-note @below {{between this access}}
    memref.store %x, %a[%i] : !wg
    scf.if %false {
      gpu.barrier
    }
    // expected-note @below {{and this one}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A write behind a read: a fast thread overwrites what a slow one still reads.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @write_after_read(%x: f32, %i: index) kernel {
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    // expected-note @below {{between this access}}
    %v = memref.load %a[%i] : !wg
    // expected-note @below {{and this one}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Two reads do no harm, whatever they read.
gpu.module @kernels {
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @read_read(%x: f32, %i: index, %out: memref<?xf32>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %v = memref.load %a[%i] : !wg
    %w = memref.load %b[%i] : !wg
    %s = arith.addf %v, %w : f32
    memref.store %s, %out[%i] : memref<?xf32>
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Loops: the last access of one iteration and the first of the next.
gpu.module @kernels {
  // One barrier in the loop does not separate b from a of the next iteration.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @back_edge(%x: f32, %i: index, %lb: index, %ub: index) kernel {
    scf.for %k = %lb to %ub step %ub {
      // expected-remark @below {{cannot share bytes with buffer 1 of the pool: back-edge}}
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      // expected-note @below {{and this one}}
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      // expected-note @below {{between this access}}
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @back_edge_with_barrier(%x: f32, %i: index, %lb: index, %ub: index) kernel {
    scf.for %k = %lb to %ub step %ub {
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      memref.store %x, %b[%i] : !wg
      gpu.barrier
    }
    gpu.return
  }

  // The same two loops apart: the outer one matters as well.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @outer_back_edge(%x: f32, %i: index, %lb: index, %ub: index) kernel {
    scf.for %k = %lb to %ub step %ub {
      // expected-remark @below {{cannot share bytes with buffer 1 of the pool: back-edge}}
      %a = memref.alloc() : !wg
      scf.for %l = %lb to %ub step %ub {
        // expected-note @below {{and this one}}
        memref.store %x, %a[%i] : !wg
      }
      gpu.barrier
      %b = memref.alloc() : !wg
      scf.for %l = %lb to %ub step %ub {
        // expected-note @below {{between this access}}
        memref.store %x, %b[%i] : !wg
      }
    }
    gpu.return
  }

  // The barrier is in a loop that may not be executed.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @zero_trips(%x: f32, %i: index, %lb: index, %ub: index) kernel {
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    // expected-note @below {{between this access}}
    memref.store %x, %a[%i] : !wg
    scf.for %k = %lb to %ub step %ub {
      gpu.barrier
    }
    // expected-note @below {{and this one}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @at_least_one_trip(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.for %k = %c0 to %c4 step %c1 {
      gpu.barrier
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @no_trip(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.for %k = %c1 to %c0 step %c1 {
      gpu.barrier
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @affine_trips(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    affine.store %x, %a[0] : !wg
    affine.for %k = 0 to 4 {
      gpu.barrier
    }
    affine.store %x, %b[0] : !wg
    gpu.return
  }

  // The first region of a while loop is executed once more than the second.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @while_before(%x: f32, %i: index, %ub: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.while (%k = %ub) : (index) -> index {
      gpu.barrier
      %more = arith.cmpi ult, %k, %ub : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %next = arith.addi %k, %ub : index
      scf.yield %next : index
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @while_after(%x: f32, %i: index, %ub: index) kernel {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.while (%k = %ub) : (index) -> index {
      %more = arith.cmpi ult, %k, %ub : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      gpu.barrier
      %next = arith.addi %k, %ub : index
      scf.yield %next : index
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // From the second region to the first.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @while_back_edge(%x: f32, %i: index, %ub: index) kernel {
    scf.while (%k = %ub) : (index) -> index {
      // expected-remark @below {{back-edge}}
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      %more = arith.cmpi ult, %k, %ub : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %b = memref.alloc() : !wg
      memref.store %x, %b[%i] : !wg
      scf.yield %k : index
    }
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Branches on which all threads agree: every path counts.
gpu.module @kernels {
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @barrier_in_one_arm(%x: f32, %i: index, %c: i1) kernel {
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    // expected-note @below {{between this access}}
    memref.store %x, %a[%i] : !wg
    scf.if %c {
      gpu.barrier
    }
    // expected-note @below {{and this one}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @barrier_in_then(%x: f32, %i: index, %c: i1) kernel {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      memref.store %x, %a[%i] : !wg
      gpu.barrier
    } else {
      memref.store %x, %a[%i] : !wg
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @barrier_in_both_arms(%x: f32, %i: index, %c: i1) kernel {
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

  // Buffers of two arms of which one is executed.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @exclusive(%x: f32, %i: index, %c: i1) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      memref.store %x, %a[%i] : !wg
    } else {
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // Not so in a loop: the next iteration may take the other arm.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @exclusive_in_loop(%x: f32, %i: index, %lb: index, %ub: index) kernel {
    scf.for %k = %lb to %ub step %ub {
      // expected-remark @below {{cannot share bytes with buffer 1 of the pool}}
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      %c = arith.cmpi eq, %k, %lb : index
      scf.if %c {
        memref.store %x, %a[%i] : !wg
      } else {
        memref.store %x, %b[%i] : !wg
      }
    }
    gpu.return
  }

  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @switch(%x: f32, %i: index, %c: index) kernel {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.index_switch %c
    case 0 {
      gpu.barrier
      scf.yield
    }
    case 1 {
      scf.yield
    }
    default {
      gpu.barrier
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
