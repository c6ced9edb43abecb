// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L4: with the allocation's block taken out of the CFG, the cycle of blocks that
// holds an access is covered whole.

func.func @loop(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [3, 7), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [3, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  cf.br ^head                                      // 2
^head:
  memref.store %x, %b[%i] : memref<16xf32>         // 3
  cf.cond_br %c, ^body, ^exit                      // 4
^body:
  memref.store %x, %a[%i] : memref<16xf32>         // 5
  cf.br ^head                                      // 6
^exit:
  return                                           // 7
}

// L6: allocated in the cycle, and accessed in the same round.
func.func @loop_local(%c: i1, %x: f32, %i: index) {
  cf.br ^head                                      // 0
^head:
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 1
  memref.store %x, %a[%i] : memref<16xf32>         // 2
  cf.cond_br %c, ^body, ^exit                      // 3
^body:
  // expected-remark @below {{lifetime [5, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 4
  memref.store %x, %b[%i] : memref<16xf32>         // 5
  cf.br ^head                                      // 6
^exit:
  // Of the last round.
  memref.store %x, %a[%i] : memref<16xf32>         // 7
  return
}

func.func @self_loop(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  cf.br ^self                                      // 1
^self:
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 2
  memref.store %x, %b[%i] : memref<16xf32>         // 3
  memref.store %x, %a[%i] : memref<16xf32>         // 4
  cf.cond_br %c, ^self, ^exit                      // 5
^exit:
  return                                           // 6
}

// The outermost cycle that the allocation is not in: of the nest both for %a, the
// inner one alone for %b.
func.func @nested(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  cf.br ^outer                                     // 1
^outer:
  // expected-remark @below {{lifetime [4, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 2
  cf.br ^inner                                     // 3
^inner:
  memref.store %x, %a[%i] : memref<16xf32>         // 4
  memref.store %x, %b[%i] : memref<16xf32>         // 5
  cf.cond_br %c, ^inner, ^latch                    // 6
^latch:
  cf.cond_br %c, ^outer, ^exit                     // 7
^exit:
  return                                           // 8
}

// A cycle with two entries.
func.func @irreducible(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  cf.cond_br %c, ^left, ^right                     // 1
^left:
  memref.store %x, %a[%i] : memref<16xf32>         // 2
  cf.br ^right                                     // 3
^right:
  cf.cond_br %c, ^left, ^exit                      // 4
^exit:
  return                                           // 5
}

// An irreducible cycle inside of a loop, which holds the allocation.
func.func @irreducible_in_loop(%c: i1, %x: f32, %i: index) {
  cf.br ^head                                      // 0
^head:
  // expected-remark @below {{lifetime [3, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 1
  cf.cond_br %c, ^left, ^right                     // 2
^left:
  memref.store %x, %a[%i] : memref<16xf32>         // 3
  cf.br ^right                                     // 4
^right:
  // expected-remark @below {{lifetime [6, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 5
  memref.store %x, %b[%i] : memref<16xf32>         // 6
  cf.cond_br %c, ^left, ^latch                     // 7
^latch:
  cf.cond_br %c, ^head, ^exit                      // 8
^exit:
  return                                           // 9
}

// Blocks of a cycle are numbered without a gap: ^behind is no part of the cycle,
// although a plain reverse post-order may put it between ^head and ^body. %a is
// alive from before to behind, so in all of the cycle, and %b with it.
func.func @contiguous(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  memref.store %x, %a[%i] : memref<16xf32>         // 1
  cf.br ^head                                      // 2
^head:
  cf.cond_br %c, ^behind, ^body                    // 3
^behind:
  %y = memref.load %a[%i] : memref<16xf32>         // 7
  return %y : f32                                  // 8
^body:
  // expected-remark @below {{lifetime [5, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 4
  memref.store %x, %b[%i] : memref<16xf32>         // 5
  cf.br ^head                                      // 6
}

// The allocation in a branch inside of the first block of the cycle's way in.
func.func @allocation_in_region(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  %r = scf.if %c -> memref<16xf32> {               // 0
    // expected-remark @below {{lifetime [6, 9), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 1
    scf.yield %a : memref<16xf32>                  // 2
  } else {
    scf.yield %m : memref<16xf32>                  // 3
  }                                                // 4
  cf.br ^body                                      // 5
^body:
  memref.store %x, %r[%i] : memref<16xf32>         // 6
  cf.cond_br %c, ^latch, ^exit                     // 7
^latch:
  cf.br ^body                                      // 8
^exit:
  return
}

// The access in a region inside of a block of the cycle.
func.func @access_in_region(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 7), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  cf.br ^body                                      // 1
^body:
  scf.if %c {                                      // 2
    memref.store %x, %a[%i] : memref<16xf32>       // 3
  }                                                // 5
  cf.cond_br %c, ^body, ^exit                      // 6
^exit:
  return
}

// A cycle of blocks inside of scf.execute_region, inside of a loop.
func.func @in_execute_region(%c: i1, %n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 14), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.for %i = %s to %n step %s {                  // 1
    // expected-remark @below {{lifetime [6, 10), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 2
    scf.execute_region {                           // 3
      // expected-remark @below {{lifetime [6, 10), 64 bytes}}
      %d = memref.alloc() : memref<16xf32>         // 4
      cf.br ^body                                  // 5
    ^body:
      memref.store %x, %a[%i] : memref<16xf32>     // 6
      memref.store %x, %b[%i] : memref<16xf32>     // 7
      memref.store %x, %d[%i] : memref<16xf32>     // 8
      cf.cond_br %c, ^body, ^exit                  // 9
    ^exit:
      scf.yield                                    // 10
    }                                              // 11
  }                                                // 13
  return
}

// A buffer that left a cycle, allocated in a region of a block of an inner one.
func.func @leaves_region_in_cycle(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) -> f32 {
  %r = scf.execute_region -> memref<16xf32> {      // 0
    cf.br ^body                                    // 1
  ^body:
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 2
    memref.store %x, %b[%i] : memref<16xf32>       // 3
    // expected-remark @below {{lifetime [2, 10), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 4
    cf.cond_br %c, ^body, ^exit                    // 5
  ^exit:
    scf.yield %a : memref<16xf32>                  // 6
  }                                                // 7
  memref.store %x, %r[%i] : memref<16xf32>         // 8
  %y = memref.load %r[%i] : memref<16xf32>         // 9
  return %y : f32
}
