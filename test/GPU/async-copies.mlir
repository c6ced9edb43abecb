// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races -o /dev/null

// Copies are in flight until a wait for all groups behind the end of their group;
// then they are writes that other threads see behind the next barrier.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @waited(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A barrier does not wait for copies.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @not_waited(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    // expected-note @below {{between this access}}
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    %g = nvgpu.device_async_create_group %t
    gpu.barrier
    // expected-note @below {{and this one}}
    memref.store %x, %b[%i] : !wg
    nvgpu.device_async_wait %g
    gpu.return
  }

  // A wait completes the copies of the thread that waits.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @no_barrier(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    %g = nvgpu.device_async_create_group %t
    gpu.barrier
    nvgpu.device_async_wait %g
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // With a number, that many groups stay in flight.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @some_groups(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    // expected-remark @below {{in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A copy that is in no group yet is not waited for.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @no_group(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    // expected-remark @below {{in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %g = nvgpu.device_async_create_group
    gpu.barrier
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    nvgpu.device_async_wait %g
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // The issue is a write: nobody may still read the bytes.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @issue(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    // expected-remark @below {{no-barrier}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    %t = nvgpu.device_async_copy %in[%i], %b[%i], 4 : memref<64xf32> to !wg
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g
    gpu.return
  }

  // Two copies in flight at the same time, and nothing that reads them.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @two_copies(%i: index, %in: memref<64xf32>) kernel {
    // expected-remark @below {{in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    gpu.barrier
    %u = nvgpu.device_async_copy %in[%i], %b[%i], 4 : memref<64xf32> to !wg
    gpu.return
  }

  // In flight around the back edge, past the barrier at the end of the loop.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @back_edge(%x: f32, %i: index, %n: index, %in: memref<64xf32>) kernel {
    scf.for %k = %i to %n step %n {
      // expected-remark @below {{in-flight}}
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      %t = nvgpu.device_async_copy %in[%i], %b[%i], 4 : memref<64xf32> to !wg
      %g = nvgpu.device_async_create_group %t
      gpu.barrier
    }
    gpu.return
  }

  // Only some of the threads wait.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @divergent_wait(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    %thread = gpu.thread_id x
    %c = arith.cmpi eq, %thread, %i : index
    // expected-remark @below {{in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    %g = nvgpu.device_async_create_group %t
    scf.if %c {
      nvgpu.device_async_wait %g
    }
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Those that copy wait, and meet the others afterwards.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @producer(%x: f32, %i: index, %n: index, %in: memref<64xf32>) kernel {
    %thread = gpu.thread_id x
    %c = arith.cmpi ult, %thread, %i : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
      %g = nvgpu.device_async_create_group %t
      nvgpu.device_async_wait %g
    }
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // They end the group, and all wait.
  // expected-remark @below {{pool of 256 bytes}}
  gpu.func @group_of_some(%x: f32, %i: index, %n: index, %in: memref<64xf32>) kernel {
    %thread = gpu.thread_id x
    %c = arith.cmpi ult, %thread, %i : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      scf.for %k = %i to %n step %n {
        %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
      }
      nvvm.cp.async.commit.group
    }
    nvvm.cp.async.wait.group 0
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // They do not wait for what is in no group yet.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @wait_before_group(%x: f32, %i: index, %n: index, %in: memref<64xf32>) kernel {
    %thread = gpu.thread_id x
    %c = arith.cmpi ult, %thread, %i : index
    // expected-remark @below {{in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
      nvvm.cp.async.wait.group 0
      %g = nvgpu.device_async_create_group %t
    }
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // They leave this group in flight.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @wait_for_others(%x: f32, %i: index, %n: index, %in: memref<64xf32>) kernel {
    %thread = gpu.thread_id x
    %c = arith.cmpi ult, %thread, %i : index
    // expected-remark @below {{in-flight}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
      %g = nvgpu.device_async_create_group %t
      nvvm.cp.async.wait.group 1
    }
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Loads of fragments are done when they are executed.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @ldmatrix(%x: f16, %i: index) kernel {
    %a = memref.alloc() : memref<16x16xf16, #gpu.address_space<workgroup>>
    %b = memref.alloc() : memref<16x16xf16, #gpu.address_space<workgroup>>
    %v = nvgpu.ldmatrix %a[%i, %i] {numTiles = 4 : i32, transpose = false}
        : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    gpu.barrier
    memref.store %x, %b[%i, %i] : memref<16x16xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}
