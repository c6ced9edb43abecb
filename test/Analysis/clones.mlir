// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-lifetimes=in-place 2>&1 >/dev/null | FileCheck %s

// The result of bufferization.clone may be a copy of its source or the source
// itself: what reads the clone keeps the source alive, and the clone is deallocated
// by itself.

func.func @read(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 0
  memref.store %x, %a[%i] : memref<16xf32>                           // 1
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>     // 2
  %y = memref.load %b[%i] : memref<16xf32>                           // 3
  return %y : f32                                                    // 4
}

// The clone reads all of its source, even if nothing reads the clone.
func.func @not_read(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 0
  memref.store %x, %a[%i] : memref<16xf32>                           // 1
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>     // 2
  return                                                             // 3
}

// The deallocation of the clone is none of the buffer.
func.func @freed(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 0
  memref.store %x, %a[%i] : memref<16xf32>                           // 1
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>     // 2
  memref.dealloc %a : memref<16xf32>                                 // 3
  %y = memref.load %b[%i] : memref<16xf32>                           // 4
  memref.dealloc %b : memref<16xf32>                                 // 5
  return %y : f32
}

// Freed in another block: `canonicalize` might replace the clone by a view of the
// pool and the deallocation of the pool by this one.
func.func @freed_elsewhere(%c: i1, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: conditional-dealloc, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
  scf.if %c {
    memref.dealloc %b : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  return
}

// Inlined by `canonicalize`, it is the same.
func.func @freed_after_region(%c: i1, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: conditional-dealloc, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %r = scf.execute_region -> memref<16xf32> {
    %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
    scf.yield %b : memref<16xf32>
  }
  scf.if %c {
    memref.dealloc %r : memref<16xf32>
  }
  return
}

// The deallocation of a pool is never in the block of this clone.
func.func @nested(%c: i1, %m: memref<16xf32>, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 9), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 0
  memref.store %x, %a[%i] : memref<16xf32>                           // 1
  %r = scf.if %c -> memref<16xf32> {                                 // 2
    %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>   // 3
    scf.yield %b : memref<16xf32>                                    // 4
  } else {
    %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>   // 5
    scf.yield %b : memref<16xf32>                                    // 6
  }                                                                  // 7
  %y = memref.load %r[%i] : memref<16xf32>                           // 8
  memref.dealloc %r : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  return %y : f32
}

// A condition may turn out to be constant: the clone is among the operations of the
// scope then, and its deallocation is not.
func.func @freed_after_branch(%c: i1, %d: i1, %m: memref<16xf32>, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: conditional-dealloc, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %r = scf.if %c -> memref<16xf32> {
    %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
    scf.yield %b : memref<16xf32>
  } else {
    %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>
    scf.yield %b : memref<16xf32>
  }
  scf.if %d {
    memref.dealloc %r : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  return
}

// A loop hands on what was freed.
func.func @nested_in_loop(%c: i1, %n: index, %x: f32, %i: index) {
  %c0 = arith.constant 0 : index                                     // 0
  %c1 = arith.constant 1 : index                                     // 1
  // expected-remark @below {{lifetime [3, 12), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 2
  memref.store %x, %a[%i] : memref<16xf32>                           // 3
  scf.for %j = %c0 to %n step %c1 {                                  // 4
    %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>   // 5
    scf.if %c {                                                      // 6
      memref.dealloc %b : memref<16xf32>                             // 7
    }                                                                // 8, 9
  }                                                                  // 10, 11
  memref.dealloc %a : memref<16xf32>
  return
}

// What may be the buffer or its clone frees either.
func.func @buffer_or_clone(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %r = scf.if %c -> memref<16xf32> {
    %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
    scf.yield %b : memref<16xf32>
  } else {
    scf.yield %a : memref<16xf32>
  }
  %y = memref.load %r[%i] : memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return %y : f32
}

func.func @returned(%x: f32, %i: index) -> memref<16xf32> {
  // expected-remark-re @below {{not mergeable: returned, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
  return %b : memref<16xf32>
}

// A callee that returns a clone: the caller deallocates the result.
func.func private @cloned(%m: memref<16xf32>) -> memref<16xf32> {
  %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>
  return %b : memref<16xf32>
}
func.func @call(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 0
  memref.store %x, %a[%i] : memref<16xf32>                           // 1
  %b = call @cloned(%a) : (memref<16xf32>) -> memref<16xf32>         // 2
  %y = memref.load %b[%i] : memref<16xf32>                           // 3
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return %y : f32
}

// Inlined, this is a clone that is freed in another block.
func.func @call_freed_elsewhere(%c: i1, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: conditional-dealloc, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = call @cloned(%a) : (memref<16xf32>) -> memref<16xf32>
  scf.if %c {
    memref.dealloc %b : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  return
}

func.func private @frees_elsewhere(%c: i1, %m: memref<16xf32>) {
  %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>
  scf.if %c {
    memref.dealloc %b : memref<16xf32>
  }
  return
}
func.func @call_that_frees_elsewhere(%c: i1, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: conditional-dealloc, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  call @frees_elsewhere(%c, %a) : (i1, memref<16xf32>) -> ()
  memref.dealloc %a : memref<16xf32>
  return
}

// One that frees its own clone.
func.func private @clones(%m: memref<16xf32>, %i: index) -> f32 {
  %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>
  %y = memref.load %b[%i] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return %y : f32
}
func.func @call_that_frees_clone(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                               // 0
  memref.store %x, %a[%i] : memref<16xf32>                           // 1
  %y = call @clones(%a, %i) : (memref<16xf32>, index) -> f32         // 2
  memref.dealloc %a : memref<16xf32>
  return %y : f32
}

// The clone may be the buffer that the operation would write in place of, and it is
// read elsewhere than where the operation writes.
// CHECK: clones.mlir:[[#@LINE+1]]:{{.*}} pool: 2 buffers of 128 bytes, 128 alive
func.func @in_place(%x: f32, %out: memref<4x4xf32>) {
  // expected-remark @below {{lifetime [2, 10), 64 bytes}}
  %a = memref.alloc() : memref<4x4xf32>                              // 0
  // expected-remark @below {{lifetime [6, 11), 64 bytes}}
  %d = memref.alloc() : memref<4x4xf32>                              // 1
  linalg.fill ins(%x : f32) outs(%a : memref<4x4xf32>)               // 2 to 4
  %b = bufferization.clone %a : memref<4x4xf32> to memref<4x4xf32>   // 5
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):                                   // 6 to 9
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  }
  memref.copy %d, %out : memref<4x4xf32> to memref<4x4xf32>          // 10
  return
}
