// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes=workgroup-pool=dynamic 2>&1 | FileCheck %s --check-prefix=REASON
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(gpu.module(buffer-merge{workgroup-pool=dynamic}))' \
// RUN:   | FileCheck %s --check-prefix=PART
// RUN: not buffer-merge-opt %s --buffer-merge='workgroup-pool=dynamic capacity=#gpu.address_space<workgroup>:65648' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CAPACITY --implicit-check-not=error:

// Pools in dynamic memory: every launch gives the size.

!wg = memref<16384xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  // 64 KiB: more than a static variable may have.
  // CHECK-LABEL: func.func @host(
  //       CHECK:   %[[S0:.*]] = arith.constant 65536 : i32
  //       CHECK:   gpu.launch_func @kernels::@reuse {{.*}} dynamic_shared_memory_size %[[S0]]
  //       CHECK:   %[[S1:.*]] = arith.constant 65536 : i32
  //       CHECK:   gpu.launch_func @kernels::@reuse {{.*}} dynamic_shared_memory_size %[[S1]]
  //       CHECK:   gpu.launch_func @kernels::@has_dynamic
  //       CHECK:   %[[S2:.*]] = arith.constant 256 : i32
  //  CHECK-NEXT:   gpu.launch_func @kernels::@static {{.*}} dynamic_shared_memory_size %[[S2]]
  //       CHECK:   %[[S3:.*]] = arith.constant 65648 : i32
  //  CHECK-NEXT:   gpu.launch_func @kernels::@aligned {{.*}} dynamic_shared_memory_size %[[S3]]
  //       CHECK:   %[[S4:.*]] = arith.constant 131184 : i32
  //  CHECK-NEXT:   gpu.launch_func @kernels::@aligned_both {{.*}} dynamic_shared_memory_size %[[S4]]
  //   CHECK-NOT:   arith.constant
  //       CHECK:   return
  func.func @host(%x: f32, %n: index, %b: i8) {
    %size = arith.constant 16 : i32
    gpu.launch_func @kernels::@reuse blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    gpu.launch_func @kernels::@reuse blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    gpu.launch_func @kernels::@has_dynamic blocks in (%n, %n, %n) threads in (%n, %n, %n)
        dynamic_shared_memory_size %size args(%x : f32, %n : index)
    gpu.launch_func @kernels::@static blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index, %b : i8)
    gpu.launch_func @kernels::@aligned blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    gpu.launch_func @kernels::@aligned_both blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    return
  }

  // CHECK-LABEL: func.func @launch(
  //       CHECK:   %[[S:.*]] = arith.constant 65536 : i32
  //       CHECK:   gpu.launch {{.*}} dynamic_shared_memory_size %[[S]]
  //  CHECK-NEXT:     gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  //   CHECK-NOT:     memref.alloc
  func.func @launch(%x: f32, %n: index) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
        threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      %p = memref.alloc() : !wg
      memref.store %x, %p[%tx] : !wg
      gpu.barrier
      %q = memref.alloc() : !wg
      memref.store %x, %q[%tx] : !wg
      gpu.terminator
    }
    return
  }

  gpu.module @kernels {
    // One global for all kernels, public and without a value: the lowering of
    // gpu.dynamic_shared_memory would overlap with static memory.
    // CHECK-LABEL: gpu.module @kernels {
    //  CHECK-NEXT:   memref.global @dynamic_shared_memory : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 16 : i64}
    //   CHECK-NOT:   memref.global
    // CHECK-LABEL: gpu.func @reuse(
    //  CHECK-SAME:     index) kernel
    //  CHECK-NEXT:   %[[GLOBAL:.*]] = memref.get_global @dynamic_shared_memory : memref<0xi8, #gpu.address_space<workgroup>>
    //  CHECK-NEXT:   %[[POOL:.*]] = memref.reinterpret_cast %[[GLOBAL]] to offset: [0], sizes: [65536], strides: [1] :
    //  CHECK-SAME:     to memref<65536xi8, #gpu.address_space<workgroup>>
    //       CHECK:   memref.view %[[POOL]]{{.*}} : memref<65536xi8, #gpu.address_space<workgroup>> to memref<16384xf32
    //       CHECK:   memref.view %[[POOL]]
    //   CHECK-NOT:   memref.alloc
    //       CHECK:   gpu.return
    //  PART-LABEL: gpu.func @reuse(
    //        PART:   memref.alloc() : memref<16384xf32
    gpu.func @reuse(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      %b = memref.alloc() : !wg
      memref.store %x, %b[%i] : !wg
      gpu.return
    }

    // The same global again.
    // CHECK-LABEL: gpu.func @static(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<5xi8, #gpu.address_space<workgroup>>) kernel
    //  CHECK-NEXT:   memref.get_global @dynamic_shared_memory
    //  CHECK-NEXT:   memref.reinterpret_cast
    gpu.func @static(%x: f32, %i: index, %b: i8)
        workgroup(%w: memref<5xi8, #gpu.address_space<workgroup>>) kernel {
      %a = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %x, %a[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %b, %w[%i] : memref<5xi8, #gpu.address_space<workgroup>>
      gpu.return
    }

    // CHECK-LABEL: gpu.func @has_dynamic(
    //       CHECK:   memref.alloc() : memref<16384xf32
    gpu.func @has_dynamic(%x: f32, %i: index) kernel {
      %c0 = arith.constant 0 : index
      %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %v = memref.view %d[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %x, %v[%i] : memref<4xf32, #gpu.address_space<workgroup>>
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }

    // It is aligned to 16 bytes only: the pool begins at the first byte that is aligned to 128.
    // CHECK-LABEL: gpu.func @aligned(
    //  CHECK-SAME:     index) kernel
    //       CHECK:   arith.constant 127 : index
    //       CHECK:   memref.view %{{.*}} : memref<65648xi8, {{.*}}> to memref<65536xi8,
    gpu.func @aligned(%x: f32, %i: index) kernel {
      %a = memref.alloc() {alignment = 128} : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }

    // The same for two, side by side.
    // CHECK-LABEL: gpu.func @aligned_both(
    //  CHECK-SAME:     index) kernel
    //       CHECK:   memref.view %{{.*}} : memref<131184xi8, {{.*}}> to memref<131072xi8,
    // CAPACITY: [[#@LINE+2]]:5: error: pool of 'gpu.func' in memory space #gpu.address_space<workgroup>
    // CAPACITY-SAME: needs 131072 bytes, its capacity is 65536
    gpu.func @aligned_both(%x: f32, %i: index) kernel {
      %a = memref.alloc() {alignment = 128} : !wg
      memref.store %x, %a[%i] : !wg
      %b = memref.alloc() {alignment = 128} : !wg
      memref.store %x, %b[%i] : !wg
      gpu.return
    }

    // Launched from somewhere else.
    // CHECK-LABEL: gpu.func @external(
    //  CHECK-SAME:   workgroup(%{{.*}} : memref<65536xi8
    gpu.func @external(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }
  }
  module @inner attributes {gpu.container_module} {
    func.func @host(%x: f32, %n: index) {
      gpu.launch_func @kernels::@reuse blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
      return
    }
    gpu.module @kernels {
      gpu.func @reuse(%x: f32, %i: index) kernel {
        gpu.return
      }
    }
  }
}

// A launch in a module inside is one of its own kernel, whatever the names are.
// CHECK-LABEL: module @inner
//       CHECK:   gpu.launch_func @kernels::@reuse
//   CHECK-NOT:   dynamic_shared_memory_size
//       CHECK:   return
// REASON: left alone: 1 allocation of 65536 bytes: dynamic-memory
