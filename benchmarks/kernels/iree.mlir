// IREE's tests of reuse and packing in workgroup memory (gpu_reuse_shared_memory_allocs.mlir,
// llvmgpu_pack_shared_memory_alloc.mlir), written anew as kernels with the sizes of these tests. IREE lays groups of
// buffers whose lifetimes overlap on top of each other, and inserts a barrier before each group but the first.
// `peer` is what it makes of them in bytes.

#wg = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Six buffers, each stored and loaded before the next one.
  // peer: 512
  gpu.func @one_after_the_other(%x: f16, %i: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %a[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v0 = memref.load %a[%i] : memref<256xf16, #wg>
    memref.store %v0, %out[%t] : memref<?xf16>
    %b = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %b[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v1 = memref.load %b[%i] : memref<256xf16, #wg>
    memref.store %v1, %out[%t] : memref<?xf16>
    %c = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v2 = memref.load %c[%i] : memref<256xf16, #wg>
    memref.store %v2, %out[%t] : memref<?xf16>
    %d = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %d[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v3 = memref.load %d[%i] : memref<256xf16, #wg>
    memref.store %v3, %out[%t] : memref<?xf16>
    %e = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %e[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v4 = memref.load %e[%i] : memref<256xf16, #wg>
    memref.store %v4, %out[%t] : memref<?xf16>
    %f = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %f[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v5 = memref.load %f[%i] : memref<256xf16, #wg>
    memref.store %v5, %out[%t] : memref<?xf16>
    gpu.return
  }

  // Three buffers that are in use at the same time, then a small one.
  // peer: 1536
  gpu.func @two_groups(%x: f16, %i: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %a[%t] : memref<256xf16, #wg>
    %b = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %b[%t] : memref<256xf16, #wg>
    %c = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v0 = memref.load %a[%i] : memref<256xf16, #wg>
    memref.store %v0, %out[%t] : memref<?xf16>
    %v1 = memref.load %b[%i] : memref<256xf16, #wg>
    memref.store %v1, %out[%t] : memref<?xf16>
    %v2 = memref.load %c[%i] : memref<256xf16, #wg>
    memref.store %v2, %out[%t] : memref<?xf16>
    %d = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %d[%t] : memref<64xf16, #wg>
    gpu.barrier
    %v3 = memref.load %d[%i] : memref<64xf16, #wg>
    memref.store %v3, %out[%t] : memref<?xf16>
    gpu.return
  }

  // The test of packing: two buffers, then a small one.
  // peer: 1024
  gpu.func @disjoint(%x: f16, %i: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %a[%t] : memref<256xf16, #wg>
    %b = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %b[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v0 = memref.load %a[%i] : memref<256xf16, #wg>
    %v1 = memref.load %b[%i] : memref<256xf16, #wg>
    %v2 = arith.addf %v0, %v1 : f16
    memref.store %v2, %out[%t] : memref<?xf16>
    %c = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %c[%t] : memref<64xf16, #wg>
    gpu.barrier
    %v3 = memref.load %c[%i] : memref<64xf16, #wg>
    memref.store %v3, %out[%t] : memref<?xf16>
    gpu.return
  }
}
