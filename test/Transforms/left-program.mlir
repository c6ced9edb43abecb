// RUN: buffer-merge-opt %s --buffer-merge='left=error pool=global' --split-input-file --verify-diagnostics
// RUN: buffer-merge-opt %s --buffer-merge='left=error pool=global target={"globals": {"entries": "exclusive"}}' --split-input-file --verify-diagnostics

// With left=error, nothing of the whole program may stay: what private functions
// have is in the globals of entries, however deep the calls are.

func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}
func.func private @between(%x: f32, %i: index) {
  call @leaf(%x, %i) : (f32, index) -> ()
  return
}
func.func @entry(%x: f32, %i: index) {
  call @between(%x, %i) : (f32, index) -> ()
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}

// -----

// One callee that keeps an allocation is an error, wherever it is called from, and
// so is one that cannot have a part of a global.

func.func private @returns() -> memref<15xf32> {
  // expected-error @below {{the allocation stays: }}
  // expected-note @below {{let the caller pass the buffer}}
  %a = memref.alloc() : memref<15xf32>
  // expected-note @below {{because of this}}
  return %a : memref<15xf32>
}
// expected-error @below {{the pool of 'recursive' cannot be a global: the function is recursive}}
func.func private @recursive(%x: f32, %i: index, %again: i1) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  scf.if %again {
    %false = arith.constant false
    func.call @recursive(%x, %i, %false) : (f32, index, i1) -> ()
  }
  return
}
func.func private @between(%x: f32, %i: index, %again: i1) {
  %a = call @returns() : () -> memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  call @recursive(%x, %i, %again) : (f32, index, i1) -> ()
  return
}
func.func @entry(%x: f32, %i: index, %again: i1) {
  call @between(%x, %i, %again) : (f32, index, i1) -> ()
  return
}

// -----

// One buffer that would have a pool for itself in a global: what is in the way of that is
// said, and not only that nothing shares its bytes.

func.func private @recursive(%x: f32, %i: index, %again: i1) {
  // expected-error @below {{the allocation stays: no-partner}}
  // expected-note @below {{the pool of 'recursive' cannot be a global: the function is recursive}}
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  scf.if %again {
    %false = arith.constant false
    func.call @recursive(%x, %i, %false) : (f32, index, i1) -> ()
  }
  return
}
func.func @entry(%x: f32, %i: index, %again: i1) {
  call @recursive(%x, %i, %again) : (f32, index, i1) -> ()
  scf.forall (%k) in (4) {
    // expected-error @below {{the allocation stays: no-partner}}
    // expected-note @below {{the pool of 'scf.forall' cannot be a global: the scope is not a function of the host}}
    // expected-note @below {{--hoist-parallel-pools}}
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
  }
  return
}
