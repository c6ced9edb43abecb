// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// The values that an allocation holds in turn have lifetimes of their own.

!m = memref<16xf32>

func.func @values(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 5), 64 bytes, value 1 of 2}}
  // expected-remark @below {{lifetime [8, 12), 64 bytes, value 2 of 2}}
  %a = memref.alloc() : !m                         // 0, 1
  // expected-note @below {{it begins here}}
  linalg.fill ins(%x : f32) outs(%a : !m)          // 2, 3, 4
  %y = memref.load %a[%i] : !m                     // 5
  // expected-remark @below {{lifetime [6, 8), 64 bytes}}
  %b = memref.alloc() : !m                         // 6
  memref.store %y, %b[%i] : !m                     // 7
  %z = memref.load %b[%i] : !m                     // 8
  // expected-note @below {{it begins here}}
  linalg.fill ins(%z : f32) outs(%a : !m)          // 9, 10, 11
  %w = memref.load %a[%i] : !m                     // 12
  return
}

// A store to one element begins nothing, unless there is only one.
!v = vector<16xf32>
func.func @one_element(%x: f32, %v: !v, %i: index) {
  %c0 = arith.constant 0 : index                   // 0
  // expected-remark @below {{lifetime [5, 7), 64 bytes}}
  %a = memref.alloc() : !m                         // 1
  // expected-remark @below {{lifetime [3, 5), 64 bytes, value 1 of 2}}
  // expected-remark @below {{lifetime [7, 9), 64 bytes, value 2 of 2}}
  %b = memref.alloc() : memref<1x1x!v>             // 2, 3
  // expected-note @below {{it begins here}}
  memref.store %v, %b[%c0, %c0] : memref<1x1x!v>   // 4
  %y = memref.load %b[%c0, %c0] : memref<1x1x!v>   // 5
  memref.store %x, %a[%i] : !m                     // 6
  memref.store %x, %a[%c0] : !m                    // 7
  // expected-note @below {{it begins here}}
  memref.store %v, %b[%c0, %c0] : memref<1x1x!v>   // 8
  %z = memref.load %b[%c0, %c0] : memref<1x1x!v>   // 9
  return
}

// A row of four, each of them a vector of four: as many numbers as there are vectors.
func.func @vectors_of_a_row(%x: f32, %v: vector<1x4xf32>, %i: index) {
  %c0 = arith.constant 0 : index                   // 0
  // expected-remark @below {{lifetime [3, 8), 64 bytes}}
  %b = memref.alloc() : memref<4xvector<4xf32>>    // 1
  // expected-remark @below {{lifetime [5, 7), 64 bytes}}
  %a = memref.alloc() : !m                         // 2
  vector.transfer_write %v, %b[%c0] {in_bounds = [true]} : vector<1x4xf32>, memref<4xvector<4xf32>> // 3
  %y = memref.load %b[%i] : memref<4xvector<4xf32>> // 4
  memref.store %x, %a[%i] : !m                     // 5
  memref.store %x, %a[%c0] : !m                    // 6
  vector.transfer_write %v, %b[%c0] {in_bounds = [true]} : vector<1x4xf32>, memref<4xvector<4xf32>> // 7
  return
}

func.func @no_dimension(%x: f32, %v: !v, %i: index) {
  // expected-remark @below {{lifetime [4, 6), 64 bytes}}
  %a = memref.alloc() : !m                         // 0
  // expected-remark @below {{lifetime [2, 4), 64 bytes, value 1 of 2}}
  // expected-remark @below {{lifetime [6, 8), 64 bytes, value 2 of 2}}
  %b = memref.alloc() : memref<!v>                 // 1, 2
  // expected-note @below {{it begins here}}
  memref.store %v, %b[] : memref<!v>               // 3
  %y = memref.load %b[] : memref<!v>               // 4
  memref.store %x, %a[%i] : !m                     // 5
  memref.store %x, %a[%i] : !m                     // 6
  // expected-note @below {{it begins here}}
  memref.store %v, %b[] : memref<!v>               // 7
  %z = memref.load %b[] : memref<!v>               // 8
  return
}

// L3: each iteration overwrites %a before it reads it. Not so %b, which is read in
// the next one.
func.func @iterations(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [6, 10), 64 bytes}}
  %a = memref.alloc() : !m                         // 0
  // expected-remark @below {{lifetime [2, 16), 64 bytes}}
  %b = memref.alloc() : !m                         // 1
  linalg.fill ins(%x : f32) outs(%b : !m)          // 2, 3, 4
  scf.for %i = %s to %n step %s {                  // 5
    linalg.fill ins(%x : f32) outs(%a : !m)        // 6, 7, 8
    %y = memref.load %a[%i] : !m                   // 9
    %z = memref.load %b[%i] : !m                   // 10
    linalg.fill ins(%z : f32) outs(%b : !m)        // 11, 12, 13
  }                                                // 14, 15
  return
}

// Through a view that is outside, and an argument of the inner loop.
func.func @nested(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [4, 11), 64 bytes}}
  %a = memref.alloc() : !m                         // 0
  // expected-remark @below {{lifetime [11, 14), 64 bytes}}
  %b = memref.alloc() : !m                         // 1
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : !m into memref<4x4xf32> // 2
  scf.for %i = %s to %n step %s {                  // 3
    linalg.fill ins(%x : f32) outs(%v : memref<4x4xf32>) // 4, 5, 6
    scf.for %j = %s to %n step %s iter_args(%k = %a) -> (!m) { // 7
      memref.store %x, %k[%j] : !m                 // 8
      scf.yield %k : !m                            // 9
    }                                              // 10
    linalg.fill ins(%x : f32) outs(%b : !m)        // 11, 12, 13
  }
  return
}

// L4: as a cycle of blocks.
func.func @blocks(%c: i1, %i: index, %x: f32) {
  // expected-remark @below {{lifetime [3, 7), 64 bytes}}
  %a = memref.alloc() : !m                         // 0
  // expected-remark @below {{lifetime [7, 11), 64 bytes}}
  %b = memref.alloc() : !m                         // 1
  cf.br ^loop                                      // 2
^loop:
  linalg.fill ins(%x : f32) outs(%a : !m)          // 3, 4, 5
  %y = memref.load %a[%i] : !m                     // 6
  linalg.fill ins(%y : f32) outs(%b : !m)          // 7, 8, 9
  %z = memref.load %b[%i] : !m                     // 10
  cf.cond_br %c, ^loop, ^exit
^exit:
  return
}

// The iterations of a parallel loop share %a, although each overwrites it.
func.func @parallel(%n: index, %x: f32) {
  // expected-remark @below {{lifetime [2, 11), 64 bytes}}
  %a = memref.alloc() : !m                         // 0
  // expected-remark @below {{lifetime [2, 11), 64 bytes}}
  %b = memref.alloc() : !m                         // 1
  scf.forall (%i) in (%n) {                        // 2
    linalg.fill ins(%x : f32) outs(%a : !m)        // 3, 4, 5
    memref.store %x, %a[%i] : !m                   // 6
    memref.store %x, %b[%i] : !m                   // 7
  }                                                // 8, 9, 10
  return
}

// What the payload reads is another buffer, or the same one.
#id = affine_map<(i) -> (i)>
func.func @payload_reads(%x: f32, %c: !m, %i: index) {
  // expected-remark @below {{value 1 of 2}}
  // expected-remark @below {{value 2 of 2}}
  %a = memref.alloc() : !m
  // expected-remark @below {{lifetime [5, 20), 64 bytes}}
  %b = memref.alloc() : !m
  // expected-note @below {{it begins here}}
  linalg.fill ins(%x : f32) outs(%a : !m)
  linalg.fill ins(%x : f32) outs(%b : !m)
  %y = memref.load %a[%i] : !m
  // expected-remark @below {{64 bytes}}
  %d = memref.alloc() : !m
  memref.store %y, %d[%i] : !m
  // expected-note @below {{it begins here}}
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : !m) {
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %z = memref.load %c[%k] : !m
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : !m) {
  ^bb0(%out: f32):
    %z = memref.load %b[%i] : !m
    linalg.yield %z : f32
  }
  %w = memref.load %a[%i] : !m
  return
}
