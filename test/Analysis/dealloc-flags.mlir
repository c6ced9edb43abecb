// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// A flag that goes with a memref says whether it is freed. What is bound to both at
// the same time is followed; where the flag is false, nothing is freed.

func.func private @use(memref<16xf32>)

func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  // expected-remark @below {{lifetime}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %s, %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a, %owned = %false) -> (memref<16xf32>, i1) {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %u = memref.alloc() : memref<16xf32>
    func.call @use(%m) : (memref<16xf32>) -> ()
    func.call @use(%u) : (memref<16xf32>) -> ()
    %base, %offset, %size, %stride = memref.extract_strided_metadata %m : memref<16xf32> -> memref<f32>, index, index, index
    scf.if %owned {
      memref.dealloc %base : memref<f32>
    }
    scf.yield %u, %true : memref<16xf32>, i1
  }
  bufferization.dealloc (%a, %s : memref<16xf32>, memref<16xf32>) if (%true, %last)
  return
}

// The flag need not be false at first.
func.func @unknown_flag(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %s, %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a, %owned = %c) -> (memref<16xf32>, i1) {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %u = memref.alloc() : memref<16xf32>
    func.call @use(%m) : (memref<16xf32>) -> ()
    func.call @use(%u) : (memref<16xf32>) -> ()
    scf.if %owned {
      memref.dealloc %m : memref<16xf32>
    }
    scf.yield %u, %true : memref<16xf32>, i1
  }
  scf.if %last {
    memref.dealloc %s : memref<16xf32>
  }
  return
}

// The flag of another memref says nothing about this one.
func.func @other_flag(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %flag = scf.for %i = %c0 to %n step %c1 iter_args(%f = %false) -> i1 {
    scf.yield %true : i1
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a) -> memref<16xf32> {
    // expected-remark @below {{not mergeable: loop-carried,}}
    %u = memref.alloc() : memref<16xf32>
    func.call @use(%m) : (memref<16xf32>) -> ()
    func.call @use(%u) : (memref<16xf32>) -> ()
    scf.yield %u : memref<16xf32>
  }
  scf.if %flag {
    memref.dealloc %s : memref<16xf32>
  }
  return
}

// Selected together, and the results of a branch.
func.func @selected(%c: i1, %m: memref<16xf32>) {
  %false = arith.constant false
  %true = arith.constant true
  // expected-remark @below {{lifetime}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %s = arith.select %c, %a, %m : memref<16xf32>
  %flag = arith.select %c, %false, %true : i1
  %r, %owned = scf.if %c -> (memref<16xf32>, i1) {
    scf.yield %s, %flag : memref<16xf32>, i1
  } else {
    scf.yield %a, %false : memref<16xf32>, i1
  }
  scf.if %owned {
    memref.dealloc %r : memref<16xf32>
  }
  return
}
func.func @selected_otherwise(%c: i1, %d: i1, %m: memref<16xf32>) {
  %false = arith.constant false
  %true = arith.constant true
  // expected-remark @below {{not mergeable: dealloc-group,}}
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %s = arith.select %c, %a, %m : memref<16xf32>
  %owned = arith.select %d, %false, %true : i1
  scf.if %owned {
    memref.dealloc %s : memref<16xf32>
  }
  return
}
