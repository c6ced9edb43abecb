// RUN: buffer-merge-opt %s --buffer-lifetimes=erase-copies=false --verify-diagnostics=only-expected -o /dev/null

// L2: a lifetime covers every access through every alias, from the first to the
// last, both included. The allocation itself is not an access.

// Operations that take the buffer but neither read nor write it.
func.func @not_accesses(%x: f32, %i: index) -> index {
  // expected-remark @below {{lifetime [2, 4), 64 bytes}}
  %a = memref.alloc() : memref<4x4xf32>                                     // 0
  %v = memref.subview %a[1, 1] [2, 2] [1, 1]
      : memref<4x4xf32> to memref<2x2xf32, strided<[4, 1], offset: 5>>      // 1
  memref.store %x, %a[%i, %i] : memref<4x4xf32>                             // 2
  %y = memref.load %v[%i, %i] : memref<2x2xf32, strided<[4, 1], offset: 5>> // 3
  %w = memref.cast %a : memref<4x4xf32> to memref<?x?xf32>                  // 4
  %d = memref.dim %w, %i : memref<?x?xf32>                                  // 5
  %u = memref.cast %a : memref<4x4xf32> to memref<*xf32>                    // 6
  %r = memref.rank %u : memref<*xf32>                                       // 7
  memref.prefetch %a[%i, %i], read, locality<3>, data : memref<4x4xf32>     // 8
  %s = arith.addi %d, %r : index
  return %s : index
}

// An operation with several buffers: they are alive at one tick, so that they do
// not share.
func.func @end_and_begin_at_one_tick(%x: f32, %out: memref<16xf32>) {
  // expected-remark @below {{lifetime [1, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                     // 0
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)                      // 1-3
  // expected-remark @below {{lifetime [5, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>                                     // 4
  memref.copy %a, %b : memref<16xf32> to memref<16xf32>                    // 5
  memref.copy %b, %out : memref<16xf32> to memref<16xf32>                  // 6
  return
}

// A deallocation is neither an access nor the end of a lifetime.
func.func @dealloc(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

func.func @never_accessed(%i: index) -> index {
  // expected-remark @below {{not mergeable: never-accessed,}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{not mergeable: never-accessed,}}
  %b = memref.alloc() : memref<16xf32>
  %w = memref.cast %b : memref<16xf32> to memref<?xf32>
  %d = memref.dim %w, %i : memref<?xf32>
  // expected-remark @below {{not mergeable: never-accessed,}}
  %c = memref.alloc() : memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return %d : index
}

// Operations that access memory and that are known to.
func.func @affine(%x: f32, %v: vector<4xf32>, %i: index) {
  // expected-remark @below {{lifetime [1, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  affine.store %x, %a[0] : memref<16xf32>
  // expected-remark @below {{lifetime [3, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  affine.vector_store %v, %b[0] : memref<16xf32>, vector<4xf32>
  %0 = affine.load %a[0] : memref<16xf32>
  %1 = affine.vector_load %b[0] : memref<16xf32>, vector<4xf32>
  affine.prefetch %a[0], read, locality<3>, data : memref<16xf32>
  return
}

func.func @vector(%x: f32, %v: vector<4xf32>, %m: vector<4xi1>, %is: vector<4xi32>, %i: index) {
  // expected-remark @below {{lifetime [1, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  vector.store %v, %a[%i] : memref<16xf32>, vector<4xf32>
  %0 = vector.load %a[%i] : memref<16xf32>, vector<4xf32>
  // expected-remark @below {{lifetime [4, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  vector.transfer_write %v, %b[%i] : vector<4xf32>, memref<16xf32>
  %1 = vector.transfer_read %b[%i], %x : memref<16xf32>, vector<4xf32>
  // expected-remark @below {{lifetime [7, 9), 64 bytes}}
  %c = memref.alloc() : memref<16xf32>
  vector.maskedstore %c[%i], %m, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
  %2 = vector.maskedload %c[%i], %m, %v : memref<16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  // expected-remark @below {{lifetime [10, 12), 64 bytes}}
  %d = memref.alloc() : memref<16xf32>
  vector.scatter %d[%i][%is], %m, %v : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  %3 = vector.gather %d[%i][%is], %m, %v : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  // expected-remark @below {{lifetime [13, 15), 64 bytes}}
  %e = memref.alloc() : memref<16xf32>
  vector.compressstore %e[%i], %m, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
  %4 = vector.expandload %e[%i], %m, %v : memref<16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

func.func @atomic(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  %0 = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<16xf32>) -> f32
  // expected-remark @below {{lifetime [3, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  %1 = memref.generic_atomic_rmw %b[%i] : memref<16xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %x : f32
  }
  return
}

// The region of a linalg operation may access other buffers than its operands.
func.func @linalg(%x: f32, %i: index, %out: memref<16xf32>) {
  // expected-remark @below {{lifetime [3, 9), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%a : memref<16xf32>) {
  ^bb0(%o: f32):
    %k = linalg.index 0 : index
    %0 = memref.load %b[%k] : memref<16xf32>
    linalg.yield %0 : f32
  }
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  return
}

// The shape of memref.reshape is read from memory; a copy in both directions.
func.func @shape_operand(%x: index, %i: index, %m: memref<16xf32>) -> index {
  // expected-remark @below {{lifetime [1, 3), 8 bytes}}
  %s = memref.alloc() : memref<1xindex>
  memref.store %x, %s[%i] : memref<1xindex>
  %r = memref.reshape %m(%s) : (memref<16xf32>, memref<1xindex>) -> memref<?xf32>
  %d = memref.dim %r, %i : memref<?xf32>
  return %d : index
}

func.func @calls(%x: f32) {
  // expected-remark @below {{lifetime [1, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  func.call @use(%a) : (memref<16xf32>) -> ()
  func.call @use(%a) : (memref<16xf32>) -> ()
  return
}
func.func private @use(memref<16xf32>)

// The result of memref.reshape is a view of its source.
func.func @reshape_source(%shape: memref<1xindex>, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %r = memref.reshape %a(%shape) : (memref<16xf32>, memref<1xindex>) -> memref<?xf32> // 1
  memref.store %x, %r[%i] : memref<?xf32>                                     // 2
  return
}

// It may be the shape as well.
func.func @reshape_by_itself(%x: index, %i: index) -> index {
  // expected-remark @below {{lifetime [1, 3), 8 bytes}}
  %a = memref.alloc() : memref<1xindex>
  memref.store %x, %a[%i] : memref<1xindex>
  %r = memref.reshape %a(%a) : (memref<1xindex>, memref<1xindex>) -> memref<?xindex>
  %d = memref.dim %r, %i : memref<?xindex>
  return %d : index
}
