// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// Buffers whose address somebody else may know. Each with the operation that is
// to blame.

func.func @returned() -> memref<16xf32> {
  // expected-remark-re @below {{not mergeable: returned, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  return %a : memref<16xf32>
}

func.func @view_returned(%x: f32, %i: index) -> memref<*xf32> {
  // expected-remark-re @below {{not mergeable: returned, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %u = memref.cast %a : memref<16xf32> to memref<*xf32>
  return %u : memref<*xf32>
}

func.func @maybe_returned(%c: i1, %m: memref<16xf32>) -> memref<16xf32> {
  // expected-remark-re @below {{not mergeable: returned, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  %s = arith.select %c, %m, %a : memref<16xf32>
  return %s : memref<16xf32>
}

// What is stored is the buffer, and not its contents.
func.func @stored(%m: memref<4xmemref<16xf32>>, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: stored-as-value, {{.*}}'memref.store'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.store %a, %m[%i] : memref<4xmemref<16xf32>>
  return
}

func.func @stored_unranked(%m: memref<4xmemref<*xf32>>, %i: index) {
  // expected-remark-re @below {{not mergeable: stored-as-value, {{.*}}'affine.store'}}
  %a = memref.alloc() : memref<16xf32>
  %u = memref.cast %a : memref<16xf32> to memref<*xf32>
  affine.store %u, %m[0] : memref<4xmemref<*xf32>>
  return
}

// An address as a number.
func.func @pointer_as_index() -> index {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'memref.extract_aligned_pointer_as_index'}}
  %a = memref.alloc() : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  return %p : index
}

func.func @cast_to_struct() {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'builtin.unrealized_conversion_cast'}}
  %a = memref.alloc() : memref<16xf32>
  %p = builtin.unrealized_conversion_cast %a : memref<16xf32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  return
}

func.func @cast_to_memref(%i: index) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'builtin.unrealized_conversion_cast'}}
  %a = memref.alloc() : memref<16xf32>
  %p = builtin.unrealized_conversion_cast %a : memref<16xf32> to memref<16xi32>
  %y = memref.load %p[%i] : memref<16xi32>
  return
}

func.func @to_ptr(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'ptr.to_ptr'}}
  %a = memref.alloc() : memref<16xf32, #ptr.generic_space>
  memref.store %x, %a[%i] : memref<16xf32, #ptr.generic_space>
  %p = ptr.to_ptr %a : memref<16xf32, #ptr.generic_space> -> !ptr.ptr<#ptr.generic_space>
  return
}

// A promise that a pool would break.
func.func @distinct(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: distinct-objects, {{.*}}'memref.distinct_objects'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: distinct-objects, {{.*}}'memref.distinct_objects'}}
  %b = memref.alloc() : memref<16xf32>
  %p:2 = memref.distinct_objects %a, %b : memref<16xf32>, memref<16xf32>
  memref.store %x, %p#0[%i] : memref<16xf32>
  memref.store %x, %p#1[%i] : memref<16xf32>
  return
}

func.func @reallocated(%x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: reallocated, {{.*}}'memref.realloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %r = memref.realloc %a : memref<16xf32> to memref<32xf32>
  %y = memref.load %r[%i] : memref<32xf32>
  return %y : f32
}

func.func @gpu_dealloc(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: conditional-dealloc, {{.*}}'gpu.dealloc'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  gpu.dealloc %a : memref<16xf32>
  return
}

func.func @manual_deallocation(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: manual-deallocation,}}
  %a = memref.alloc() {bufferization.manual_deallocation} : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  return
}

// A result of a parallel loop: the loop may run no iteration, or hand on any of
// the buffers that are reduced.
func.func @reduced(%n: index, %s: index, %x: f32) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'scf.parallel'}}
  %a = memref.alloc() : memref<16xf32>
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'scf.reduce'}}
  %b = memref.alloc() : memref<16xf32>
  %r = scf.parallel (%i) = (%s) to (%n) step (%s) init (%a) -> memref<16xf32> {
    scf.reduce(%b : memref<16xf32>) {
    ^bb0(%p: memref<16xf32>, %q: memref<16xf32>):
      scf.reduce.return %q : memref<16xf32>
    }
  }
  %y = memref.load %r[%s] : memref<16xf32>
  return %y : f32
}

// The elements of a memref of memrefs.
func.func @element(%m: memref<4xmemref<16xf32>>) {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'linalg.yield'}}
  %a = memref.alloc() : memref<16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%m : memref<4xmemref<16xf32>>) {
  ^bb0(%o: memref<16xf32>):
    linalg.yield %a : memref<16xf32>
  }
  return
}

// Descriptors of copy engines keep the address.
func.func @descriptor(%n: index, %u: memref<*xf16>) {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'nvgpu.tma.create.descriptor'}}
  %a = memref.alloc() : memref<16x16xf32>
  %t = memref.cast %a : memref<16x16xf32> to memref<*xf32>
  %d = nvgpu.tma.create.descriptor %t box[%n, %n] : memref<*xf32>
      -> <tensor = memref<16x16xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
  return
}

// Copies are in flight until they are waited for.
func.func @device_copy(%i: index, %src: memref<16xf32>) {
  // expected-remark @below {{lifetime [1, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32, 3>                                     // 0
  %t = nvgpu.device_async_copy %src[%i], %a[%i], 4
      : memref<16xf32> to memref<16xf32, 3>                                   // 1
  %g = nvgpu.device_async_create_group %t                                     // 2
  nvgpu.device_async_wait %g                                                  // 3
  return                                                                      // 4
}

// A tensor made of a buffer is the buffer, whenever its elements are looked at.
func.func @to_tensor(%i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'bufferization.to_tensor'}}
  %a = memref.alloc() : memref<16xf32>
  %t = bufferization.to_tensor %a restrict : memref<16xf32> to tensor<16xf32>
  %y = tensor.extract %t[%i] : tensor<16xf32>
  return %y : f32
}

// So may one that a function returns.
func.func @call_to_tensor(%i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  %t = call @as_tensor(%a) : (memref<16xf32>) -> tensor<16xf32>
  %y = tensor.extract %t[%i] : tensor<16xf32>
  return %y : f32
}
func.func private @as_tensor(%m: memref<16xf32>) -> tensor<16xf32> {
  %t = bufferization.to_tensor %m restrict : memref<16xf32> to tensor<16xf32>
  return %t : tensor<16xf32>
}
