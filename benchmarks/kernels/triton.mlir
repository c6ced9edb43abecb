// Triton's tests of allocation in shared memory (test/Analysis/test-allocation.mlir), written anew as kernels.
// A change of layout goes through a buffer that is stored and loaded; `cat` loads its operands and stores its
// result. The barriers are those that each buffer needs by itself: Triton inserts the others afterwards.
// `peer` is what the test expects in bytes.

#wg = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Each iteration changes the layout of two tiles, one after the other.
  // peer: 4608
  gpu.func @matmul_loop(%x: f16, %i: index, %n: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %step0 = %zero to %n step %one {
      %a = memref.alloc() : memref<2304xf16, #wg>
      memref.store %x, %a[%t] : memref<2304xf16, #wg>
      gpu.barrier
      %v1 = memref.load %a[%i] : memref<2304xf16, #wg>
      memref.store %v1, %out[%t] : memref<?xf16>
      %b = memref.alloc() : memref<2112xf16, #wg>
      memref.store %x, %b[%t] : memref<2112xf16, #wg>
      gpu.barrier
      %v2 = memref.load %b[%i] : memref<2112xf16, #wg>
      memref.store %v2, %out[%t] : memref<?xf16>
      gpu.barrier
    }
    gpu.return
  }

  // Four changes of layout follow each other.
  // peer: 4608
  gpu.func @reusable(%x: f16, %i: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %a1 = memref.alloc() : memref<2304xf16, #wg>
    memref.store %x, %a1[%t] : memref<2304xf16, #wg>
    gpu.barrier
    %v0 = memref.load %a1[%i] : memref<2304xf16, #wg>
    memref.store %v0, %out[%t] : memref<?xf16>
    %a2 = memref.alloc() : memref<544xf16, #wg>
    memref.store %x, %a2[%t] : memref<544xf16, #wg>
    gpu.barrier
    %v1 = memref.load %a2[%i] : memref<544xf16, #wg>
    memref.store %v1, %out[%t] : memref<?xf16>
    %a3 = memref.alloc() : memref<2304xf16, #wg>
    memref.store %x, %a3[%t] : memref<2304xf16, #wg>
    gpu.barrier
    %v2 = memref.load %a3[%i] : memref<2304xf16, #wg>
    memref.store %v2, %out[%t] : memref<?xf16>
    %a4 = memref.alloc() : memref<544xf16, #wg>
    memref.store %x, %a4[%t] : memref<544xf16, #wg>
    gpu.barrier
    %v3 = memref.load %a4[%i] : memref<544xf16, #wg>
    memref.store %v3, %out[%t] : memref<?xf16>
    gpu.return
  }

  // Later buffers need more bytes than those whose place they take.
  // peer: 12288
  gpu.func @preallocate(%x: f16, %i: index) kernel {
    %t = gpu.thread_id x
    %c0 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c0[%t] : memref<256xf16, #wg>
    %c1 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c1[%t] : memref<256xf16, #wg>
    %c2 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c2[%t] : memref<256xf16, #wg>
    gpu.barrier
    %a = memref.alloc() : memref<512xf16, #wg>
    %v0 = memref.load %c0[%i] : memref<256xf16, #wg>
    %v1 = memref.load %c1[%i] : memref<256xf16, #wg>
    %v2 = arith.addf %v0, %v1 : f16
    memref.store %v2, %a[%t] : memref<512xf16, #wg>
    %b = memref.alloc() : memref<512xf16, #wg>
    %v3 = memref.load %c0[%i] : memref<256xf16, #wg>
    %v4 = memref.load %c2[%i] : memref<256xf16, #wg>
    %v5 = arith.addf %v3, %v4 : f16
    memref.store %v5, %b[%t] : memref<512xf16, #wg>
    %c = memref.alloc() : memref<512xf16, #wg>
    %v6 = memref.load %c1[%i] : memref<256xf16, #wg>
    %v7 = memref.load %c2[%i] : memref<256xf16, #wg>
    %v8 = arith.addf %v6, %v7 : f16
    memref.store %v8, %c[%t] : memref<512xf16, #wg>
    %c4 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c4[%t] : memref<512xf16, #wg>
    gpu.barrier
    %e = memref.alloc() : memref<1024xf16, #wg>
    %v9 = memref.load %a[%i] : memref<512xf16, #wg>
    %v10 = memref.load %c4[%i] : memref<512xf16, #wg>
    %v11 = arith.addf %v9, %v10 : f16
    memref.store %v11, %e[%t] : memref<1024xf16, #wg>
    %d = memref.alloc() : memref<1024xf16, #wg>
    %v12 = memref.load %b[%i] : memref<512xf16, #wg>
    %v13 = memref.load %c4[%i] : memref<512xf16, #wg>
    %v14 = arith.addf %v12, %v13 : f16
    memref.store %v14, %d[%t] : memref<1024xf16, #wg>
    %f = memref.alloc() : memref<1024xf16, #wg>
    %v15 = memref.load %c[%i] : memref<512xf16, #wg>
    %v16 = memref.load %c4[%i] : memref<512xf16, #wg>
    %v17 = arith.addf %v15, %v16 : f16
    memref.store %v17, %f[%t] : memref<1024xf16, #wg>
    %c5 = memref.alloc() : memref<1024xf16, #wg>
    memref.store %x, %c5[%t] : memref<1024xf16, #wg>
    gpu.barrier
    %g = memref.alloc() : memref<2048xf16, #wg>
    %v18 = memref.load %e[%i] : memref<1024xf16, #wg>
    %v19 = memref.load %c5[%i] : memref<1024xf16, #wg>
    %v20 = arith.addf %v18, %v19 : f16
    memref.store %v20, %g[%t] : memref<2048xf16, #wg>
    %h = memref.alloc() : memref<2048xf16, #wg>
    %v21 = memref.load %d[%i] : memref<1024xf16, #wg>
    %v22 = memref.load %c5[%i] : memref<1024xf16, #wg>
    %v23 = arith.addf %v21, %v22 : f16
    memref.store %v23, %h[%t] : memref<2048xf16, #wg>
    %j = memref.alloc() : memref<2048xf16, #wg>
    %v24 = memref.load %f[%i] : memref<1024xf16, #wg>
    %v25 = memref.load %c5[%i] : memref<1024xf16, #wg>
    %v26 = arith.addf %v24, %v25 : f16
    memref.store %v26, %j[%t] : memref<2048xf16, #wg>
    gpu.return
  }

  // A buffer that nothing reads, before three that are used.
  // peer: 2048
  gpu.func @unused(%x: f16, %i: index) kernel {
    %t = gpu.thread_id x
    %c0 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c0[%t] : memref<512xf16, #wg>
    %c1 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c1[%t] : memref<256xf16, #wg>
    %c2 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c2[%t] : memref<256xf16, #wg>
    gpu.barrier
    %a = memref.alloc() : memref<512xf16, #wg>
    %v0 = memref.load %c1[%i] : memref<256xf16, #wg>
    %v1 = memref.load %c2[%i] : memref<256xf16, #wg>
    %v2 = arith.addf %v0, %v1 : f16
    memref.store %v2, %a[%t] : memref<512xf16, #wg>
    gpu.return
  }

  // The first buffer is needed at the end.
  // peer: 2560
  gpu.func @longlive(%x: f16, %i: index) kernel {
    %t = gpu.thread_id x
    %c0 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c0[%t] : memref<256xf16, #wg>
    %c1 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c1[%t] : memref<256xf16, #wg>
    %c2 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c2[%t] : memref<256xf16, #wg>
    gpu.barrier
    %a = memref.alloc() : memref<512xf16, #wg>
    %v0 = memref.load %c1[%i] : memref<256xf16, #wg>
    %v1 = memref.load %c2[%i] : memref<256xf16, #wg>
    %v2 = arith.addf %v0, %v1 : f16
    memref.store %v2, %a[%t] : memref<512xf16, #wg>
    %c3 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c3[%t] : memref<256xf16, #wg>
    %c4 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c4[%t] : memref<256xf16, #wg>
    gpu.barrier
    %b = memref.alloc() : memref<512xf16, #wg>
    %v3 = memref.load %c3[%i] : memref<256xf16, #wg>
    %v4 = memref.load %c4[%i] : memref<256xf16, #wg>
    %v5 = arith.addf %v3, %v4 : f16
    memref.store %v5, %b[%t] : memref<512xf16, #wg>
    %c5 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c5[%t] : memref<256xf16, #wg>
    %c6 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c6[%t] : memref<256xf16, #wg>
    %c = memref.alloc() : memref<512xf16, #wg>
    %v6 = memref.load %c3[%i] : memref<256xf16, #wg>
    %v7 = memref.load %c4[%i] : memref<256xf16, #wg>
    %v8 = arith.addf %v6, %v7 : f16
    memref.store %v8, %c[%t] : memref<512xf16, #wg>
    %d = memref.alloc() : memref<512xf16, #wg>
    %v9 = memref.load %c0[%i] : memref<256xf16, #wg>
    %v10 = memref.load %c0[%i] : memref<256xf16, #wg>
    %v11 = arith.addf %v9, %v10 : f16
    memref.store %v11, %d[%t] : memref<512xf16, #wg>
    gpu.return
  }

  // Many small lifetimes that overlap, and a layout change of 1152 bytes in between, three times.
  // peer: 1504
  gpu.func @multi_color(%x: f16, %i: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %c = memref.alloc() : memref<32xf16, #wg>
    memref.store %x, %c[%t] : memref<32xf16, #wg>
    %c0 = memref.alloc() : memref<16xf16, #wg>
    memref.store %x, %c0[%t] : memref<16xf16, #wg>
    %c1 = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %c1[%t] : memref<64xf16, #wg>
    %s0 = memref.alloc() : memref<576xf16, #wg>
    memref.store %x, %s0[%t] : memref<576xf16, #wg>
    gpu.barrier
    %v0 = memref.load %s0[%i] : memref<576xf16, #wg>
    memref.store %v0, %out[%t] : memref<?xf16>
    %v1 = memref.load %c[%i] : memref<32xf16, #wg>
    memref.store %v1, %out[%t] : memref<?xf16>
    %c3 = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %c3[%t] : memref<64xf16, #wg>
    %v2 = memref.load %c0[%i] : memref<16xf16, #wg>
    memref.store %v2, %out[%t] : memref<?xf16>
    %s1 = memref.alloc() : memref<576xf16, #wg>
    memref.store %x, %s1[%t] : memref<576xf16, #wg>
    gpu.barrier
    %v3 = memref.load %s1[%i] : memref<576xf16, #wg>
    memref.store %v3, %out[%t] : memref<?xf16>
    %c4 = memref.alloc() : memref<128xf16, #wg>
    memref.store %x, %c4[%t] : memref<128xf16, #wg>
    %c5 = memref.alloc() : memref<32xf16, #wg>
    memref.store %x, %c5[%t] : memref<32xf16, #wg>
    gpu.barrier
    %v4 = memref.load %c5[%i] : memref<32xf16, #wg>
    memref.store %v4, %out[%t] : memref<?xf16>
    %v5 = memref.load %c5[%i] : memref<32xf16, #wg>
    memref.store %v5, %out[%t] : memref<?xf16>
    %c6 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c6[%t] : memref<256xf16, #wg>
    %c7 = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %c7[%t] : memref<64xf16, #wg>
    %v6 = memref.load %c0[%i] : memref<16xf16, #wg>
    memref.store %v6, %out[%t] : memref<?xf16>
    %c8 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c8[%t] : memref<256xf16, #wg>
    %c9 = memref.alloc() : memref<16xf16, #wg>
    memref.store %x, %c9[%t] : memref<16xf16, #wg>
    %c10 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c10[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v7 = memref.load %c1[%i] : memref<64xf16, #wg>
    memref.store %v7, %out[%t] : memref<?xf16>
    %v8 = memref.load %c4[%i] : memref<128xf16, #wg>
    memref.store %v8, %out[%t] : memref<?xf16>
    %s2 = memref.alloc() : memref<576xf16, #wg>
    memref.store %x, %s2[%t] : memref<576xf16, #wg>
    gpu.barrier
    %v9 = memref.load %s2[%i] : memref<576xf16, #wg>
    memref.store %v9, %out[%t] : memref<?xf16>
    %v10 = memref.load %c7[%i] : memref<64xf16, #wg>
    memref.store %v10, %out[%t] : memref<?xf16>
    gpu.return
  }

  // A large buffer is alive between two layout changes.
  // peer: 9504
  gpu.func @multi_color_multi_rounds(%x: f16, %i: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %c = memref.alloc() : memref<16xf16, #wg>
    memref.store %x, %c[%t] : memref<16xf16, #wg>
    %c0 = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %c0[%t] : memref<64xf16, #wg>
    %c1 = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %c1[%t] : memref<4096xf16, #wg>
    %s0 = memref.alloc() : memref<576xf16, #wg>
    memref.store %x, %s0[%t] : memref<576xf16, #wg>
    gpu.barrier
    %v0 = memref.load %s0[%i] : memref<576xf16, #wg>
    memref.store %v0, %out[%t] : memref<?xf16>
    %v1 = memref.load %c[%i] : memref<16xf16, #wg>
    memref.store %v1, %out[%t] : memref<?xf16>
    %c3 = memref.alloc() : memref<64xf16, #wg>
    memref.store %x, %c3[%t] : memref<64xf16, #wg>
    %v2 = memref.load %c[%i] : memref<16xf16, #wg>
    memref.store %v2, %out[%t] : memref<?xf16>
    %c4 = memref.alloc() : memref<256xf16, #wg>
    memref.store %x, %c4[%t] : memref<256xf16, #wg>
    gpu.barrier
    %v3 = memref.load %c0[%i] : memref<64xf16, #wg>
    memref.store %v3, %out[%t] : memref<?xf16>
    %v4 = memref.load %c1[%i] : memref<4096xf16, #wg>
    memref.store %v4, %out[%t] : memref<?xf16>
    %s1 = memref.alloc() : memref<576xf16, #wg>
    memref.store %x, %s1[%t] : memref<576xf16, #wg>
    gpu.barrier
    %v5 = memref.load %s1[%i] : memref<576xf16, #wg>
    memref.store %v5, %out[%t] : memref<?xf16>
    %v6 = memref.load %c3[%i] : memref<64xf16, #wg>
    memref.store %v6, %out[%t] : memref<?xf16>
    gpu.return
  }

  // A buffer is freed, and another one is filled before.
  // peer: 2048
  gpu.func @dealloc(%x: f16) kernel {
    %t = gpu.thread_id x
    %c0 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c0[%t] : memref<512xf16, #wg>
    %c1 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c1[%t] : memref<512xf16, #wg>
    memref.dealloc %c0 : memref<512xf16, #wg>
    gpu.return
  }

  // Triton's `if`: buffers of a branch, and of what comes behind it.
  // peer: 4096
  gpu.func @branch(%x: f16, %i: index, %cond: i1) kernel {
    %t = gpu.thread_id x
    %c0 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c0[%t] : memref<512xf16, #wg>
    %c1 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c1[%t] : memref<512xf16, #wg>
    gpu.barrier
    scf.if %cond {
      %a = memref.alloc() : memref<1024xf16, #wg>
      %v0 = memref.load %c0[%i] : memref<512xf16, #wg>
      %v1 = memref.load %c1[%i] : memref<512xf16, #wg>
      %v2 = arith.addf %v0, %v1 : f16
      memref.store %v2, %a[%t] : memref<1024xf16, #wg>
      %b = memref.alloc() : memref<1024xf16, #wg>
      %v3 = memref.load %c0[%i] : memref<512xf16, #wg>
      %v4 = memref.load %c1[%i] : memref<512xf16, #wg>
      %v5 = arith.addf %v3, %v4 : f16
      memref.store %v5, %b[%t] : memref<1024xf16, #wg>
    }
    gpu.barrier
    %c2 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c2[%t] : memref<512xf16, #wg>
    %c3 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c3[%t] : memref<512xf16, #wg>
    gpu.barrier
    %d = memref.alloc() : memref<1024xf16, #wg>
    %v6 = memref.load %c2[%i] : memref<512xf16, #wg>
    %v7 = memref.load %c3[%i] : memref<512xf16, #wg>
    %v8 = arith.addf %v6, %v7 : f16
    memref.store %v8, %d[%t] : memref<1024xf16, #wg>
    gpu.return
  }

  // The arms of a branch have buffers of their own; the first two are needed behind it.
  // peer: 6144
  gpu.func @if_else(%x: f16, %i: index, %cond: i1) kernel {
    %t = gpu.thread_id x
    %c0 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c0[%t] : memref<512xf16, #wg>
    %c1 = memref.alloc() : memref<512xf16, #wg>
    memref.store %x, %c1[%t] : memref<512xf16, #wg>
    gpu.barrier
    scf.if %cond {
      %a = memref.alloc() : memref<1024xf16, #wg>
      %v0 = memref.load %c0[%i] : memref<512xf16, #wg>
      %v1 = memref.load %c1[%i] : memref<512xf16, #wg>
      %v2 = arith.addf %v0, %v1 : f16
      memref.store %v2, %a[%t] : memref<1024xf16, #wg>
      %b = memref.alloc() : memref<1024xf16, #wg>
      %v3 = memref.load %c0[%i] : memref<512xf16, #wg>
      %v4 = memref.load %c1[%i] : memref<512xf16, #wg>
      %v5 = arith.addf %v3, %v4 : f16
      memref.store %v5, %b[%t] : memref<1024xf16, #wg>
    } else {
      %c2 = memref.alloc() : memref<512xf16, #wg>
      memref.store %x, %c2[%t] : memref<512xf16, #wg>
      %c3 = memref.alloc() : memref<512xf16, #wg>
      memref.store %x, %c3[%t] : memref<512xf16, #wg>
      gpu.barrier
      %d = memref.alloc() : memref<1024xf16, #wg>
      %v6 = memref.load %c2[%i] : memref<512xf16, #wg>
      %v7 = memref.load %c3[%i] : memref<512xf16, #wg>
      %v8 = arith.addf %v6, %v7 : f16
      memref.store %v8, %d[%t] : memref<1024xf16, #wg>
    }
    gpu.barrier
    %e = memref.alloc() : memref<1024xf16, #wg>
    %v9 = memref.load %c0[%i] : memref<512xf16, #wg>
    %v10 = memref.load %c1[%i] : memref<512xf16, #wg>
    %v11 = arith.addf %v9, %v10 : f16
    memref.store %v11, %e[%t] : memref<1024xf16, #wg>
    gpu.return
  }

  // Three tiles, used in a loop: all are needed at the same time.
  // peer: 24576
  gpu.func @for(%x: f16, %i: index, %n: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %a = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %a[%t] : memref<4096xf16, #wg>
    %b = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %b[%t] : memref<4096xf16, #wg>
    %cc = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %cc[%t] : memref<4096xf16, #wg>
    gpu.barrier
    scf.for %step0 = %zero to %n step %one {
      %v1 = memref.load %a[%i] : memref<4096xf16, #wg>
      %v2 = memref.load %b[%i] : memref<4096xf16, #wg>
      %v3 = arith.addf %v1, %v2 : f16
      memref.store %v3, %out[%t] : memref<?xf16>
      gpu.barrier
      memref.store %x, %cc[%t] : memref<4096xf16, #wg>
      gpu.barrier
      %v4 = memref.load %cc[%i] : memref<4096xf16, #wg>
      memref.store %v4, %out[%t] : memref<?xf16>
    }
    gpu.return
  }

  // A fourth tile is needed behind the loop.
  // peer: 32768
  gpu.func @for_use_ancestor(%x: f16, %i: index, %n: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %a = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %a[%t] : memref<4096xf16, #wg>
    %b = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %b[%t] : memref<4096xf16, #wg>
    %cc = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %cc[%t] : memref<4096xf16, #wg>
    %c0 = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %c0[%t] : memref<4096xf16, #wg>
    gpu.barrier
    scf.for %step0 = %zero to %n step %one {
      %v1 = memref.load %a[%i] : memref<4096xf16, #wg>
      %v2 = memref.load %b[%i] : memref<4096xf16, #wg>
      %v3 = memref.load %c0[%i] : memref<4096xf16, #wg>
      %v4 = arith.addf %v1, %v2 : f16
      %v5 = arith.addf %v4, %v3 : f16
      memref.store %v5, %out[%t] : memref<?xf16>
      gpu.barrier
      memref.store %x, %cc[%t] : memref<4096xf16, #wg>
      gpu.barrier
      %v6 = memref.load %cc[%i] : memref<4096xf16, #wg>
      memref.store %v6, %out[%t] : memref<?xf16>
    }
    %v7 = memref.load %c0[%i] : memref<4096xf16, #wg>
    memref.store %v7, %out[%t] : memref<?xf16>
    gpu.return
  }

  // Three tiles for two loops in each other, two in the arms of a branch in them, and one behind.
  // peer: 40960
  gpu.func @for_for_if(%x: f16, %i: index, %cond: i1, %n: index, %out: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %a = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %a[%t] : memref<4096xf16, #wg>
    %b = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %b[%t] : memref<4096xf16, #wg>
    %cc = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %cc[%t] : memref<4096xf16, #wg>
    gpu.barrier
    scf.for %step0 = %zero to %n step %one {
      scf.for %step1 = %zero to %n step %one {
        %v2 = memref.load %a[%i] : memref<4096xf16, #wg>
        %v3 = memref.load %b[%i] : memref<4096xf16, #wg>
        %v4 = memref.load %cc[%i] : memref<4096xf16, #wg>
        %v5 = arith.addf %v2, %v3 : f16
        %v6 = arith.addf %v5, %v4 : f16
        memref.store %v6, %out[%t] : memref<?xf16>
        scf.if %cond {
          %c0 = memref.alloc() : memref<4096xf16, #wg>
          memref.store %x, %c0[%t] : memref<4096xf16, #wg>
          gpu.barrier
          %v7 = memref.load %c0[%i] : memref<4096xf16, #wg>
          memref.store %v7, %out[%t] : memref<?xf16>
          gpu.barrier
        } else {
          %d0 = memref.alloc() : memref<4096xf16, #wg>
          memref.store %x, %d0[%t] : memref<4096xf16, #wg>
          gpu.barrier
          %v8 = memref.load %d0[%i] : memref<4096xf16, #wg>
          memref.store %v8, %out[%t] : memref<?xf16>
          gpu.barrier
        }
      }
    }
    gpu.barrier
    %c2 = memref.alloc() : memref<4096xf16, #wg>
    memref.store %x, %c2[%t] : memref<4096xf16, #wg>
    gpu.barrier
    %v9 = memref.load %c2[%i] : memref<4096xf16, #wg>
    memref.store %v9, %out[%t] : memref<?xf16>
    gpu.return
  }
}
