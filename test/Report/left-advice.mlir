// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/sizes.mlir --buffer-merge='dynamic=none left=error' -verify-diagnostics -o %t/none
// RUN: buffer-merge-opt %t/sizes.mlir --buffer-lifetimes='dynamic=none report=%t/sizes.json' -o /dev/null 2>/dev/null
// RUN: buffer-merge-report %t/sizes.json | FileCheck %s --check-prefix=REPORT
// RUN: buffer-merge-opt %t/device.mlir --buffer-merge='dynamic=bounded left=error' -verify-diagnostics -o %t/none
// RUN: buffer-merge-opt %t/bounded.mlir --buffer-lifetimes=dynamic=bounded -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUNDED
// RUN: buffer-merge-opt %t/promises.mlir --allow-unregistered-dialect --buffer-merge='left=error calls=escape' -verify-diagnostics -o %t/none
// RUN: buffer-merge-opt %t/promised.mlir --allow-unregistered-dialect --buffer-lifetimes='calls=escape' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROMISED --implicit-check-not='not mergeable'

// What is advised is what helps: the operation or the attribute that gives a size a bound, and the promise
// that lets a buffer be merged.

// REPORT: dynamic-shape: 6 allocations, 0 bytes
// REPORT: advice: 'index.mins' gives no bound: write the minimum as affine.min with a constant, for dynamic=bounded;

//--- sizes.mlir
func.func @f(%in: memref<?xf32>, %m: index, %x: f32, %i: index, %b1: i1) {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %min = index.mins %m, %c64
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{'index.mins' gives no bound: write the minimum as affine.min with a constant, for dynamic=bounded}}
  %a = memref.alloc(%min) : memref<?xf32>
  memref.store %x, %a[%i] : memref<?xf32>
  %rem = arith.remui %m, %c64 : index
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{'arith.remui' gives no bound: write it as affine.apply with mod, for dynamic=bounded}}
  %b = memref.alloc(%rem) : memref<?xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  %dim = memref.dim %in, %c0 : memref<?xf32>
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{'memref.dim' gives no bound: give what it reads a static size, or bound the size by affine.min with a constant, for dynamic=bounded}}
  %c = memref.alloc(%dim) : memref<?xf32>
  memref.store %x, %c[%i] : memref<?xf32>
  // Of two sizes, the one without a bound.
  %known = affine.min affine_map<()[s] -> (s, 64)>()[%m]
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{'index.mins' gives no bound: write}}
  %d = memref.alloc(%known, %min) : memref<?x?xf32>
  memref.store %x, %d[%i, %i] : memref<?x?xf32>
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{bound the size by affine.min with a constant, for dynamic=bounded}}
  %e = memref.alloc(%m) : memref<?xf32>
  memref.store %x, %e[%i] : memref<?xf32>
  %one = arith.select %b1, %c64, %c0 : index
  // expected-error @below {{the allocation stays: dynamic-shape}}
  // expected-note @below {{use the upper bound that its size has, for dynamic=bounded}}
  %g = memref.alloc(%one) : memref<?xf32>
  memref.store %x, %g[%i] : memref<?xf32>
  return
}

// It is true: all three have a bound as advised.
// BOUNDED-COUNT-3: remark: lifetime
// BOUNDED:         remark: pool: 3 buffers

// Nothing is advised that is done.
//--- device.mlir
gpu.module @m {
  gpu.func @f(%m: index, %x: f32, %i: index) {
    %c64 = arith.constant 64 : index
    %min = index.mins %m, %c64
    // expected-error @below {{the allocation stays: dynamic-shape}}
    // expected-note-re @below {{{{^}}'index.mins' gives no bound: write the minimum as affine.min with a constant{{$}}}}
    %a = memref.alloc(%min) : memref<?xf32>
    memref.store %x, %a[%i] : memref<?xf32>
    gpu.return
  }
}

//--- bounded.mlir
func.func @f(%m: index, %x: f32, %i: index) {
  %min = affine.min affine_map<()[s] -> (s, 64)>()[%m]
  %a = memref.alloc(%min) : memref<?xf32>
  memref.store %x, %a[%i] : memref<?xf32>
  %rem = affine.apply affine_map<()[s] -> (s mod 64)>()[%m]
  %b = memref.alloc(%rem) : memref<?xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  %dim = gpu.block_dim x upper_bound 64
  %c = memref.alloc(%dim) : memref<?xf32>
  memref.store %x, %c[%i] : memref<?xf32>
  return
}

//--- promises.mlir
func.func private @outside(memref<64xf32>)
func.func @f(%x: f32, %i: index, %out: memref<1xmemref<64xf32>>) {
  // expected-error @below {{the allocation stays: unknown-use}}
  // expected-note @below {{give 'my.scale' memory effects on its operands, or the attribute buffer_merge.no_capture, if it only reads and writes}}
  %a = memref.alloc() : memref<64xf32>
  // expected-note @below {{because of this}}
  "my.scale"(%a) : (memref<64xf32>) -> ()
  // expected-error @below {{the allocation stays: passed-to-call}}
  // expected-note @below {{give 'func.call' the attribute buffer_merge.no_capture, if it only reads and writes}}
  %b = memref.alloc() : memref<64xf32>
  // expected-note @below {{because of this}}
  func.call @outside(%b) : (memref<64xf32>) -> ()
  // One that returns a memref may return this one.
  // expected-error @below {{the allocation stays: unknown-use}}
  // expected-note @below {{give the operation memory effects, or a view or branch interface; or the attribute buffer_merge.no_capture, if}}
  %d = memref.alloc() : memref<64xf32>
  // expected-note @below {{because of this}}
  %v = "my.view"(%d) : (memref<64xf32>) -> memref<64xf32>
  // No promise is true of an operation that stores the memref.
  // expected-error @below {{the allocation stays: stored-as-value}}
  // expected-note @below {{pass the memref as a value instead of storing it}}
  %c = memref.alloc() : memref<64xf32>
  // expected-note @below {{because of this}}
  memref.store %c, %out[%i] : memref<1xmemref<64xf32>>
  return
}

// PROMISED: remark: pool: 2 buffers

//--- promised.mlir
func.func private @outside(memref<64xf32>)
func.func @f() {
  %a = memref.alloc() : memref<64xf32>
  "my.scale"(%a) {buffer_merge.no_capture} : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  func.call @outside(%b) {buffer_merge.no_capture} : (memref<64xf32>) -> ()
  return
}
