// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// An access through a view is an access to the buffer. In each function the last
// access is one through an alias, at the tick that the lifetime ends with.

func.func @subview(%i: index) -> f32 {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %v = memref.subview %a[1, 2] [2, 3] [1, 1]
      : memref<4x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 8>>        // 1
  %y = memref.load %v[%i, %i] : memref<2x3xf32, strided<[6, 1], offset: 8>>   // 2
  return %y : f32
}

func.func @shapes(%i: index) -> f32 {
  // expected-remark @below {{lifetime [4, 5), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %c = memref.collapse_shape %a [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  %e = memref.expand_shape %c [[0, 1]] output_shape [3, 8] : memref<24xf32> into memref<3x8xf32>
  %r = memref.reinterpret_cast %e to offset: [1], sizes: [5], strides: [2]
      : memref<3x8xf32> to memref<5xf32, strided<[2], offset: 1>>             // 3
  %y = memref.load %r[%i] : memref<5xf32, strided<[2], offset: 1>>            // 4
  return %y : f32
}

func.func @transpose(%i: index) -> f32 {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %t = memref.transpose %a (i, j) -> (j, i)
      : memref<4x6xf32> to memref<6x4xf32, strided<[1, 6]>>                   // 1
  %y = memref.load %t[%i, %i] : memref<6x4xf32, strided<[1, 6]>>              // 2
  return %y : f32
}

func.func @casts(%i: index) -> f32 {
  // expected-remark @below {{lifetime [5, 6), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %c = memref.cast %a : memref<4x6xf32> to memref<?x?xf32>                    // 1
  %u = memref.cast %c : memref<?x?xf32> to memref<*xf32>                      // 2
  %r = memref.cast %u : memref<*xf32> to memref<4x6xf32>                      // 3
  %s = memref.memory_space_cast %r : memref<4x6xf32> to memref<4x6xf32, 1>    // 4
  %y = memref.load %s[%i, %i] : memref<4x6xf32, 1>                            // 5
  return %y : f32
}

// A call with an unranked memref.
func.func @unranked() {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %u = memref.cast %a : memref<4x6xf32> to memref<*xf32>                      // 1
  call @print(%u) : (memref<*xf32>) -> ()                                     // 2
  return
}
func.func private @print(memref<*xf32>)

func.func @bytes(%i: index) -> f32 {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<96xi8>                                         // 0
  %v = memref.view %a[%i][] : memref<96xi8> to memref<7xf32>                  // 1
  %y = memref.load %v[%i] : memref<7xf32>                                     // 2
  return %y : f32
}

func.func @metadata(%i: index) -> f32 {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %a
      : memref<4x6xf32> -> memref<f32>, index, index, index, index, index     // 1
  %y = memref.load %b[] : memref<f32>                                         // 2
  return %y : f32
}

// The alignment that is promised is kept: see Transforms/alignment.mlir.
func.func @assume_alignment(%i: index) -> f32 {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %b = memref.assume_alignment %a, 256 : memref<4x6xf32>                      // 1
  %y = memref.load %b[%i, %i] : memref<4x6xf32>                               // 2
  return %y : f32
}

func.func @vector_type_cast(%i: index) -> vector<4x6xf32> {
  // expected-remark @below {{lifetime [2, 3), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %b = vector.type_cast %a : memref<4x6xf32> to memref<vector<4x6xf32>>       // 1
  %y = memref.load %b[] : memref<vector<4x6xf32>>                             // 2
  return %y : vector<4x6xf32>
}

func.func @select(%c: i1, %i: index, %x: f32, %m: memref<16xf32>) -> f32 {
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>                                        // 1
  %s = arith.select %c, %a, %b : memref<16xf32>                               // 2
  %y = memref.load %s[%i] : memref<16xf32>                                    // 3
  // expected-remark @below {{lifetime [6, 7), 64 bytes}}
  %d = memref.alloc() : memref<16xf32>                                        // 4
  %t = arith.select %c, %m, %d : memref<16xf32>                               // 5
  %z = memref.load %t[%i] : memref<16xf32>                                    // 6
  return %z : f32
}

// A call may return its operand.
func.func @call(%i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %b = call @first(%a) : (memref<16xf32>) -> memref<16xf32>                   // 1
  %y = memref.load %b[%i] : memref<16xf32>                                    // 2
  return %y : f32
}
func.func private @first(memref<16xf32>) -> memref<16xf32>

func.func @call_indirect(%f: (memref<16xf32>) -> memref<?xf32>, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %b = call_indirect %f(%a) : (memref<16xf32>) -> memref<?xf32>               // 1
  %y = memref.load %b[%i] : memref<?xf32>                                     // 2
  return %y : f32
}

// Results of branches.
func.func @results(%c: i1, %k: index, %m: memref<16xf32>) -> f32 {
  // expected-remark @below {{lifetime [19, 20), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %0 = scf.if %c -> memref<16xf32> {                                          // 1
    scf.yield %a : memref<16xf32>                                             // 2
  } else {
    scf.yield %m : memref<16xf32>                                             // 3
  }                                                                           // 4
  %1 = scf.index_switch %k -> memref<16xf32>                                  // 5
  case 3 {
    scf.yield %0 : memref<16xf32>
  }
  default {
    scf.yield %m : memref<16xf32>
  }                                                                           // 8
  %2 = scf.execute_region -> memref<16xf32> {                                 // 9
    scf.yield %1 : memref<16xf32>                                             // 10
  }                                                                           // 11
  %3 = memref.alloca_scope -> memref<16xf32> {                                // 12
    memref.alloca_scope.return %2 : memref<16xf32>                            // 13
  }                                                                           // 14
  %4 = affine.if affine_set<() : (0 == 0)>() -> memref<16xf32> {              // 15
    affine.yield %3 : memref<16xf32>
  } else {
    affine.yield %m : memref<16xf32>
  }                                                                           // 18
  %y = memref.load %4[%k] : memref<16xf32>                                    // 19
  return %y : f32
}

// Operands and results of loops.
func.func @loops(%c: i1, %n: index, %s: index) -> f32 {
  // expected-remark @below {{lifetime [11, 12), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %0 = scf.for %i = %s to %n step %s iter_args(%p = %a) -> memref<16xf32> {   // 1
    scf.yield %p : memref<16xf32>                                             // 2
  }                                                                           // 3
  %1 = scf.while (%p = %0) : (memref<16xf32>) -> memref<16xf32> {             // 4
    scf.condition(%c) %p : memref<16xf32>                                     // 5
  } do {
  ^bb0(%q: memref<16xf32>):
    scf.yield %q : memref<16xf32>                                             // 6
  }                                                                           // 7
  %2 = affine.for %i = 0 to 3 iter_args(%p = %1) -> memref<16xf32> {          // 8
    affine.yield %p : memref<16xf32>                                          // 9
  }                                                                           // 10
  %y = memref.load %2[%s] : memref<16xf32>                                    // 11
  return %y : f32
}

func.func @block_arguments(%c: i1, %i: index, %m: memref<16xf32>) -> f32 {
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  cf.cond_br %c, ^one(%a : memref<16xf32>), ^one(%m : memref<16xf32>)         // 1
^one(%b: memref<16xf32>):
  cf.br ^two(%m, %b : memref<16xf32>, memref<16xf32>)                         // 2
^two(%d: memref<16xf32>, %e: memref<16xf32>):
  %y = memref.load %e[%i] : memref<16xf32>                                    // 3
  return %y : f32
}

// Two operands of one operation, several uses of one alias.
func.func @both_operands(%i: index) {
  // expected-remark @below {{lifetime [3, 4), 96 bytes}}
  %a = memref.alloc() : memref<4x6xf32>                                       // 0
  %v = memref.subview %a[0, 0] [1, 6] [1, 1] : memref<4x6xf32> to memref<1x6xf32, strided<[6, 1]>>
  %w = memref.subview %a[1, 0] [1, 6] [1, 1]
      : memref<4x6xf32> to memref<1x6xf32, strided<[6, 1], offset: 6>>        // 2
  memref.copy %v, %w : memref<1x6xf32, strided<[6, 1]>> to memref<1x6xf32, strided<[6, 1], offset: 6>>  // 3
  return
}
