// TVM's tests of merging shared memory (test_..._merge_dynamic_shared_memory_allocations.py), written anew as kernels:
// those with sizes that are known. `peer` is what the test expects in bytes.

#wg = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A product of matrices: two tiles in a loop, then one for the result. All barriers are there.
  // peer: 1024
  gpu.func @matmul(%in: memref<?xf16>, %at: index, %n: index, %out: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f16
    %a = memref.alloc() : memref<256xf16, #wg>
    %b = memref.alloc() : memref<256xf16, #wg>
    %sum = scf.for %i = %zero to %n step %one iter_args(%before = %start) -> f16 {
      %x = memref.load %in[%i] : memref<?xf16>
      memref.store %x, %a[%t] : memref<256xf16, #wg>
      memref.store %x, %b[%t] : memref<256xf16, #wg>
      gpu.barrier
      %l = memref.load %a[%at] : memref<256xf16, #wg>
      %r = memref.load %b[%at] : memref<256xf16, #wg>
      %product = arith.mulf %l, %r : f16
      %after = arith.addf %before, %product : f16
      gpu.barrier
      scf.yield %after : f16
    }
    %wide = arith.extf %sum : f16 to f32
    %c = memref.alloc() : memref<256xf32, #wg>
    memref.store %wide, %c[%t] : memref<256xf32, #wg>
    gpu.barrier
    %result = memref.load %c[%at] : memref<256xf32, #wg>
    memref.store %result, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Two copies that nothing waits for. TVM places both on the same bytes, which nothing reads; here copies in flight
  // never share bytes.
  // peer: 512
  // larger: TVM places copies in flight on the same bytes
  gpu.func @async_copy(%a: memref<128xf32>, %b: memref<128xf32>) kernel {
    %t = gpu.thread_id x
    %to = memref.alloc() : memref<128xf32, #wg>
    %first = nvgpu.device_async_copy %a[%t], %to[%t], 1 : memref<128xf32> to memref<128xf32, #wg>
    %other = memref.alloc() : memref<128xf32, #wg>
    %second = nvgpu.device_async_copy %b[%t], %other[%t], 1 : memref<128xf32> to memref<128xf32, #wg>
    gpu.return
  }
}
