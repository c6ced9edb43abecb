// XFAIL: *
// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

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
