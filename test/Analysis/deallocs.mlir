// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// A deallocation of one of several buffers: all of them are merged, or none.

func.func @all_merged(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  memref.store %x, %a[%i] : memref<16xf32>         // 2
  memref.store %x, %b[%i] : memref<16xf32>         // 3
  %s = arith.select %c, %a, %b : memref<16xf32>    // 4
  memref.dealloc %s : memref<16xf32>               // 5
  return
}

func.func @argument(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %s = arith.select %c, %a, %m : memref<16xf32>
  memref.dealloc %s : memref<16xf32>
  return
}

func.func @dynamic(%c: i1, %n: index, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  %v = memref.cast %a : memref<16xf32> to memref<?xf32>
  %s = scf.if %c -> memref<?xf32> {
    scf.yield %v : memref<?xf32>
  } else {
    scf.yield %b : memref<?xf32>
  }
  memref.dealloc %s : memref<?xf32>
  return
}

// One falls, and takes the others with it, by way of %b, %c and %d.
func.func @chain(%t: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %b = memref.alloc() : memref<16xf32>
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %c = memref.alloc() : memref<16xf32>
  // expected-remark @below {{lifetime}}
  %d = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  memref.store %x, %d[%i] : memref<16xf32>
  %ab = arith.select %t, %a, %b : memref<16xf32>
  memref.dealloc %ab : memref<16xf32>
  %bc = arith.select %t, %b, %c : memref<16xf32>
  memref.dealloc %bc : memref<16xf32>
  %cm = arith.select %t, %c, %m : memref<16xf32>
  memref.dealloc %cm : memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  return
}

// The result of a call: the operand, or something that the callee allocated.
func.func @call(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  %r = call @same_or_new(%a) : (memref<16xf32>) -> memref<16xf32>
  memref.store %x, %r[%i] : memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}
func.func private @same_or_new(memref<16xf32>) -> memref<16xf32>

// A deallocation of each iteration, of what was allocated in it.
func.func @in_loop(%n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {
    // expected-remark @below {{lifetime [2, 3), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    memref.dealloc %a : memref<16xf32>
  }
  return
}

// The block argument may be the buffer, or not.
func.func @block_argument(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  cf.cond_br %c, ^exit(%a : memref<16xf32>), ^exit(%m : memref<16xf32>)
^exit(%b: memref<16xf32>):
  memref.dealloc %b : memref<16xf32>
  return
}

// %a may be in use when the pool is freed, for no wait beside its start is known, and
// takes %b with it, which shares its deallocations.
func.func @in_flight(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime}}
  %p = memref.alloc() : memref<16xf32>
  memref.store %x, %p[%i] : memref<16xf32>
  memref.dealloc %p : memref<16xf32>
  // expected-remark @below {{not mergeable: asynchronous,}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %s = arith.select %c, %a, %b : memref<16xf32>
  %t = arith.select %c, %b, %a : memref<16xf32>
  %token = async.execute {
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield
  }
  scf.if %c {
    async.await %token : !async.token
  } else {
    async.await %token : !async.token
  }
  memref.dealloc %s : memref<16xf32>
  memref.dealloc %t : memref<16xf32>
  return
}
