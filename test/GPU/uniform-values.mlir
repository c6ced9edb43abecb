// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s

// Values on which all threads agree. In each kernel %a and %b are accessed in two arms of a
// branch: they share bytes (256 of 512) if all threads take the same arm.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#space = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A value of each thread.
  // CHECK-LABEL: gpu.func @thread_value(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @thread_value(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %v = memref.load %in[%t] : memref<?xi32>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // A reduction gives all threads the same.
  // CHECK-LABEL: gpu.func @all_reduce(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @all_reduce(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %u = memref.load %in[%t] : memref<?xi32>
    %v = gpu.all_reduce add %u uniform {} : (i32) -> i32
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // All 64 threads compute the number 0, and 0 for the second dimension.
  // CHECK-LABEL: gpu.func @equal_numbers(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @equal_numbers(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %y = gpu.thread_id y
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %group = arith.divui %t, %c64 : index
    %sum = arith.addi %group, %y : index
    %c = arith.cmpi eq, %sum, %c0 : index
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // The last of 65 threads computes another one.
  // CHECK-LABEL: gpu.func @other_numbers(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @other_numbers(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel attributes {known_block_size = array<i32: 65, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %group = arith.divui %t, %c64 : index
    %c = arith.cmpi eq, %group, %c0 : index
    scf.if %c {
      memref.store %x, %a[%group] : !wg
    } else {
      memref.store %x, %b[%group] : !wg
    }
    gpu.return
  }

  // Another part of a subgroup may have another sum.
  // CHECK-LABEL: gpu.func @cluster(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @cluster(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %u = memref.load %in[%t] : memref<?xi32>
    %v = gpu.subgroup_reduce add %u cluster(size = 8) : (i32) -> i32
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // From one address: another workgroup may write there meanwhile.
  // CHECK-LABEL: gpu.func @load(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @load(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %v = memref.load %in[%g] : memref<?xi32>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // Each thread loads what it has stored itself: its private attribution is at the same
  // address as those of the others only in name.
  // CHECK-LABEL: gpu.func @private_attribution(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @private_attribution(%x: f32, %in: memref<?xi32>) private(%own: memref<1xi32, #gpu.address_space<private>>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %u = memref.load %in[%t] : memref<?xi32>
    memref.store %u, %own[%c0] : memref<1xi32, #gpu.address_space<private>>
    gpu.barrier
    %v = memref.load %own[%c0] : memref<1xi32, #gpu.address_space<private>>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // Each thread has a private global of its own.
  // CHECK-LABEL: gpu.func @private_global(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @private_global(%x: f32, %in: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %own = memref.get_global @own : memref<1xi32, #gpu.address_space<private>>
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %u = memref.load %in[%t] : memref<?xi32>
    memref.store %u, %own[%c0] : memref<1xi32, #gpu.address_space<private>>
    gpu.barrier
    %v = memref.load %own[%c0] : memref<1xi32, #gpu.address_space<private>>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }
  // Its number, and another view of it.
  // CHECK-LABEL: gpu.func @private_global_by_number(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @private_global_by_number(%x: f32, %in: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %own = memref.get_global @own_by_number : memref<1xi32, 5>
    %any = memref.memory_space_cast %own : memref<1xi32, 5> to memref<1xi32>
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %u = memref.load %in[%t] : memref<?xi32>
    memref.store %u, %own[%c0] : memref<1xi32, 5>
    gpu.barrier
    %v = memref.load %any[%c0] : memref<1xi32>
    gpu.barrier
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }
  memref.global "private" @own : memref<1xi32, #gpu.address_space<private>>
  memref.global "private" @own_by_number : memref<1xi32, 5>

  // The program says so.
  // CHECK-LABEL: gpu.func @declared(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @declared(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %v = memref.load %in[%t] {buffer_merge.uniform} : memref<?xi32>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // All threads reach a barrier or none, so they agree on the condition.
  // CHECK-LABEL: gpu.func @implied(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @implied(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %zero, %out[%t] : memref<?xi32>
    %v = memref.load %in[%g] : memref<?xi32>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
    }
    memref.store %x, %b[%t] : !wg
    gpu.return
  }

  // A condition on ids is not believed: such a program is wrong, but runs.
  // CHECK-LABEL: gpu.func @implied_by_id(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @implied_by_id(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = arith.cmpi eq, %t, %n : index
    scf.if %c {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
    }
    memref.store %x, %b[%t] : !wg
    gpu.return
  }

  // The same for a loop, whose counter all threads agree on.
  // CHECK-LABEL: gpu.func @implied_loop(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @implied_loop(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %zero, %out[%t] : memref<?xi32>
    %v = memref.load %in[%g] : memref<?xi32>
    %u = arith.index_cast %v : i32 to index
    scf.for %i = %c0 to %u step %c1 {
      memref.store %x, %a[%t] : !wg
      gpu.barrier
      %c = arith.cmpi eq, %i, %n : index
      scf.if %c {
        memref.store %x, %b[%t] : !wg
        gpu.barrier
      }
    }
    gpu.return
  }

  // They may count from different numbers.
  // CHECK-LABEL: gpu.func @not_implied_counter(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @not_implied_counter(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %zero, %out[%t] : memref<?xi32>
    %v = memref.load %in[%g] : memref<?xi32>
    %u = arith.index_cast %v : i32 to index
    scf.for %i = %u to %n step %c1 {
      gpu.barrier
      %c = arith.cmpi eq, %i, %n : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      } else {
        memref.store %x, %b[%t] : !wg
      }
    }
    gpu.return
  }

  // A loop with a barrier in a branch may run more iterations without it.
  // CHECK-LABEL: gpu.func @not_implied_loop(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @not_implied_loop(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %zero, %out[%t] : memref<?xi32>
    %v = memref.load %in[%g] : memref<?xi32>
    %u = arith.index_cast %v : i32 to index
    scf.for %i = %c0 to %u step %c1 {
      memref.store %x, %a[%t] : !wg
      %c = arith.cmpi eq, %i, %n : index
      scf.if %c {
        gpu.barrier
      }
    }
    gpu.barrier
    scf.for %i = %c0 to %u step %c1 {
      %c = arith.cmpi eq, %i, %n : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      } else {
        memref.store %x, %b[%t] : !wg
      }
    }
    gpu.return
  }

  // Threads that do not reach it may part between the others.
  // CHECK-LABEL: gpu.func @one_arm_of_three(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @one_arm_of_three(%x: f32, %n: index, %in: memref<?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %g = gpu.block_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %zero, %out[%t] : memref<?xi32>
    %v = memref.load %in[%g] : memref<?xi32>
    %u = arith.index_cast %v : i32 to index
    scf.index_switch %u
    case 0 {
      gpu.barrier
      scf.yield
    }
    case 1 {
      memref.store %x, %a[%t] : !wg
      scf.yield
    }
    default {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // Arguments of a kernel are uniform anyway.
  // CHECK-LABEL: gpu.func @declared_argument(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @declared_argument(%x: f32, %c: i1 {buffer_merge.uniform}) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }
}

// Of a function that may be called again, only the one that is declared is.
// CHECK-LABEL: func.func @argument(
// CHECK-COUNT-2: memref.alloc() : memref<64xf32
func.func @argument(%x: f32, %c: i1) {
  %t = gpu.thread_id x
  %a = memref.alloc() : !wg
  %b = memref.alloc() : !wg
  scf.if %c {
    gpu.barrier
    memref.store %x, %a[%t] : !wg
    gpu.barrier
  } else {
    gpu.barrier
  }
  gpu.barrier
  scf.if %c {
    memref.store %x, %a[%t] : !wg
  } else {
    memref.store %x, %b[%t] : !wg
  }
  gpu.barrier
  return
}
// The private attribution of a launch.
// CHECK-LABEL: func.func @private_attribution_of_launch(
// CHECK-COUNT-2: memref.alloc() : memref<64xf32
func.func @private_attribution_of_launch(%x: f32, %n: index, %in: memref<?xi32>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%t, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n)
      private(%own : memref<1xi32, #gpu.address_space<private>>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %u = memref.load %in[%t] : memref<?xi32>
    memref.store %u, %own[%c0] : memref<1xi32, #gpu.address_space<private>>
    gpu.barrier
    %v = memref.load %own[%c0] : memref<1xi32, #gpu.address_space<private>>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.terminator
  }
  return
}
// CHECK-LABEL: func.func @declared_argument(
//       CHECK:   memref.alloc() {{.*}} : memref<256xi8
func.func @declared_argument(%x: f32, %c: i1 {buffer_merge.uniform}) {
  %t = gpu.thread_id x
  %a = memref.alloc() : !wg
  %b = memref.alloc() : !wg
  scf.if %c {
    memref.store %x, %a[%t] : !wg
  } else {
    memref.store %x, %b[%t] : !wg
  }
  gpu.barrier
  return
}
