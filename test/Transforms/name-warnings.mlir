// RUN: buffer-merge-opt %s --split-input-file --verify-diagnostics --buffer-merge -o /dev/null
// RUN: buffer-merge-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(buffer-merge)' -o /dev/null
// RUN: buffer-merge-opt %s --split-input-file --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s

// A name of this project's that nothing looks at is most likely a slip.
// CHECK: warning: nothing looks at the attribute 'buffer_merge.regoin'

// expected-warning@below {{nothing looks at the attribute 'buffer_merge.donate'; the nearest name is 'buffer_merge.donated'}}
func.func @attributes(%in: memref<64xf32> {buffer_merge.donate}, %out: memref<64xf32> {buffer_merge.output}) {
  // expected-warning@below {{nothing looks at the attribute 'buffer_merge.regoin'; the nearest name is 'buffer_merge.region'}}
  %a = memref.alloc() {buffer_merge.regoin = "sram"} : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() {my.regoin, buffer_merge.name = "b"} : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// Nothing has been bufferized.
// CHECK: warning: there are tensors and no memrefs, and so nothing to merge: bufferize first, for example with --one-shot-bufferize
func.func @tensors(%in: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  // expected-warning@below {{there are tensors and no memrefs}}
  %a = linalg.exp ins(%in : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %a : tensor<64xf32>
}

// -----

// Some of it has, or it only has constants.
// expected-warning@below {{nothing looks at the attribute 'buffer_merge.donate'}}
func.func @both(%in: tensor<64xf32>, %out: memref<64xf32>) -> (tensor<64xf32> {buffer_merge.donate}) {
  %a = linalg.exp ins(%in : tensor<64xf32>) outs(%in : tensor<64xf32>) -> tensor<64xf32>
  return %a : tensor<64xf32>
}

// -----

func.func @constant() -> tensor<2xf32> {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

// What is known, but not here: a promise about calls that is made of the
// function, and an argument that a result cannot be.
// expected-warning@below {{nothing looks at the attribute 'buffer_merge.no_capture' of a function; it is for operations and calls}}
func.func private @extern(memref<4xf32>) attributes {buffer_merge.no_capture}
// expected-warning@below {{nothing looks at the attribute 'buffer_merge.until' of an argument; it is for operations and calls}}
func.func private @started(memref<4xf32> {buffer_merge.until = "done"})
// expected-warning@below {{nothing looks at the attribute 'buffer_merge.donated' of a result; it is for arguments}}
func.func private @gives() -> (memref<4xf32> {buffer_merge.donated})
func.func @used(%x: f32, %i: index, %a: memref<4xf32> {buffer_merge.donated, buffer_merge.uniform}) {
  %b = memref.alloc() {buffer_merge.name = "b", buffer_merge.apart = "c"} : memref<4xf32>
  %c = memref.alloc() {buffer_merge.name = "c"} : memref<4xf32>
  memref.store %x, %b[%i] : memref<4xf32>
  // expected-warning@below {{nothing looks at the attribute 'buffer_merge.offset' of this operation; it is for allocations}}
  memref.store %x, %c[%i] {buffer_merge.offset = 64} : memref<4xf32>
  // expected-warning@below {{nothing looks at the attribute 'buffer_merge.together' of this operation; it is for allocations}}
  %d = memref.cast %b {buffer_merge.together = "c"} : memref<4xf32> to memref<?xf32>
  call @extern(%c) {buffer_merge.no_capture} : (memref<4xf32>) -> ()
  return
}
