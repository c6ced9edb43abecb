// RUN: buffer-merge-opt %s --rotate-carried-buffers --remarks-filter=buffer-merge \
// RUN:   --remark-format=emitRemark --verify-diagnostics -o /dev/null

// How many instances of a loop-carried buffer are in use at once.

func.func @plain(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{[Passed] Rotated | Category:buffer-merge | Function=plain | Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

// The old one is gone when the next one is made.
func.func @gone(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %y = memref.load %old[%i] : memref<16xf32>
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=1}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    // No byte of it is needed.
    %c0 = arith.constant 0 : index
    %size = memref.dim %old, %c0 : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

func.func @chain(%n: index, %s: index, %p0: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%p = %p0, %q = %p0, %r = %p0)
      -> (memref<16xf32>, memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=4}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %p[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %q, %r, %a : memref<16xf32>, memref<16xf32>, memref<16xf32>
  }
  return
}

// The oldest are not looked at.
func.func @chain_unused(%n: index, %s: index, %p0: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%p = %p0, %q = %p0, %r = %p0)
      -> (memref<16xf32>, memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %r[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %q, %r, %a : memref<16xf32>, memref<16xf32>, memref<16xf32>
  }
  return
}

// But behind the loop.
func.func @chain_result(%n: index, %s: index, %p0: memref<16xf32>) -> f32 {
  %l:3 = scf.for %i = %s to %n step %s iter_args(%p = %p0, %q = %p0, %r = %p0)
      -> (memref<16xf32>, memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=3}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %r[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %q, %r, %a : memref<16xf32>, memref<16xf32>, memref<16xf32>
  }
  %y = memref.load %l#0[%s] : memref<16xf32>
  return %y : f32
}

func.func @longest_chain(%n: index, %s: index, %m: memref<16xf32>) {
  scf.for %i = %s to %n step %s
      iter_args(%b = %m, %c = %m, %d = %m, %e = %m, %f = %m, %g = %m, %h = %m)
      -> (memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=8}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %h[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a, %b, %c, %d, %e, %f, %g : memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>
  }
  return
}

func.func @too_long_chain(%n: index, %s: index, %m: memref<16xf32>) {
  scf.for %i = %s to %n step %s
      iter_args(%b = %m, %c = %m, %d = %m, %e = %m, %f = %m, %g = %m, %h = %m, %k = %m)
      -> (memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{{{\[Missed\] NotRotated .*too-many-instances, .*'memref.load'.*max-slots}}}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %k[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a, %b, %c, %d, %e, %f, %g, %h : memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>
  }
  return
}

// Two of them change places.
func.func @swapped(%n: index, %s: index, %p0: memref<16xf32>, %q0: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%p = %p0, %q = %q0) -> (memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %b = memref.alloc() : memref<16xf32>
    %x = memref.load %p[%i] : memref<16xf32>
    %y = memref.load %q[%i] : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    memref.store %y, %b[%i] : memref<16xf32>
    scf.yield %b, %a : memref<16xf32>, memref<16xf32>
  }
  return
}

// Kept for as long as there are iterations: by a select, by a branch, and by a
// swap that another iteration takes back.
func.func @selected(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}too-many-instances, {{.*}}'memref.load'{{.*}}max-slots}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    %next = arith.select %c, %a, %old : memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  return
}

func.func @branch(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %y = memref.load %old[%i] : memref<16xf32>
    %next = scf.if %c -> memref<16xf32> {
      // expected-remark-re @below {{NotRotated {{.*}}too-many-instances,}}
      %a = memref.alloc() : memref<16xf32>
      memref.store %y, %a[%i] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    } else {
      scf.yield %old : memref<16xf32>
    }
    scf.yield %next : memref<16xf32>
  }
  return
}

func.func @swap_back(%c: i1, %n: index, %s: index, %p0: memref<16xf32>, %q0: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%p = %p0, %q = %q0) -> (memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{NotRotated {{.*}}too-many-instances,}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %p[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    %next = arith.select %c, %a, %q : memref<16xf32>
    scf.yield %next, %p : memref<16xf32>, memref<16xf32>
  }
  return
}

// What is kept is not looked at.
func.func @selected_unused(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=1}}
    %a = memref.alloc() : memref<16xf32>
    %c0 = arith.constant 0 : index
    %size = memref.dim %old, %c0 : memref<16xf32>
    %y = arith.constant 1.0 : f32
    memref.store %y, %a[%i] : memref<16xf32>
    %next = arith.select %c, %a, %old : memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  return
}

// A new one either way.
func.func @either(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %next = scf.if %c -> memref<16xf32> {
      // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%i] : memref<16xf32>
      memref.store %y, %a[%i] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    } else {
      // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
      %b = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%s] : memref<16xf32>
      memref.store %y, %b[%i] : memref<16xf32>
      scf.yield %b : memref<16xf32>
    }
    %z = memref.load %old[%i] : memref<16xf32>
    memref.store %z, %next[%s] : memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  return
}

// Views are the buffer.
func.func @views(%n: index, %s: index, %init: memref<?xf32, strided<[?], offset: ?>>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<?xf32, strided<[?], offset: ?>> {
    %half = memref.subview %old[0] [%i] [1]
        : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %half[%i] : memref<?xf32, strided<[?], offset: ?>>
    memref.store %y, %a[%i] : memref<16xf32>
    %v = memref.cast %a : memref<16xf32> to memref<?xf32, strided<[?], offset: ?>>
    scf.yield %v : memref<?xf32, strided<[?], offset: ?>>
  }
  return
}

// A loop inside reads the old one again and again: within one iteration.
func.func @read_in_loop(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    scf.for %j = %s to %n step %s {
      %y = memref.load %old[%j] : memref<16xf32>
      memref.store %y, %a[%j] : memref<16xf32>
    }
    scf.yield %a : memref<16xf32>
  }
  return
}

// A loop inside hands it around: within one iteration as well.
func.func @handed_around(%n: index, %s: index, %p0: memref<16xf32>, %q0: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%p = %p0) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %r:2 = scf.for %j = %s to %n step %s iter_args(%u = %p, %v = %a) -> (memref<16xf32>, memref<16xf32>) {
      %y = memref.load %u[%j] : memref<16xf32>
      memref.store %y, %v[%j] : memref<16xf32>
      scf.yield %v, %u : memref<16xf32>, memref<16xf32>
    }
    scf.yield %a : memref<16xf32>
  }
  return
}

// Handed on by another loop, and only the result is carried: it may be the old one
// each time.
func.func @handed_on(%n: index, %s: index, %p0: memref<16xf32>, %q0: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%p = %p0) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}too-many-instances,}}
    %a = memref.alloc() : memref<16xf32>
    %r:2 = scf.for %j = %s to %n step %s iter_args(%u = %p, %v = %a) -> (memref<16xf32>, memref<16xf32>) {
      %y = memref.load %u[%j] : memref<16xf32>
      memref.store %y, %v[%j] : memref<16xf32>
      scf.yield %v, %u : memref<16xf32>, memref<16xf32>
    }
    scf.yield %r#0 : memref<16xf32>
  }
  return
}

// Nests of loops.

// Carried through both: the iterations of the inner one count throughout.
func.func @nest(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%x = %init) -> memref<16xf32> {
    %r = scf.for %j = %s to %n step %s iter_args(%old = %x) -> memref<16xf32> {
      // expected-remark-re @below {{Loops=2, {{.*}}Slots=2}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%j] : memref<16xf32>
      memref.store %y, %a[%j] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    scf.yield %r : memref<16xf32>
  }
  return
}

// By the inner one alone. The outer one sees the result of the same iteration.
func.func @nest_inner(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s {
    %r = scf.for %j = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%j] : memref<16xf32>
      memref.store %y, %a[%j] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    %z = memref.load %r[%i] : memref<16xf32>
    memref.store %z, %init[%i] : memref<16xf32>
  }
  return
}

// The old result lasts for all iterations of the inner loop.
func.func @nest_outer(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%x = %init) -> memref<16xf32> {
    %r = scf.for %j = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{NotRotated {{.*}}too-many-instances, {{.*}}'memref.load'}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %x[%j] : memref<16xf32>
      memref.store %y, %a[%j] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    scf.yield %r : memref<16xf32>
  }
  return
}

// And behind it.
func.func @nest_behind(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%x = %init) -> memref<16xf32> {
    %r = scf.for %j = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{NotRotated {{.*}}too-many-instances, {{.*}}'memref.load'}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%j] : memref<16xf32>
      memref.store %y, %a[%j] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    %z = memref.load %x[%i] : memref<16xf32>
    memref.store %z, %r[%i] : memref<16xf32>
    scf.yield %r : memref<16xf32>
  }
  return
}

// Before it: the old result is gone when the inner loop begins.
func.func @nest_before(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%x = %init) -> memref<16xf32> {
    %z = memref.load %x[%i] : memref<16xf32>
    memref.store %z, %init[%i] : memref<16xf32>
    %r = scf.for %j = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{Loops=2, {{.*}}Slots=2}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%j] : memref<16xf32>
      memref.store %y, %a[%j] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    scf.yield %r : memref<16xf32>
  }
  return
}

func.func @no_loop_between(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%x = %init) -> memref<16xf32> {
    %next = scf.if %c -> memref<16xf32> {
      %r = scf.for %j = %s to %n step %s iter_args(%old = %x) -> memref<16xf32> {
        // expected-remark-re @below {{NotRotated {{.*}}loop-nest, {{.*}}'scf.if'}}
        %a = memref.alloc() : memref<16xf32>
        %y = memref.load %old[%j] : memref<16xf32>
        memref.store %y, %a[%j] : memref<16xf32>
        scf.yield %a : memref<16xf32>
      }
      scf.yield %r : memref<16xf32>
    } else {
      scf.yield %x : memref<16xf32>
    }
    scf.yield %next : memref<16xf32>
  }
  return
}

// Other loops.

func.func @while_after(%n: index, %s: index, %init: memref<16xf32>) {
  %r:2 = scf.while (%i = %s, %old = %init) : (index, memref<16xf32>) -> (index, memref<16xf32>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %old : index, memref<16xf32>
  } do {
  ^bb0(%i: index, %old: memref<16xf32>):
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    %next = arith.addi %i, %s : index
    scf.yield %next, %a : index, memref<16xf32>
  }
  return
}

func.func @while_before(%c: i1, %s: index, %init: memref<16xf32>) {
  %r = scf.while (%old = %init) : (memref<16xf32>) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%s] : memref<16xf32>
    memref.store %y, %a[%s] : memref<16xf32>
    scf.condition(%c) %a : memref<16xf32>
  } do {
  ^bb0(%new: memref<16xf32>):
    %y = memref.load %new[%s] : memref<16xf32>
    memref.store %y, %init[%s] : memref<16xf32>
    scf.yield %new : memref<16xf32>
  }
  return
}

// The condition hands on the old one, which is used beside the next.
func.func @while_late(%c: i1, %s: index, %init: memref<16xf32>) {
  %r:2 = scf.while (%old = %init) : (memref<16xf32>) -> (memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %init, %a : memref<16xf32> to memref<16xf32>
    scf.condition(%c) %old, %a : memref<16xf32>, memref<16xf32>
  } do {
  ^bb0(%old: memref<16xf32>, %new: memref<16xf32>):
    %y = memref.load %old[%s] : memref<16xf32>
    memref.store %y, %new[%s] : memref<16xf32>
    scf.yield %new : memref<16xf32>
  }
  return
}

func.func @affine(%init: memref<16xf32>) {
  affine.for %i = 0 to 7 iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = affine.load %old[%i] : memref<16xf32>
    affine.store %y, %a[%i] : memref<16xf32>
    affine.yield %a : memref<16xf32>
  }
  return
}

// In each iteration of a parallel loop, which has slots of its own.
func.func @parallel(%n: index, %s: index, %init: memref<16xf32>) {
  scf.parallel (%k) = (%s) to (%n) step (%s) {
    scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%i] : memref<16xf32>
      memref.store %y, %a[%i] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
  }
  return
}

// Blocks.

func.func @blocks(%c: i1, %i: index, %init: memref<16xf32>) {
  cf.br ^head(%init : memref<16xf32>)
^head(%old: memref<16xf32>):
  // expected-remark-re @below {{NotRotated {{.*}}blocks, {{.*}}before structured control flow is lowered}}
  %a = memref.alloc() : memref<16xf32>
  %y = memref.load %old[%i] : memref<16xf32>
  memref.store %y, %a[%i] : memref<16xf32>
  cf.cond_br %c, ^head(%a : memref<16xf32>), ^exit
^exit:
  return
}

// A loop in a cycle of blocks that carries the result around.
func.func @loop_in_cycle(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  cf.br ^head(%init : memref<16xf32>)
^head(%x: memref<16xf32>):
  %r = scf.for %i = %s to %n step %s iter_args(%old = %x) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}blocks,}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  cf.cond_br %c, ^head(%r : memref<16xf32>), ^exit
^exit:
  return
}

// One that does not; and blocks behind a loop.
func.func @loop_in_cycle_by_itself(%c: i1, %n: index, %s: index, %init: memref<16xf32>) -> f32 {
  cf.br ^head
^head:
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  cf.cond_br %c, ^head, ^exit(%r : memref<16xf32>)
^exit(%last: memref<16xf32>):
  %z = memref.load %last[%s] : memref<16xf32>
  return %z : f32
}

// A cycle within the iteration executes the allocation again.
func.func @cycle_in_loop(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %r = scf.execute_region -> memref<16xf32> {
      cf.br ^again
    ^again:
      // expected-remark-re @below {{NotRotated {{.*}}blocks,}}
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%i] : memref<16xf32>
      memref.store %y, %a[%i] : memref<16xf32>
      cf.cond_br %c, ^again, ^done
    ^done:
      scf.yield %a : memref<16xf32>
    }
    scf.yield %r : memref<16xf32>
  }
  return
}

// Uses that rule it out.

func.func @returned(%n: index, %s: index, %init: memref<16xf32>) -> memref<16xf32> {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}returned, {{.*}}'func.return'{{.*}}--buffer-results-to-out-params}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return %r : memref<16xf32>
}

func.func @stored(%n: index, %s: index, %init: memref<16xf32>, %all: memref<?xmemref<16xf32>>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}stored-as-value, {{.*}}'memref.store'}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    memref.store %a, %all[%i] : memref<?xmemref<16xf32>>
    scf.yield %a : memref<16xf32>
  }
  return
}

func.func @reallocated(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}reallocated, {{.*}}'memref.realloc'}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    %larger = memref.realloc %old : memref<16xf32> to memref<32xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

func.func @asynchronous(%n: index, %s: index, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}asynchronous,}}
    %a = memref.alloc() : memref<16xf32>
    %t = async.execute {
      memref.copy %old, %a : memref<16xf32> to memref<16xf32>
      async.yield
    }
    scf.yield %a : memref<16xf32>
  }
  return
}

func.func @transfer(%n: index, %s: index, %init: memref<16xf32>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}asynchronous, {{.*}}'memref.dma_start'}}
    %a = memref.alloc() : memref<16xf32>
    memref.dma_start %old[%c0], %a[%c0], %c16, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
    scf.yield %a : memref<16xf32>
  }
  return
}

func.func @terminator(%n: index, %s: index, %init: memref<16xf32>, %zero: f32) {
  scf.parallel (%k) = (%s) to (%n) step (%s) init (%zero) -> f32 {
    %last = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{NotRotated {{.*}}accessed-by-terminator, {{.*}}'memref.load'}}
      %a = memref.alloc() : memref<16xf32>
      memref.copy %old, %a : memref<16xf32> to memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    scf.reduce(%zero : f32) {
    ^bb0(%l: f32, %r: f32):
      %x = memref.load %last[%s] : memref<16xf32>
      scf.reduce.return %x : f32
    }
  }
  return
}

// Deallocations.

// %init may be freed by the first iteration.
func.func @frees_argument(%n: index, %s: index, %init: memref<16xf32>) {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}dealloc-group, {{.*}}'memref.dealloc'{{.*}}before deallocations are inserted}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    memref.dealloc %old : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

// It is an allocation of which one slot is enough.
func.func @frees_allocation(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{[Passed] Hoisted | Category:buffer-merge | Function=frees_allocation}}
  %init = memref.alloc() : memref<16xf32>
  memref.store %x, %init[%s] : memref<16xf32>
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    memref.dealloc %old : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  memref.dealloc %r : memref<16xf32>
  return
}

// It is still being accessed when the slots would be freed.
func.func @frees_pending(%n: index, %s: index, %x: f32) {
  %init = memref.alloc() : memref<16xf32>
  %t = async.execute {
    memref.store %x, %init[%s] : memref<16xf32>
    async.yield
  }
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark-re @below {{NotRotated {{.*}}dealloc-group,}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    memref.dealloc %old : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  memref.dealloc %r : memref<16xf32>
  return
}

// A flag says that the first one is not freed. It holds for the value beside it only.
func.func @frees_owned(%n: index, %s: index, %init: memref<16xf32>) {
  %false = arith.constant false
  %true = arith.constant true
  %r:2 = scf.for %i = %s to %n step %s iter_args(%old = %init, %owned = %false) -> (memref<16xf32>, i1) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    scf.if %owned {
      memref.dealloc %old : memref<16xf32>
    }
    scf.yield %a, %true : memref<16xf32>, i1
  }
  scf.if %r#1 {
    memref.dealloc %r#0 : memref<16xf32>
  }
  return
}

func.func @frees_not_owned(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  %true = arith.constant true
  %r:2 = scf.for %i = %s to %n step %s iter_args(%old = %init, %owned = %true) -> (memref<16xf32>, i1) {
    // expected-remark-re @below {{NotRotated {{.*}}dealloc-group,}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    scf.if %owned {
      memref.dealloc %old : memref<16xf32>
    }
    scf.yield %a, %true : memref<16xf32>, i1
  }
  return
}

func.func @frees_else(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = scf.for %i = %s to %n step %s iter_args(%old = %init, %owned = %false) -> (memref<16xf32>, i1) {
    // expected-remark-re @below {{NotRotated {{.*}}dealloc-group,}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    scf.if %owned {
    } else {
      memref.dealloc %old : memref<16xf32>
    }
    scf.yield %a, %true : memref<16xf32>, i1
  }
  return
}

// The flag of another loop.
func.func @frees_by_other_flag(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  scf.for %k = %s to %n step %s iter_args(%owned = %false) -> i1 {
    %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      // expected-remark-re @below {{NotRotated {{.*}}dealloc-group,}}
      %a = memref.alloc() : memref<16xf32>
      memref.copy %old, %a : memref<16xf32> to memref<16xf32>
      scf.if %owned {
        memref.dealloc %old : memref<16xf32>
      }
      scf.yield %a : memref<16xf32>
    }
    scf.yield %true : i1
  }
  return
}

// In scf.while, the flag that the first region is entered with.
func.func @frees_owned_in_while(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  %false = arith.constant false
  %true = arith.constant true
  scf.while (%old = %init, %owned = %false) : (memref<16xf32>, i1) -> (memref<16xf32>) {
    // expected-remark-re @below {{Loops=1, {{.*}}Slots=2}}
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    scf.if %owned {
      memref.dealloc %old : memref<16xf32>
    }
    scf.condition(%c) %a : memref<16xf32>
  } do {
  ^bb0(%new: memref<16xf32>):
    scf.yield %new, %true : memref<16xf32>, i1
  }
  return
}

// Together with one that stays.
func.func @frees_with_other(%c: i1, %n: index, %s: index, %init: memref<16xf32>) {
  %r:2 = scf.for %i = %s to %n step %s iter_args(%p = %init, %q = %init) -> (memref<16xf32>, memref<16xf32>) {
    // expected-remark-re @below {{NotRotated {{.*}}dealloc-group,}}
    %a = memref.alloc() : memref<16xf32>
    // expected-remark-re @below {{NotRotated {{.*}}too-many-instances,}}
    %b = memref.alloc() : memref<16xf32>
    memref.copy %p, %a : memref<16xf32> to memref<16xf32>
    memref.copy %q, %b : memref<16xf32> to memref<16xf32>
    %next = arith.select %c, %b, %q : memref<16xf32>
    %last = arith.select %c, %a, %b : memref<16xf32>
    memref.dealloc %last : memref<16xf32>
    scf.yield %a, %next : memref<16xf32>, memref<16xf32>
  }
  return
}
