// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L7: an access that may see the buffer of an earlier iteration. Two instances
// are alive at once; one slot is wrong.

func.func @iter_arg(%n: index, %s: index, %x: f32, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

// Nobody looks at the old one: each iteration writes a new one, the last of them
// is the result.
func.func @iter_arg_unused(%n: index, %s: index, %x: f32, %init: memref<16xf32>) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {  // 0
    // expected-remark @below {{lifetime [0, 6), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>         // 1
    memref.store %x, %a[%i] : memref<16xf32>     // 2
    scf.yield %a : memref<16xf32>
  }                                              // 4
  %y = memref.load %r[%s] : memref<16xf32>       // 5
  return %y : f32
}

// Allocated outside: the loop merely exchanges the two.
func.func @exchanged(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>           // 0
  memref.store %x, %a[%s] : memref<16xf32>       // 1
  // expected-remark @below {{lifetime [3, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>           // 2
  scf.for %i = %s to %n step %s iter_args(%p = %a, %q = %b) -> (memref<16xf32>, memref<16xf32>) {  // 3
    %y = memref.load %p[%i] : memref<16xf32>     // 4
    memref.store %y, %q[%i] : memref<16xf32>     // 5
    scf.yield %q, %p : memref<16xf32>, memref<16xf32>
  }                                              // 7
  return
}

// By way of a select, or of a branch.
func.func @through_select(%c: i1, %n: index, %s: index, %x: f32, %init: memref<16xf32>) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %next = arith.select %c, %a, %old : memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  %y = memref.load %r[%s] : memref<16xf32>
  return %y : f32
}

func.func @through_if(%c: i1, %n: index, %s: index, %x: f32, %init: memref<16xf32>) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %next = scf.if %c -> memref<16xf32> {
      // expected-remark @below {{not mergeable: loop-carried,}}
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%i] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    } else {
      scf.yield %old : memref<16xf32>
    }
    scf.yield %next : memref<16xf32>
  }
  %y = memref.load %r[%s] : memref<16xf32>
  return %y : f32
}

// Carried by the outer loop, allocated in the inner one.
func.func @outer(%n: index, %s: index, %x: f32, %init: memref<16xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %next = scf.for %j = %s to %n step %s iter_args(%unused = %init) -> memref<16xf32> {
      // expected-remark @below {{not mergeable: loop-carried,}}
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%i] : memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
    %y = memref.load %old[%i] : memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  return
}

// A view is the buffer.
func.func @view(%n: index, %s: index, %x: f32, %init: memref<?xf32>) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<?xf32> {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<?xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    %v = memref.cast %a : memref<16xf32> to memref<?xf32>
    scf.yield %v : memref<?xf32>
  }
  return
}

// From the first region of scf.while to the second: of the same iteration.
func.func @while_forward(%c: i1, %x: f32, %i: index) -> f32 {
  %r = scf.while : () -> memref<16xf32> {              // 0
    // expected-remark @below {{lifetime [0, 8), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>               // 1
    memref.store %x, %a[%i] : memref<16xf32>           // 2
    scf.condition(%c) %a : memref<16xf32>              // 3
  } do {
  ^bb0(%b: memref<16xf32>):
    memref.store %x, %b[%i] : memref<16xf32>           // 4
    scf.yield                                          // 5
  }                                                    // 6
  %y = memref.load %r[%i] : memref<16xf32>             // 7
  return %y : f32
}

// And from the second to the first of the next iteration, which allocates.
func.func @while_backward(%c: i1, %x: f32, %i: index, %init: memref<16xf32>) {
  %r = scf.while (%old = %init) : (memref<16xf32>) -> memref<16xf32> {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    scf.condition(%c) %a : memref<16xf32>
  } do {
  ^bb0(%b: memref<16xf32>):
    scf.yield %b : memref<16xf32>
  }
  return
}

// Allocated in the second region, read by the first of the next iteration, gone
// when the second is executed again. All of scf.while is covered.
func.func @while_once_around(%c: i1, %x: f32, %i: index, %init: memref<16xf32>) {
  scf.while (%old = %init) : (memref<16xf32>) -> () {  // 0
    %y = memref.load %old[%i] : memref<16xf32>         // 1
    scf.condition(%c)                                  // 2
  } do {
    // expected-remark @below {{lifetime [0, 7), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>               // 3
    memref.store %x, %a[%i] : memref<16xf32>           // 4
    scf.yield %a : memref<16xf32>                      // 5
  }                                                    // 6
  return
}

func.func @affine(%x: f32, %init: memref<16xf32>) {
  affine.for %i = 0 to 7 iter_args(%old = %init) -> memref<16xf32> {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %a = memref.alloc() : memref<16xf32>
    affine.store %x, %a[%i] : memref<16xf32>
    %y = affine.load %old[%i] : memref<16xf32>
    affine.yield %a : memref<16xf32>
  }
  return
}

// Over the back edge of a cycle of blocks.
func.func @block_argument(%c: i1, %x: f32, %i: index, %init: memref<16xf32>) {
  cf.br ^head(%init : memref<16xf32>)
^head(%old: memref<16xf32>):
  // expected-remark @below {{not mergeable: loop-carried,}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %y = memref.load %old[%i] : memref<16xf32>
  cf.cond_br %c, ^head(%a : memref<16xf32>), ^exit
^exit:
  return
}

// Over the back edge by several blocks, of which the last is out of the cycle.
func.func @block_argument_far(%c: i1, %x: f32, %i: index, %init: memref<16xf32>) -> f32 {
  cf.br ^head(%init : memref<16xf32>)
^head(%old: memref<16xf32>):
  cf.cond_br %c, ^body, ^exit(%old : memref<16xf32>)
^body:
  // expected-remark @below {{not mergeable: loop-carried,}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  cf.br ^latch(%a : memref<16xf32>)
^latch(%new: memref<16xf32>):
  cf.br ^head(%new : memref<16xf32>)
^exit(%last: memref<16xf32>):
  %y = memref.load %last[%i] : memref<16xf32>
  return %y : f32
}

// Forward to a block of the same round, which no back edge leaves.
func.func @block_argument_forward(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  cf.br ^head                                              // 0
^head:
  cf.cond_br %c, ^new, ^join(%m : memref<16xf32>)          // 1
^new:
  // expected-remark @below {{lifetime [4, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                     // 2
  cf.br ^join(%a : memref<16xf32>)                         // 3
^join(%b: memref<16xf32>):
  memref.store %x, %b[%i] : memref<16xf32>                 // 4
  cf.cond_br %c, ^head, ^exit                              // 5
^exit:
  return
}

// Out of the cycle, to the argument of a block behind it.
func.func @block_argument_of_exit(%c: i1, %x: f32, %i: index) -> f32 {
  cf.br ^head                                              // 0
^head:
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                     // 1
  memref.store %x, %a[%i] : memref<16xf32>                 // 2
  cf.cond_br %c, ^head, ^exit(%a : memref<16xf32>)         // 3
^exit(%last: memref<16xf32>):
  %y = memref.load %last[%i] : memref<16xf32>              // 4
  return %y : f32
}

// Into a cycle that the allocation is not in, and around it: one instance.
func.func @block_argument_of_other_cycle(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                     // 0
  cf.br ^head(%a : memref<16xf32>)                         // 1
^head(%b: memref<16xf32>):
  cf.cond_br %c, ^body, ^exit                              // 2
^body:
  memref.store %x, %b[%i] : memref<16xf32>                 // 3
  cf.br ^head(%b : memref<16xf32>)                         // 4
^exit:
  return                                                   // 5
}

// Irreducible: ^right can be entered with %init and with the buffer of the round
// before, over an edge that is no back edge in every numbering.
func.func @irreducible(%c: i1, %x: f32, %i: index, %init: memref<16xf32>) {
  cf.cond_br %c, ^left(%init : memref<16xf32>), ^right(%init : memref<16xf32>)
^left(%p: memref<16xf32>):
  %y = memref.load %p[%i] : memref<16xf32>
  cf.br ^right(%p : memref<16xf32>)
^right(%q: memref<16xf32>):
  // expected-remark @below {{not mergeable: loop-carried,}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %z = memref.load %q[%i] : memref<16xf32>
  cf.cond_br %c, ^left(%a : memref<16xf32>), ^exit
^exit:
  return
}
