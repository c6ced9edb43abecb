// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L3: every operation with regions between an access and the innermost region
// that holds the allocation as well is covered whole, unless its regions run at
// most once. L6: a buffer of a loop body needs one slot for all iterations.

func.func @for(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 10), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>           // 0
  memref.store %x, %a[%s] : memref<16xf32>       // 1
  scf.for %i = %s to %n step %s {                // 2
    %y = memref.load %a[%i] : memref<16xf32>     // 3
    // L6: alive from its first to its last access, less than the body.
    // expected-remark @below {{lifetime [5, 7), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>         // 4
    memref.store %y, %b[%i] : memref<16xf32>     // 5
    %z = memref.load %b[%i] : memref<16xf32>     // 6
    %w = arith.addf %y, %z : f32                 // 7
  }                                              // scf.yield: 8, end: 9
  return
}

// The lifetime begins with the loop, not with the access: the second iteration
// reads what the first has written, whatever the first access is.
func.func @read_by_the_next_iteration(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 7), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>           // 0
  scf.for %i = %s to %n step %s {                // 1
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>         // 2
    memref.store %x, %b[%i] : memref<16xf32>     // 3
    memref.store %x, %a[%i] : memref<16xf32>     // 4
  }                                              // 6
  return
}

// At every level, not at the innermost alone.
func.func @nested(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 11), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.for %i = %s to %n step %s {                  // 1
    scf.for %j = %s to %n step %s {                // 2
      scf.for %k = %s to %n step %s {              // 3
        memref.store %x, %a[%k] : memref<16xf32>   // 4
      }                                            // 6
    }                                              // 8
  }                                                // 10
  return
}

// Up to the loop that the allocation is inside of, and no further.
func.func @allocated_between(%n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {                  // 0
    // expected-remark @below {{lifetime [2, 7), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 1
    scf.for %j = %s to %n step %s {                // 2
      memref.store %x, %a[%j] : memref<16xf32>     // 3
    }                                              // 5
    memref.store %x, %a[%i] : memref<16xf32>       // 6
  }
  return
}

// A branch extends nothing by itself, the loop around it does.
func.func @branch_in_loop(%c: i1, %n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.for %i = %s to %n step %s {                  // 1
    scf.if %c {                                    // 2
      memref.store %x, %a[%i] : memref<16xf32>     // 3
    }                                              // 5
  }                                                // 7
  return
}

func.func @loop_in_branch(%c: i1, %n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [2, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.if %c {                                      // 1
    scf.for %i = %s to %n step %s {                // 2
      memref.store %x, %a[%i] : memref<16xf32>     // 3
    }                                              // 5
  }                                                // 7
  return
}

// Both regions of scf.while are executed again.
func.func @while(%c: i1, %n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  scf.while : () -> () {                           // 2
    memref.store %x, %a[%s] : memref<16xf32>       // 3
    scf.condition(%c)                              // 4
  } do {
    memref.store %x, %b[%s] : memref<16xf32>       // 5
    scf.yield                                      // 6
  }                                                // 7
  return
}

func.func @affine_for(%s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 10), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  affine.for %i = 0 to 16 {                        // 1
    affine.for %j = 0 to 15 {                      // 2
      affine.store %x, %a[%j] : memref<16xf32>     // 3
    }                                              // 5
    // expected-remark @below {{lifetime [7, 8), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 6
    affine.store %x, %b[%i] : memref<16xf32>       // 7
  }                                                // 9
  return
}

// Loops whose iterations run at the same time: all that is accessed in one of
// them, and is not its own, is in use until all are done.
func.func @forall(%n: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.forall (%i) in (%n) {                        // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
  }                                                // scf.forall.in_parallel: 3, 4, end: 5
  return
}

func.func @parallel(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [2, 9), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [2, 9), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  %r = scf.parallel (%i) = (%s) to (%n) step (%s) init (%x) -> f32 {  // 2
    %y = memref.load %a[%i] : memref<16xf32>       // 3
    scf.reduce(%y : f32) {                         // 4
    ^bb0(%l: f32, %m: f32):
      %z = memref.load %b[%s] : memref<16xf32>     // 5
      scf.reduce.return %z : f32                   // 6
    }                                              // 7
  }                                                // 8
  return
}

func.func @affine_parallel(%x: f32) {
  // expected-remark @below {{lifetime [1, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  affine.parallel (%i) = (0) to (16) {             // 1
    affine.store %x, %a[%i] : memref<16xf32>       // 2
  }                                                // 4
  return
}

func.func @launch(%n: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {  // 1
    memref.store %x, %a[%tx] : memref<16xf32>      // 2
    gpu.terminator                                 // 3
  }                                                // 4
  return
}

func.func @omp_parallel(%i: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  omp.parallel {                                   // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    omp.terminator                                 // 3
  }                                                // 4
  return
}

// Regions that run at most once, and that are done before the operation is,
// extend nothing.
func.func @at_most_once(%c: i1, %k: index, %x: f32) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.execute_region {                             // 1
    memref.store %x, %a[%k] : memref<16xf32>       // 2
    scf.yield                                      // 3
  }                                                // 4
  // expected-remark @below {{lifetime [7, 13), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 5
  memref.alloca_scope {                            // 6
    memref.store %x, %b[%k] : memref<16xf32>       // 7
  }                                                // 9
  // expected-remark @below {{lifetime [14, 17), 64 bytes}}
  %d = memref.alloc() : memref<16xf32>             // 10
  scf.index_switch %k                              // 11, the default comes first
  case 0 {
    memref.store %x, %d[%k] : memref<16xf32>       // 14
    scf.yield                                      // 15
  }
  case 1 {
    memref.store %x, %d[%k] : memref<16xf32>       // 16
    scf.yield                                      // 17
  }
  default {
    memref.store %x, %b[%k] : memref<16xf32>       // 12
  }                                                // 18
  // expected-remark @below {{lifetime [21, 22), 64 bytes}}
  %e = memref.alloc() : memref<16xf32>             // 19
  affine.if affine_set<() : (0 == 0)>() {          // 20
    memref.store %x, %e[%k] : memref<16xf32>       // 21
  }
  return
}

// The way down to the allocation counts as well: the loop that a buffer leaves
// as a result is covered whole, for the buffer of the last iteration and those
// of the iterations before have the same bytes.
func.func @result_of_loop(%n: index, %s: index, %x: f32, %init: memref<16xf32>) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {  // 0
    // expected-remark @below {{lifetime [0, 8), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 1
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 2
    memref.store %x, %b[%i] : memref<16xf32>       // 3
    memref.store %x, %a[%i] : memref<16xf32>       // 4
    scf.yield %a : memref<16xf32>                  // 5
  }                                                // 6
  %y = memref.load %r[%s] : memref<16xf32>         // 7
  return %y : f32
}

// Through two loops.
func.func @result_of_nest(%n: index, %s: index, %x: f32, %init: memref<16xf32>) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {        // 0
    %q = scf.for %j = %s to %n step %s iter_args(%older = %init) -> memref<16xf32> {    // 1
      // expected-remark @below {{lifetime [0, 9), 64 bytes}}
      %a = memref.alloc() : memref<16xf32>         // 2
      memref.store %x, %a[%i] : memref<16xf32>     // 3
      scf.yield %a : memref<16xf32>                // 4
    }                                              // 5
    scf.yield %q : memref<16xf32>                  // 6
  }                                                // 7
  %y = memref.load %r[%s] : memref<16xf32>         // 8
  return %y : f32
}

// Out of the loop, but not beyond the one around it.
func.func @result_used_inside(%n: index, %s: index, %x: f32, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s {                  // 0
    %q = scf.for %j = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {      // 1
      // expected-remark @below {{lifetime [1, 7), 64 bytes}}
      %a = memref.alloc() : memref<16xf32>         // 2
      memref.store %x, %a[%i] : memref<16xf32>     // 3
      scf.yield %a : memref<16xf32>                // 4
    }                                              // 5
    %y = memref.load %q[%s] : memref<16xf32>       // 6
  }                                                // 8
  return
}

// A result of a branch needs nothing of it.
func.func @result_of_branch(%c: i1, %i: index, %x: f32) -> f32 {
  %r = scf.if %c -> memref<16xf32> {               // 0
    // expected-remark @below {{lifetime [2, 9), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    scf.yield %a : memref<16xf32>                  // 3
  } else {
    // expected-remark @below {{lifetime [5, 9), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 4
    memref.store %x, %b[%i] : memref<16xf32>       // 5
    scf.yield %b : memref<16xf32>                  // 6
  }                                                // 7
  %y = memref.load %r[%i] : memref<16xf32>         // 8
  return %y : f32
}

// L6: loop-local buffers share with each other and with what is alive only
// before, or only behind the loop.
func.func @loop_local(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %before = memref.alloc() : memref<16xf32>        // 0
  memref.store %x, %before[%s] : memref<16xf32>    // 1
  scf.for %i = %s to %n step %s {                  // 2
    // expected-remark @below {{lifetime [4, 5), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 3
    memref.store %x, %a[%i] : memref<16xf32>       // 4
    // expected-remark @below {{lifetime [6, 7), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 5
    memref.store %x, %b[%i] : memref<16xf32>       // 6
  }                                                // 8
  // expected-remark @below {{lifetime [10, 11), 64 bytes}}
  %behind = memref.alloc() : memref<16xf32>        // 9
  memref.store %x, %behind[%s] : memref<16xf32>    // 10
  return
}

// What is used before and behind a loop is alive in it.
func.func @around_loop(%n: index, %s: index, %x: f32) -> f32 {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  memref.store %x, %a[%s] : memref<16xf32>         // 1
  scf.for %i = %s to %n step %s {                  // 2
    // expected-remark @below {{lifetime [4, 5), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 3
    memref.store %x, %b[%i] : memref<16xf32>       // 4
  }                                                // 6
  %y = memref.load %a[%s] : memref<16xf32>         // 7
  return %y : f32
}
