// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-lifetimes))' 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=ALONE

// What MLIR's deallocation passes compare addresses for is no obstacle: the
// outcome decides whether buffers are freed that are merged.

// bufferization.dealloc before it is lowered.
func.func @conditional(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  bufferization.dealloc (%a : memref<16xf32>) if (%c)
  return
}

// Whether the one that is retained owns its memory decides about itself alone.
func.func @retained(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %s = arith.select %c, %a, %b : memref<16xf32>
  %true = arith.constant true
  %r = bufferization.dealloc (%a, %b : memref<16xf32>, memref<16xf32>) if (%true, %true) retain (%s : memref<16xf32>)
  bufferization.dealloc (%s : memref<16xf32>) if (%r)
  return
}

// Or about something else.
func.func @retained_returned(%c: i1, %x: f32, %i: index) -> i1 {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %r = bufferization.dealloc (%a : memref<16xf32>) if (%c) retain (%a : memref<16xf32>)
  return %r : i1
}

// One of a buffer and of an argument is freed.
func.func @group(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'bufferization.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %s = arith.select %c, %a, %m : memref<16xf32>
  bufferization.dealloc (%s : memref<16xf32>) if (%c)
  return
}

// As it is lowered.
func.func @compared(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %s = arith.select %c, %a, %b : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %s : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  %d = arith.andi %ne, %c : i1
  scf.if %d {
    memref.dealloc %a : memref<16xf32>
  }
  %e = scf.if %c -> i1 {
    scf.yield %ne : i1
  } else {
    scf.yield %c : i1
  }
  scf.if %e {
    %base, %offset, %size, %stride = memref.extract_strided_metadata %s : memref<16xf32> -> memref<f32>, index, index, index
    scf.if %c {
      memref.dealloc %base : memref<f32>
    }
  }
  return
}

// What is not in the pool has another address, before and after: it may be freed.
func.func @compared_with_other(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) -> i1 {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %m : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  scf.if %ne {
    memref.dealloc %m : memref<16xf32>
  }
  return %ne : i1
}

// A buffer and itself.
func.func @compared_with_itself(%x: f32, %i: index, %out: memref<1xi1>) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %v = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %v : memref<8xf32, strided<[1]>> -> index
  %eq = arith.cmpi eq, %p, %q : index
  memref.store %eq, %out[%i] : memref<1xi1>
  return
}

// Two buffers of a pool may begin at the same byte. Whoever wants to know, and be it
// to free something else, must see what he saw.
func.func @outcome_stored(%x: f32, %i: index, %out: memref<1xi1>) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.store'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.store'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  memref.store %ne, %out[%i] : memref<1xi1>
  return
}

func.func @outcome_decides_access(%x: f32, %i: index, %out: memref<1xf32>) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'scf.if'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'scf.if'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  scf.if %ne {
    memref.dealloc %a : memref<16xf32>
    memref.store %x, %out[%i] : memref<1xf32>
  }
  return
}

func.func @outcome_selects(%x: f32, %i: index, %m: memref<16xf32>, %n: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'arith.select'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'arith.select'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  %s = arith.select %ne, %m, %n : memref<16xf32>
  memref.dealloc %s : memref<16xf32>
  return
}

func.func @outcome_branches(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'cf.cond_br'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'cf.cond_br'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  cf.cond_br %ne, ^one, ^two
^one:
  memref.dealloc %a : memref<16xf32>
  cf.br ^two
^two:
  return
}

func.func @outcome_frees_other(%x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'memref.dealloc'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  scf.if %ne {
    memref.dealloc %m : memref<16xf32>
  }
  return
}

func.func @outcome_is_condition(%x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'bufferization.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: dealloc-group, {{.*}}'bufferization.dealloc'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  bufferization.dealloc (%m : memref<16xf32>) if (%ne)
  return
}

// Any other use of an address, and any other comparison.
func.func @ordered(%x: f32, %i: index) -> i1 {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.extract_aligned_pointer_as_index'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.extract_aligned_pointer_as_index'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %less = arith.cmpi ult, %p, %q : index
  return %less : i1
}

func.func @compared_with_number(%x: f32, %i: index) -> i1 {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.extract_aligned_pointer_as_index'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %eq = arith.cmpi eq, %p, %i : index
  return %eq : i1
}

// The general case of the lowering: a call of a function that compares all with all.
// It is known by what it does, whatever its name, if the pass may look at it.
// ALONE: [[#@LINE+3]]:8: remark: not mergeable: address-taken
func.func @helper(%x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark @below {{64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  // expected-remark @below {{16 bytes}}
  %addresses = memref.alloc() : memref<2xindex>
  // expected-remark @below {{8 bytes}}
  %retained = memref.alloc() : memref<1xindex>
  // expected-remark @below {{2 bytes}}
  %conditions = memref.alloc() : memref<2xi1>
  // expected-remark @below {{2 bytes}}
  %isFreed = memref.alloc() : memref<2xi1>
  // expected-remark @below {{1 bytes}}
  %isOwned = memref.alloc() : memref<1xi1>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  memref.store %p, %addresses[%c0] : memref<2xindex>
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  memref.store %q, %addresses[%c1] : memref<2xindex>
  %r = memref.extract_aligned_pointer_as_index %m : memref<16xf32> -> index
  memref.store %r, %retained[%c0] : memref<1xindex>
  memref.store %true, %conditions[%c0] : memref<2xi1>
  memref.store %true, %conditions[%c1] : memref<2xi1>
  %0 = memref.cast %addresses : memref<2xindex> to memref<?xindex>
  %1 = memref.cast %retained : memref<1xindex> to memref<?xindex>
  %2 = memref.cast %conditions : memref<2xi1> to memref<?xi1>
  %3 = memref.cast %isFreed : memref<2xi1> to memref<?xi1>
  %4 = memref.cast %isOwned : memref<1xi1> to memref<?xi1>
  call @decide(%0, %1, %2, %3, %4) : (memref<?xindex>, memref<?xindex>, memref<?xi1>, memref<?xi1>, memref<?xi1>) -> ()
  %5 = memref.load %isFreed[%c0] : memref<2xi1>
  scf.if %5 {
    memref.dealloc %a : memref<16xf32>
  }
  %6 = memref.load %isFreed[%c1] : memref<2xi1>
  scf.if %6 {
    memref.dealloc %b : memref<16xf32>
  }
  return
}

// Somebody else wants to know.
func.func @helper_asked(%x: f32, %i: index, %m: memref<16xf32>) -> i1 {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark @below {{64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  // expected-remark @below {{16 bytes}}
  %addresses = memref.alloc() : memref<2xindex>
  // expected-remark @below {{8 bytes}}
  %retained = memref.alloc() : memref<1xindex>
  // expected-remark @below {{2 bytes}}
  %conditions = memref.alloc() : memref<2xi1>
  // expected-remark @below {{2 bytes}}
  %isFreed = memref.alloc() : memref<2xi1>
  // expected-remark @below {{1 bytes}}
  %isOwned = memref.alloc() : memref<1xi1>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  memref.store %p, %addresses[%c0] : memref<2xindex>
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  memref.store %q, %addresses[%c1] : memref<2xindex>
  %r = memref.extract_aligned_pointer_as_index %m : memref<16xf32> -> index
  memref.store %r, %retained[%c0] : memref<1xindex>
  memref.store %true, %conditions[%c0] : memref<2xi1>
  memref.store %true, %conditions[%c1] : memref<2xi1>
  %0 = memref.cast %addresses : memref<2xindex> to memref<?xindex>
  %1 = memref.cast %retained : memref<1xindex> to memref<?xindex>
  %2 = memref.cast %conditions : memref<2xi1> to memref<?xi1>
  %3 = memref.cast %isFreed : memref<2xi1> to memref<?xi1>
  %4 = memref.cast %isOwned : memref<1xi1> to memref<?xi1>
  call @decide(%0, %1, %2, %3, %4) : (memref<?xindex>, memref<?xindex>, memref<?xi1>, memref<?xi1>, memref<?xi1>) -> ()
  %5 = memref.load %isFreed[%c0] : memref<2xi1>
  scf.if %5 {
    memref.dealloc %a : memref<16xf32>
  }
  %6 = memref.load %isFreed[%c1] : memref<2xi1>
  scf.if %6 {
    memref.dealloc %b : memref<16xf32>
  }
  return %5 : i1
}

func.func private @decide(%freed: memref<?xindex>, %retained: memref<?xindex>, %conditions: memref<?xi1>, %isFreed: memref<?xi1>, %isOwned: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %n = memref.dim %freed, %c0 : memref<?xindex>
  %m = memref.dim %retained, %c0 : memref<?xindex>
  scf.for %i = %c0 to %m step %c1 {
    memref.store %false, %isOwned[%i] : memref<?xi1>
  }
  scf.for %i = %c0 to %n step %c1 {
    %address = memref.load %freed[%i] : memref<?xindex>
    %condition = memref.load %conditions[%i] : memref<?xi1>
    %unretained = scf.for %j = %c0 to %m step %c1 iter_args(%so = %true) -> (i1) {
      %other = memref.load %retained[%j] : memref<?xindex>
      %eq = arith.cmpi eq, %other, %address : index
      scf.if %eq {
        %owned = memref.load %isOwned[%j] : memref<?xi1>
        %now = arith.ori %owned, %condition : i1
        memref.store %now, %isOwned[%j] : memref<?xi1>
      }
      %ne = arith.cmpi ne, %other, %address : index
      %still = arith.andi %so, %ne : i1
      scf.yield %still : i1
    }
    %unique = scf.for %j = %c0 to %i step %c1 iter_args(%so = %unretained) -> (i1) {
      %other = memref.load %freed[%j] : memref<?xindex>
      %ne = arith.cmpi ne, %other, %address : index
      %still = arith.andi %so, %ne : i1
      scf.yield %still : i1
    }
    %free = arith.andi %unique, %condition : i1
    memref.store %free, %isFreed[%i] : memref<?xi1>
  }
  return
}

// A function of the same name that does something else.
func.func @no_helper(%x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.extract_aligned_pointer_as_index'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  // expected-remark @below {{8 bytes}}
  %addresses = memref.alloc() : memref<1xindex>
  // expected-remark @below {{8 bytes}}
  %retained = memref.alloc() : memref<1xindex>
  // expected-remark @below {{1 bytes}}
  %conditions = memref.alloc() : memref<1xi1>
  // expected-remark @below {{1 bytes}}
  %isFreed = memref.alloc() : memref<1xi1>
  // expected-remark @below {{never-accessed}}
  %isOwned = memref.alloc() : memref<1xi1>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  memref.store %p, %addresses[%c0] : memref<1xindex>
  %q = memref.extract_aligned_pointer_as_index %m : memref<16xf32> -> index
  memref.store %q, %retained[%c0] : memref<1xindex>
  memref.store %true, %conditions[%c0] : memref<1xi1>
  %0 = memref.cast %addresses : memref<1xindex> to memref<?xindex>
  %1 = memref.cast %retained : memref<1xindex> to memref<?xindex>
  %2 = memref.cast %conditions : memref<1xi1> to memref<?xi1>
  %3 = memref.cast %isFreed : memref<1xi1> to memref<?xi1>
  %4 = memref.cast %isOwned : memref<1xi1> to memref<?xi1>
  call @dealloc_helper(%0, %1, %2, %3, %4) : (memref<?xindex>, memref<?xindex>, memref<?xi1>, memref<?xi1>, memref<?xi1>) -> ()
  return
}
func.func private @dealloc_helper(%freed: memref<?xindex>, %retained: memref<?xindex>, %conditions: memref<?xi1>, %isFreed: memref<?xi1>, %isOwned: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %address = memref.load %freed[%c0] : memref<?xindex>
  %eq = arith.cmpi eq, %c0, %address : index
  memref.store %eq, %isFreed[%c0] : memref<?xi1>
  return
}
