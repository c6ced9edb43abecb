// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races --canonicalize --check-workgroup-races -o /dev/null

// The end of a loop over threads is a barrier, but a loop without effects is erased
// before it becomes one, and effects that nothing observes are erased with it.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @empty(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @empty(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A value that is read and not used does not keep the loop.
  // CHECK-LABEL: gpu.func @unused(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @unused(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      %v = memref.load %a[%t] : !wg
      scf.for %k = %t to %i step %i {
        %w = memref.load %a[%k] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @written(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @written(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %a[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A variable of the thread that is not read.
  // CHECK-LABEL: gpu.func @private(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @private(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %p = memref.alloca() : memref<f32>
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %p[] : memref<f32>
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A branch that is not taken.
  // CHECK-LABEL: gpu.func @never(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @never(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %false = arith.constant false
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      scf.if %false {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Perhaps no iteration.
  // CHECK-LABEL: gpu.func @no_iteration(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @no_iteration(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c1 = arith.constant 1 : index
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      scf.for %k = %i to %i step %c1 {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A copy to itself.
  // CHECK-LABEL: gpu.func @itself(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @itself(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      memref.copy %a, %a : !wg to !wg
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A mask without a bit.
  // CHECK-LABEL: gpu.func @masked(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @masked(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %mask = vector.constant_mask [0] : vector<4xi1>
    %v = vector.broadcast %x : f32 to vector<4xf32>
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      vector.maskedstore %a[%t], %mask, %v : !wg, vector<4xi1>, vector<4xf32>
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A buffer without elements.
  // CHECK-LABEL: gpu.func @no_element(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @no_element(%x: f32, %i: index, %empty: memref<0xf32>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      linalg.fill ins(%x : f32) outs(%empty : memref<0xf32>)
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // The memory of the caller keeps what each thread writes, in a loop as well.
  // CHECK-LABEL: gpu.func @argument(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @argument(%x: f32, %i: index, %out: memref<?xf32>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      scf.for %k = %c0 to %c4 step %c1 {
        memref.store %x, %out[%t] : memref<?xf32>
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A copy from one buffer to another one stays, in one pool as well.
  // CHECK-LABEL: gpu.func @copied(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @copied(%x: f32, %i: index, %out: memref<?xf32>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      memref.copy %a, %b : !wg to !wg
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %c[%i] : !wg
    %v = memref.load %b[%i] : !wg
    memref.store %v, %out[%i] : memref<?xf32>
    gpu.return
  }

  // A branch that some iterations take.
  // CHECK-LABEL: gpu.func @some_iterations(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @some_iterations(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c32 = arith.constant 32 : index
      %c = arith.cmpi ult, %t, %c32 : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // The last one only.
  // CHECK-LABEL: gpu.func @last_iteration(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @last_iteration(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c63 = arith.constant 63 : index
      %c = arith.cmpi eq, %t, %c63 : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // None does.
  // CHECK-LABEL: gpu.func @beyond_last_iteration(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @beyond_last_iteration(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c64 = arith.constant 64 : index
      %c = arith.cmpi eq, %t, %c64 : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Each of two branches is taken, but none inside of the other.
  // CHECK-LABEL: gpu.func @no_iteration_in_both(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @no_iteration_in_both(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c32 = arith.constant 32 : index
      %c = arith.cmpi ult, %t, %c32 : index
      scf.if %c {
        %d = arith.cmpi uge, %t, %c32 : index
        scf.if %d {
          memref.store %x, %a[%t] : !wg
        }
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A bound that is an argument.
  // CHECK-LABEL: gpu.func @bound(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @bound(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c = arith.cmpi ult, %t, %i : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Nothing is less than 0.
  // CHECK-LABEL: gpu.func @bound_of_first(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @bound_of_first(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (1) {
      %c = arith.cmpi ugt, %t, %i : index
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // An argument decides.
  // CHECK-LABEL: gpu.func @flag(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @flag(%x: f32, %i: index, %c: i1) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      scf.if %c {
      } else {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // One and the same argument says no.
  // CHECK-LABEL: gpu.func @flag_twice(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @flag_twice(%x: f32, %i: index, %c: i1) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      scf.if %c {
      } else {
        scf.if %c {
          memref.store %x, %a[%t] : !wg
        }
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Or around the loop.
  // CHECK-LABEL: gpu.func @flag_around(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @flag_around(%x: f32, %i: index, %c: i1) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.if %c {
    } else {
      scf.forall (%t) in (64) {
        scf.if %c {
          memref.store %x, %a[%t] : !wg
        }
      } {mapping = [#gpu.thread<x>]}
    }
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // What is loaded may be known to others.
  // CHECK-LABEL: gpu.func @loaded(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @loaded(%x: f32, %i: index, %flags: memref<64xi1>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c = memref.load %flags[%t] : memref<64xi1>
      scf.if %c {
        memref.store %x, %a[%t] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A number and an argument, of which canonicalization makes one condition.
  // CHECK-LABEL: gpu.func @bound_of_some(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @bound_of_some(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
      %c32 = arith.constant 32 : index
      %c = arith.cmpi ult, %t, %c32 : index
      scf.if %c {
        %d = arith.cmpi ult, %t, %i : index
        scf.if %d {
          memref.store %x, %a[%t] : !wg
        }
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
