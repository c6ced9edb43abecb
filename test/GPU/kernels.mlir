// RUN: buffer-merge-opt %s --buffer-lifetimes --split-input-file --verify-diagnostics=only-expected -o /dev/null

// Whose memory it is: that of the kernel, whatever lies between. What is left
// alone, and why.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A function that is no kernel may be called by some threads only, and again.
  gpu.func @device_function(%x: f32, %i: index) {
    // expected-remark @below {{not mergeable: not-a-kernel,}}
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }
  func.func @function(%x: f32, %i: index) {
    // expected-remark @below {{not mergeable: not-a-kernel,}}
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    return
  }
  gpu.func @blocks(%x: f32, %i: index) kernel {
    // expected-remark @below {{not mergeable: unstructured,}}
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    cf.br ^bb1
  ^bb1:
    gpu.return
  }
  // A region of several blocks inside is one in which threads may part.
  // expected-remark @below {{pool of 512 bytes}}
  gpu.func @blocks_inside(%x: f32, %i: index) kernel {
    // expected-remark @below {{divergent}}
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.execute_region {
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      cf.br ^bb1
    ^bb1:
      memref.store %x, %b[%i] : !wg
      scf.yield
    }
    gpu.return
  }
  gpu.func @dynamic_shape(%x: f32, %i: index) kernel {
    // expected-remark @below {{not mergeable: dynamic-shape,}}
    %a = memref.alloc(%i) : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @escape(%x: f32, %i: index) -> index {
    // expected-remark @below {{not mergeable: not-a-kernel,}}
    %a = memref.alloc() : !wg
    %p = memref.extract_aligned_pointer_as_index %a : !wg -> index
    gpu.return %p : index
  }
  gpu.func @address(%x: f32, %i: index, %out: memref<?xindex>) kernel {
    // expected-remark @below {{not mergeable: address-taken,}}
    %a = memref.alloc() : !wg
    %p = memref.extract_aligned_pointer_as_index %a : !wg -> index
    memref.store %p, %out[%i] : memref<?xindex>
    gpu.return
  }
  // Copy engines and matrix units are not ordered by barriers.
  gpu.func @tma(%d: !nvgpu.tensormap.descriptor<tensor = memref<64x8xf32, 3>, swizzle = none,
                    l2promo = none, oob = zero, interleave = none>,
                %m: !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>,
                %i: index) kernel {
    // expected-remark @below {{not mergeable: async-proxy,}}
    %a = memref.alloc() : memref<64x8xf32, #gpu.address_space<workgroup>>
    nvgpu.tma.async.load %d[%i, %i], %m[%i] to %a
        : !nvgpu.tensormap.descriptor<tensor = memref<64x8xf32, 3>, swizzle = none,
              l2promo = none, oob = zero, interleave = none>,
          !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
          -> memref<64x8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  // It leaves the branch that allocates it.
  gpu.func @left_behind(%x: f32, %i: index, %c: i1, %out: memref<64xf32>) kernel {
    // expected-remark @below {{lifetime [5, 10), 256 bytes}}
    %a = memref.alloc() : !wg                           // 0
    %b = scf.if %c -> !wg {                             // 1
      // expected-remark @below {{lifetime [3, 10), 256 bytes}}
      %0 = memref.alloc() : !wg                         // 2
      memref.store %x, %0[%i] : !wg                     // 3
      scf.yield %0 : !wg                                // 4
    } else {
      memref.store %x, %a[%i] : !wg                     // 5
      scf.yield %a : !wg                                // 6
    }                                                   // 7
    gpu.barrier                                         // 8
    %y = memref.load %b[%i] : !wg                       // 9
    memref.store %y, %out[%i] : memref<64xf32>          // 10
    gpu.return
  }
  // The iterations are threads, each with an allocation.
  gpu.func @in_threads(%x: f32, %i: index) kernel {
    scf.forall (%t) in (32) {
      // expected-remark @below {{not mergeable: no-alloc-scope,}}
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
    } {mapping = [#gpu.thread<x>]}
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Code for SPIR-V, which has no views of workgroup memory.
gpu.module @kernels attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.0, [Shader], []>, #spirv.resource_limits<>>} {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    // expected-remark @below {{not mergeable: memory-space,}}
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Loops that are not mapped yet: the iterations of the outer one are workgroups,
// those of the inner ones threads, all done at its end.
func.func @nest(%x: f32, %n: index) {
  // expected-remark @below {{2 buffers of 512 bytes, 256 alive at tick 3, pool of 256 bytes}}
  scf.forall (%b) in (%n) {
    %p = memref.alloc() : !wg
    %q = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %p[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    scf.forall (%t) in (64) {
      memref.store %x, %q[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// A mask leaves some warps out; all of them are done at the end.
func.func @masked(%x: f32, %n: index) {
  // expected-remark @below {{2 buffers of 512 bytes, 256 alive at tick 3, pool of 256 bytes}}
  scf.forall (%b) in (%n) {
    %p = memref.alloc() : !wg
    %q = memref.alloc() : !wg
    scf.forall (%t) in (2) {
      memref.store %x, %p[%t] : !wg
    } {mapping = [#gpu.warp<linear_dim_0>, #gpu.mask<0x3>]}
    scf.forall (%t) in (2) {
      // expected-remark @below {{not mergeable: no-alloc-scope,}}
      %a = memref.alloc() : !wg
      memref.store %x, %a[%t] : !wg
      memref.store %x, %q[%t] : !wg
    } {mapping = [#gpu.warp<linear_dim_0>, #gpu.mask<0x3>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// Without a mapping to threads nothing is known of the end of a loop.
func.func @not_mapped(%x: f32, %n: index) {
  // expected-remark @below {{no pool: no-gain}}
  scf.forall (%b) in (%n) {
    // expected-remark @below {{no-barrier}}
    %p = memref.alloc() : !wg
    %q = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %p[%t] : !wg
    }
    scf.forall (%t) in (64) {
      memref.store %x, %q[%t] : !wg
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// The end is a barrier, the begin is none: what all threads do before a loop may
// still be done when the first of them are in it.
func.func @before(%x: f32, %n: index, %out: memref<?xf32>) {
  // expected-remark @below {{no pool: no-gain}}
  scf.forall (%b) in (%n) {
    // expected-remark @below {{no-barrier}}
    %p = memref.alloc() : !wg
    %q = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %p[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    // expected-note @below {{between this access}}
    %v = memref.load %p[%n] : !wg
    memref.store %v, %out[%b] : memref<?xf32>
    scf.forall (%t) in (64) {
      // expected-note @below {{and this one}}
      memref.store %x, %q[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// A function that is compiled for the device as it is may be called again: from its
// end to its begin there is no barrier.
// expected-remark @below {{no pool: no-gain}}
func.func @again(%x: f32, %i: index) {
  // expected-remark @below {{back-edge}}
  %p = memref.alloc() : !wg
  %q = memref.alloc() : !wg
  // expected-note @below {{and this one}}
  memref.store %x, %p[%i] : !wg
  gpu.barrier
  // expected-note @below {{between this access}}
  memref.store %x, %q[%i] : !wg
  return
}

// Its arguments may differ from thread to thread.
// expected-remark @below {{no pool: no-gain}}
func.func @argument(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = arith.cmpi eq, %n, %c0 : index
  // expected-remark @below {{divergent}}
  %p = memref.alloc() : !wg
  %q = memref.alloc() : !wg
  scf.if %c {
    memref.store %x, %p[%c1] : !wg
  } else {
    memref.store %x, %q[%c1] : !wg
  }
  gpu.barrier
  return
}
