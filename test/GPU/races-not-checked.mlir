// RUN: buffer-merge-opt %s --check-workgroup-races='target={"workgroup": {"spaces": ["3"]}}' --verify-diagnostics -o /dev/null
// RUN: not buffer-merge-opt %s --check-workgroup-races='target={"workgroup": {"spaces": ["3"]}} strict' -o /dev/null 2>&1 | FileCheck %s

// What the checker does not model is a remark at that operation, and an error on
// demand. These are kernels of a program, in the manner of those for Hopper.

// CHECK: error: not checked for races in workgroup memory: what 'nvgpu.tma.async.load' means for them is not known

!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!tile = memref<64x64xf16, 3>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>
!desc = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, 3>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  memref.global "private" @dynamic : memref<0xf16, 3> {alignment = 16 : i64}

  // Stages of a pipeline in dynamic memory, ordered by mbarriers, and an epilogue in the
  // same bytes.
  gpu.func @gemm(%map: !map, %n: index, %out: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %size = arith.constant 8192 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %memory = memref.get_global @dynamic : memref<0xf16, 3>
    // expected-note @below {{the bytes of this value}}
    %a = memref.reinterpret_cast %memory to offset: [0], sizes: [64, 64], strides: [64, 1]
        : memref<0xf16, 3> to !tile
    %mbarrier = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %mbarrier[%c0], %c1 : !barrier
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %mbarrier[%c0], %size : !barrier
      // expected-remark @below {{not checked for races in workgroup memory: what 'nvgpu.tma.async.load' means for them is not known}}
      nvgpu.tma.async.load %map[%c0, %c0], %mbarrier[%c0] to %a : !map, !barrier -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %mbarrier[%c0], %false, %ticks : !barrier
    %d = nvgpu.warpgroup.generate.descriptor %a, %map : !tile, !map -> !desc
    %zero = nvgpu.warpgroup.mma.init.accumulator -> !acc
    %r = nvgpu.warpgroup.mma %d, %d, %zero {transposeB} : !desc, !desc, !acc -> !acc
    // expected-note @below {{and of this one may overlap}}
    %c = memref.reinterpret_cast %memory to offset: [0], sizes: [64, 32], strides: [32, 1]
        : memref<0xf16, 3> to memref<64x32xf16, 3>
    %v = memref.load %c[%t, %c0] : memref<64x32xf16, 3>
    %w = arith.extf %v : f16 to f32
    memref.store %w, %out[%t, %c0] : memref<64x64xf32>
    gpu.return
  }

  // Ordinary accesses that only an mbarrier orders.
  gpu.func @mbarrier(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %p = gpu.dynamic_shared_memory : !bytes
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : !bytes to !wg
    // expected-note @below {{and of this one may overlap}}
    %b = memref.view %p[%c0][] : !bytes to !wg
    %mbarrier = nvgpu.mbarrier.create -> !barrier
    memref.store %x, %a[%i] : !wg
    // expected-remark @below {{what 'nvgpu.mbarrier.try_wait.parity' means for them is not known}}
    nvgpu.mbarrier.try_wait.parity %mbarrier[%c0], %false, %c1 : !barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // An mbarrier that is not between the accesses.
  gpu.func @elsewhere(%x: f32, %i: index) workgroup(%p: memref<256xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %mbarrier = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.try_wait.parity %mbarrier[%c0], %false, %c1 : !barrier
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    // expected-note @below {{and of this one overlap}}
    %b = memref.view %p[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    // expected-error @below {{race in workgroup memory: no-barrier}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Groups of threads that wait for each other, where threads part.
  gpu.func @groups(%x: f32, %i: index, %c: i1) workgroup(%p: memref<256xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %id = arith.constant 1 : i32
    %n = arith.constant 64 : i32
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    // expected-note @below {{and of this one may overlap}}
    %b = memref.view %p[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      memref.store %x, %a[%i] : !wg
      // expected-remark @below {{what 'nvvm.barrier' means for them is not known}}
      nvvm.barrier id = %id number_of_threads = %n
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // A barrier in a callee.
  func.func private @wait() {
    // expected-remark @below {{what 'gpu.barrier' means for them is not known}}
    gpu.barrier
    return
  }
  gpu.func @callee(%x: f32, %i: index) workgroup(%p: memref<256xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    // expected-note @below {{and of this one may overlap}}
    %b = memref.view %p[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    memref.store %x, %a[%i] : !wg
    func.call @wait() : () -> ()
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
