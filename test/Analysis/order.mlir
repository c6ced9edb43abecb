// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L1: ticks follow the order of execution.

// The first tick of each operation is written behind it.
func.func @straight_line(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [3, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [2, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  memref.store %x, %b[%i] : memref<16xf32>         // 2
  memref.store %x, %a[%i] : memref<16xf32>         // 3
  %y = memref.load %a[%i] : memref<16xf32>         // 4
  %z = memref.load %b[%i] : memref<16xf32>         // 5
  %s = arith.addf %y, %z : f32
  return %s : f32
}

// One access is a lifetime of one tick.
func.func @one_access(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  return
}

// An operation with regions has a tick before and one behind what is inside:
// scf.if has 1 and 6, those of its regions, scf.yield included, 2 to 5.
func.func @regions(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.if %c {                                      // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
  } else {                                         // scf.yield: 3
    memref.store %x, %a[%i] : memref<16xf32>       // 4
  }                                                // scf.yield: 5, end: 6
  memref.store %x, %a[%i] : memref<16xf32>         // 7
  return
}

// ^exit is written first and executed last.
func.func @blocks_out_of_order(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [5, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  memref.store %x, %a[%i] : memref<16xf32>         // 2
  cf.br ^middle                                    // 3
^exit:
  %z = memref.load %b[%i] : memref<16xf32>         // 7
  return %z : f32                                  // 8
^middle:
  %y = memref.load %a[%i] : memref<16xf32>         // 4
  memref.store %y, %b[%i] : memref<16xf32>         // 5
  cf.br ^exit                                      // 6
}

// ^left comes before ^right, the first successor before the second. What is
// accessed in one of them alone does not meet what is accessed in the other.
func.func @diamond(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [3, 12), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [5, 7), 64 bytes}}
  %l = memref.alloc() : memref<16xf32>             // 1
  // expected-remark @below {{lifetime [8, 10), 64 bytes}}
  %r = memref.alloc() : memref<16xf32>             // 2
  memref.store %x, %a[%i] : memref<16xf32>         // 3
  cf.cond_br %c, ^left, ^right                     // 4
^right:
  memref.store %x, %r[%i] : memref<16xf32>         // 8
  %z = memref.load %r[%i] : memref<16xf32>         // 9
  cf.br ^exit                                      // 10
^left:
  memref.store %x, %l[%i] : memref<16xf32>         // 5
  %y = memref.load %l[%i] : memref<16xf32>         // 6
  cf.br ^exit                                      // 7
^exit:
  %w = memref.load %a[%i] : memref<16xf32>         // 11
  return %w : f32
}

// A block on one path only: reverse post-order puts ^skipped before ^exit,
// although ^exit is the first successor.
func.func @triangle(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 7), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  memref.store %x, %a[%i] : memref<16xf32>         // 1
  cf.cond_br %c, ^exit, ^skipped                   // 2
^exit:
  %w = memref.load %a[%i] : memref<16xf32>         // 6
  return %w : f32
^skipped:
  // expected-remark @below {{lifetime [4, 5), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 3
  memref.store %x, %b[%i] : memref<16xf32>         // 4
  cf.br ^exit                                      // 5
}

// Blocks inside of an operation are ordered in the same way.
func.func @blocks_in_execute_region(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [3, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [6, 9), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  %r = scf.execute_region -> f32 {                 // 2
    memref.store %x, %a[%i] : memref<16xf32>       // 3
    cf.br ^second                                  // 4
  ^third:
    %z = memref.load %b[%i] : memref<16xf32>       // 8
    scf.yield %z : f32                             // 9
  ^second:
    %y = memref.load %a[%i] : memref<16xf32>       // 5
    memref.store %y, %b[%i] : memref<16xf32>       // 6
    cf.br ^third                                   // 7
  }                                                // 10
  return %r : f32
}

// What cannot be reached is never executed; it comes last.
func.func @unreachable_block(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  memref.store %x, %a[%i] : memref<16xf32>         // 1
  cf.br ^exit                                      // 2
^nowhere:
  // expected-remark @below {{not mergeable: unreachable,}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  cf.br ^exit
^exit:
  %y = memref.load %a[%i] : memref<16xf32>         // 3
  return %y : f32
}

// Nor is a region in a block that cannot be reached.
func.func @unreachable_region(%c: i1, %x: f32, %i: index) {
  cf.br ^exit
^nowhere:
  scf.if %c {
    // expected-remark @below {{not mergeable: unreachable,}}
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
  }
  cf.br ^exit
^exit:
  return
}

// The lifetimes of every function count from 0.
func.func @another_function(%x: f32, %i: index) {
  memref.alloca_scope {                            // 0
    // expected-remark @below {{lifetime [2, 3), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
  }
  return
}
