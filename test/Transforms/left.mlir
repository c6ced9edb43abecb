// RUN: buffer-merge-opt %s --buffer-merge='left=error pool=global' --split-input-file --verify-diagnostics
// RUN: buffer-merge-opt %s --buffer-merge=pool=global --split-input-file -o %t.mlir
// RUN: buffer-merge-opt %s --buffer-lifetimes='left=error pool=global' --split-input-file -o /dev/null
// RUN: not buffer-merge-opt %s --buffer-merge='left=error pool=global' --split-input-file --mlir-print-ir-after-failure -o %t.none 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNTOUCHED
// RUN: buffer-merge-opt %s --buffer-merge='left=error pool=global merge-attributions' --split-input-file --verify-diagnostics
// RUN: not buffer-merge-opt %s --buffer-merge=left=both 2>&1 | FileCheck %s --check-prefix=VALUE

// For targets without a heap: what stays is an error with its reason, and nothing
// is changed.

// VALUE: there is no value 'both'; the nearest is '{{[a-z-]+}}'

//     UNTOUCHED: func.func @stays
// UNTOUCHED-NOT: memref.get_global

func.func @stays(%x: f32, %i: index, %n: index) -> memref<15xf32> {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{bound the size by affine.min with a constant, for dynamic=bounded}}
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  // expected-error @below {{the allocation stays: returned}}
  // expected-note @below {{let the caller pass the buffer: --buffer-results-to-out-params}}
  %c = memref.alloc() : memref<15xf32>
  memref.store %x, %c[%i] : memref<15xf32>
  // What is on the stack needs no heap.
  %d = memref.alloca() : memref<15xf32>
  memref.store %x, %d[%i] : memref<15xf32>
  // expected-error @below {{the allocation stays: not-an-alloc}}
  %e = bufferization.clone %a : memref<15xf32> to memref<15xf32>
  // expected-note @below {{because of this}}
  return %c : memref<15xf32>
}

// -----

// Everything is in globals: no error.

func.func @fine(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// -----

// A pool that would be allocated needs a heap as well.

func.func @parallel(%x: f32, %i: index) {
  // expected-error @below {{the pool of 'scf.forall' cannot be a global: the scope is not a function of the host}}
  // expected-note @below {{give it a slot for each iteration in front of the loop: --hoist-parallel-pools}}
  scf.forall (%k) in (2) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  return
}

// -----

// Two buffers of one region are not worth a pool, and one of another is not, either.

func.func @not_worth_it(%x: f32, %i: index) {
  scf.forall (%k) in (2) {
    // expected-error @below {{the allocation stays: no-partner}}
    // expected-note @below {{the pool of 'scf.forall' cannot be a global: the scope is not a function of the host}}
    // expected-note @below {{--hoist-parallel-pools}}
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
  }
  return
}

// -----

// An attribution that is not merged is no allocation.

gpu.module @kernels {
  gpu.func @one(%x: f32, %i: index) workgroup(%a: memref<16xf32, #gpu.address_space<workgroup>>) kernel {
    memref.store %x, %a[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
