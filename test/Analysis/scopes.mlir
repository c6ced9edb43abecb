// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// Alloc scopes: the remark of a pool is at the operation that owns it.

// expected-remark @below {{pool: 2 buffers of 128 bytes}}
func.func @function(%x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  return
}

// Sequential loops and branches own none: what is allocated inside goes into the
// pool of the scope around them.
// expected-remark @below {{pool: 7 buffers of 448 bytes}}
func.func @sequential(%c: i1, %n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    scf.if %c {
      %b = memref.alloc() : memref<16xf32>
      memref.store %x, %b[%i] : memref<16xf32>
    }
  }
  affine.for %i = 0 to 7 {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    affine.if affine_set<() : (0 == 0)>() {
      %b = memref.alloc() : memref<16xf32>
      memref.store %x, %b[%i] : memref<16xf32>
    }
  }
  scf.while : () -> () {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%n] : memref<16xf32>
    scf.condition(%c)
  } do {
    scf.index_switch %n
    default {
      %b = memref.alloc() : memref<16xf32>
      memref.store %x, %b[%n] : memref<16xf32>
    }
    scf.yield
  }
  scf.execute_region {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%n] : memref<16xf32>
    scf.yield
  }
  return
}

// Bodies that run at the same time own a pool each.
func.func @forall(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  scf.forall (%i) in (%n) {
    scf.for %j = %s to %n step %s {
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%i] : memref<16xf32>
    }
  }
  return
}

func.func @parallel(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  scf.parallel (%i) = (%s) to (%n) step (%s) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
  }
  return
}

func.func @affine_parallel(%x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  affine.parallel (%i) = (0) to (7) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
  }
  return
}

func.func @launch(%n: index, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%tx] : memref<16xf32>
    gpu.terminator
  }
  return
}

func.func @async(%i: index, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  %t = async.execute {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield
  }
  return
}

// So does memref.alloca_scope, by its meaning.
func.func @alloca_scope(%i: index, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  memref.alloca_scope {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
  }
  return
}

// A result of it leaves the scope.
func.func @leaves_scope(%i: index, %x: f32) -> f32 {
  %r = memref.alloca_scope -> memref<16xf32> {
    // expected-remark @below {{not mergeable: leaves-scope,}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    memref.alloca_scope.return %a : memref<16xf32>
  }
  %y = memref.load %r[%i] : memref<16xf32>
  return %y : f32
}

// Each thread of a parallel region owns a pool, each task, and each group. What
// distributes iterations over threads does not.
func.func @omp(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  omp.parallel {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%n] : memref<16xf32>
    omp.wsloop {
      omp.loop_nest (%i) : index = (%s) to (%n) step (%s) {
        // expected-remark @below {{not mergeable: no-alloc-scope, 'omp.loop_nest' may run its region in another thread}}
        %b = memref.alloc() : memref<16xf32>
        memref.store %x, %b[%i] : memref<16xf32>
        omp.yield
      }
    }
    omp.single {
      // expected-remark @below {{not mergeable: no-alloc-scope, 'omp.single'}}
      %c = memref.alloc() : memref<16xf32>
      memref.store %x, %c[%n] : memref<16xf32>
      omp.terminator
    }
    omp.terminator
  }
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  omp.taskgroup {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%n] : memref<16xf32>
    // expected-remark @below {{pool: 1 buffer of 64 bytes}}
    omp.task {
      scf.for %i = %s to %n step %s {
        %b = memref.alloc() : memref<16xf32>
        memref.store %x, %b[%i] : memref<16xf32>
      }
      omp.terminator
    }
    omp.terminator
  }
  return
}

// An async.func lacks the trait, and becomes a function that has it.
// expected-remark @below {{pool: 1 buffer of 64 bytes}}
async.func @async_function(%i: index, %x: f32) -> !async.token {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  return
}

// By its trait; its loop is no sequential one, whatever it says.
func.func @acc(%i: index, %n: i32, %x: f32) {
  // expected-remark @below {{pool: 1 buffer of 64 bytes}}
  acc.parallel {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    // expected-remark @below {{pool: 1 buffer of 64 bytes}}
    acc.loop gang control(%j : i32) = (%n : i32) to (%n : i32) step (%n : i32) {
      %b = memref.alloc() : memref<16xf32>
      memref.store %x, %b[%i] : memref<16xf32>
      acc.yield
    } attributes {independent = [#acc.device_type<none>]}
    // A number may mean memory that threads share.
    // expected-remark @below {{not mergeable: memory-space,}}
    %c = memref.alloc() : memref<16xf32, 3>
    memref.store %x, %c[%i] : memref<16xf32, 3>
    acc.yield
  }
  // expected-remark @below {{lifetime}}
  %d = memref.alloc() : memref<16xf32, 3>
  memref.store %x, %d[%i] : memref<16xf32, 3>
  return
}

// A branch by its interface.
// expected-remark @below {{pool: 2 buffers of 128 bytes}}
func.func @emitc(%c: i1, %i: index, %x: f32) {
  // expected-remark @below {{lifetime [5, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>       // 0
  emitc.if %c {                              // 1
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>     // 2
    memref.store %x, %b[%i] : memref<16xf32> // 3
  } else {
    memref.store %x, %a[%i] : memref<16xf32> // 5
  }
  return
}

// The members of a class have no order.
func.func @class() {
  builtin.module {
    emitc.class @C {
      // expected-remark @below {{not mergeable: no-alloc-scope, 'emitc.class'}}
      %a = memref.alloc() : memref<16xf32>
    }
  }
  return
}

// Regions of operations that nothing is known about, and regions that say what is
// done for each element.
func.func @in_linalg(%i: index, %x: f32, %out: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%out : memref<16xf32>) {
  ^bb0(%o: f32):
    // expected-remark @below {{not mergeable: no-alloc-scope, 'linalg.generic' may run its region in another thread}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    linalg.yield %x : f32
  }
  return
}

func.func @in_reduce(%n: index, %s: index, %x: f32) {
  %r = scf.parallel (%i) = (%s) to (%n) step (%s) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      // expected-remark @below {{not mergeable: no-alloc-scope,}}
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%i] : memref<16xf32>
      scf.reduce.return %l : f32
    }
  }
  return
}

func.func @on_lane_0(%lane: index, %x: f32) {
  gpu.warp_execute_on_lane_0(%lane)[32] {
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%lane] : memref<16xf32>
  }
  return
}

// The last operation of a scope frees the pool after everything else. What its
// own region still accesses would come later.
func.func @accessed_by_terminator(%n: index, %s: index, %x: f32) {
  %r = scf.parallel (%i) = (%s) to (%n) step (%s) init (%x) -> f32 {
    // expected-remark-re @below {{not mergeable: accessed-by-terminator, {{.*}}'memref.load'}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      %y = memref.load %a[%i] : memref<16xf32>
      scf.reduce.return %y : f32
    }
  }
  return
}

// Outside of functions.
// expected-remark @below {{not mergeable: no-alloc-scope, it is outside of functions}}
%outside = memref.alloc() : memref<16xf32>
