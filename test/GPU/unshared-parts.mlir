// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --check-workgroup-races=strict | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --buffer-merge=workgroup-pool=dynamic | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes=workgroup-pool=dynamic -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: buffer-merge-opt %s --buffer-lifetimes='workgroup-pool=dynamic report=%t.json' -o /dev/null 2>&1
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --remarks-filter=buffer-merge \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not buffer-merge-opt %s --buffer-merge='workgroup-pool=dynamic capacity=workgroup:33000' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CAPACITY

// What may not share bytes is a part of the pool in dynamic memory all the same: a static
// variable may take 48 KiB only.

#wg = #gpu.address_space<workgroup>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf32, #wg>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #wg>

module attributes {gpu.container_module} {
gpu.module @kernels {
  // Its address is taken: it shares nothing. Dynamic memory is aligned to 16 bytes, and up to
  // 1008 are skipped.
  // CHECK-LABEL: gpu.func @address(
  //  CHECK-SAME:     index) kernel
  //  CHECK-NEXT:   %[[D:.*]] = memref.get_global @dynamic_shared_memory : memref<0xi8, #gpu.address_space<workgroup>>
  //  CHECK-NEXT:   %[[ALL:.*]] = memref.reinterpret_cast %[[D]] to offset: [0], sizes: [34800], strides: [1] :
  //  CHECK-NEXT:   %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[D]]
  //  CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0 : index
  //  CHECK-NEXT:   %[[MASK:.*]] = arith.constant 1023 : index
  //  CHECK-NEXT:   %[[NEGATIVE:.*]] = arith.subi %[[ZERO]], %[[ADDRESS]] : index
  //  CHECK-NEXT:   %[[SKIPPED:.*]] = arith.andi %[[NEGATIVE]], %[[MASK]] : index
  //  CHECK-NEXT:   %[[POOL:.*]] = memref.view %[[ALL]][%[[SKIPPED]]][] : memref<34800xi8, {{.*}}> to memref<33792xi8,
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   memref.view %[[POOL]]
  //       CHECK:   memref.extract_aligned_pointer_as_index
  //       CHECK:   gpu.return
  // WHY: :[[#@LINE+10]]:10: remark: lifetime [0, {{.*}}), 32768 bytes, shares no bytes: address-taken
  // WHY: :[[#@LINE+8]]:3: remark: pool in memory space {{.*}}: 3 buffers of 34816 bytes, {{.*}}, pool of 33792 bytes, 34800 with what aligns it
  // REMARK: :[[#@LINE+8]]:10: remark: [Passed] Merged{{.*}}SharesNothing="address-taken
  // JSON: "poolSize": 33792
  // JSON: "launchBytes": 34800
  // JSON: "addedBytes": 34800
  // JSON: "unshared": "address-taken"
  // CAPACITY: :[[#@LINE+2]]:3: error: pool of 'gpu.func' {{.*}} needs 33792 bytes, its capacity is 31992
  // CAPACITY: :[[#@LINE+1]]:3: note: alignment: 1008 bytes
  gpu.func @address(%x: f32, %out: memref<1xindex>, %i: index) kernel {
    %a = memref.alloc() : memref<128x64xf32, #wg>
    %b = memref.alloc() : memref<256xf32, #wg>
    %c = memref.alloc() : memref<256xf32, #wg>
    %p = memref.extract_aligned_pointer_as_index %a : memref<128x64xf32, #wg> -> index
    memref.store %p, %out[%i] : memref<1xindex>
    memref.store %x, %b[%i] : memref<256xf32, #wg>
    gpu.barrier
    memref.store %x, %c[%i] : memref<256xf32, #wg>
    gpu.return
  }

  // A copy engine fills four stages; nothing else is there. Freeing is nothing.
  // CHECK-LABEL: gpu.func @stages(
  //  CHECK-SAME:     index) kernel
  //       CHECK:   memref.view %{{.*}} : memref<66544xi8, {{.*}}> to memref<65536xi8,
  // CHECK-COUNT-4: nvgpu.tma.async.load {{.*}} -> memref<64x64xf32, #gpu.address_space<workgroup>>
  //   CHECK-NOT:   memref.dealloc
  //       CHECK:   gpu.return
  gpu.func @stages(%d: !map, %m: !barrier, %i: index) kernel {
    %a = memref.alloc() : memref<64x64xf32, #wg>
    %b = memref.alloc() : memref<64x64xf32, #wg>
    %c = memref.alloc() : memref<64x64xf32, #wg>
    %e = memref.alloc() : memref<64x64xf32, #wg>
    nvgpu.tma.async.load %d[%i, %i], %m[%i] to %a : !map, !barrier -> memref<64x64xf32, #wg>
    nvgpu.tma.async.load %d[%i, %i], %m[%i] to %b : !map, !barrier -> memref<64x64xf32, #wg>
    nvgpu.tma.async.load %d[%i, %i], %m[%i] to %c : !map, !barrier -> memref<64x64xf32, #wg>
    nvgpu.tma.async.load %d[%i, %i], %m[%i] to %e : !map, !barrier -> memref<64x64xf32, #wg>
    memref.dealloc %a : memref<64x64xf32, #wg>
    gpu.return
  }

  // A kernel of several blocks.
  // CHECK-LABEL: gpu.func @blocks(
  //       CHECK:   memref.view %{{.*}} : memref<368xi8, {{.*}}> to memref<256xi8,
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  gpu.func @blocks(%x: f32, %i: index, %c: i1) kernel {
    %a = memref.alloc() : memref<32xf32, #wg>
    %b = memref.alloc() : memref<32xf32, #wg>
    memref.store %x, %a[%i] : memref<32xf32, #wg>
    cf.cond_br %c, ^then, ^end
  ^then:
    memref.store %x, %b[%i] : memref<32xf32, #wg>
    cf.br ^end
  ^end:
    gpu.return
  }

  // Without a size for all launches, they are attributions.
  // CHECK-LABEL: gpu.func @not_launched(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
  //  CHECK-SAME:               %{{.*}} : memref<256xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  gpu.func @not_launched(%x: f32, %out: memref<1xindex>, %i: index) kernel {
    %a = memref.alloc() : memref<256xf32, #wg>
    %b = memref.alloc() : memref<256xf32, #wg>
    %p = memref.extract_aligned_pointer_as_index %a : memref<256xf32, #wg> -> index
    memref.store %p, %out[%i] : memref<1xindex>
    memref.store %x, %b[%i] : memref<256xf32, #wg>
    gpu.return
  }
}
// CHECK-LABEL: func.func @host(
//       CHECK:   %[[S0:.*]] = arith.constant 34800 : i32
//       CHECK:   gpu.launch_func @kernels::@address {{.*}} dynamic_shared_memory_size %[[S0]]
//       CHECK:   %[[S1:.*]] = arith.constant 66544 : i32
//       CHECK:   gpu.launch_func @kernels::@stages {{.*}} dynamic_shared_memory_size %[[S1]]
func.func @host(%x: f32, %out: memref<1xindex>, %n: index, %d: !map, %m: !barrier, %c: i1) {
  gpu.launch_func @kernels::@address blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%x : f32, %out : memref<1xindex>, %n : index)
  gpu.launch_func @kernels::@stages blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%d : !map, %m : !barrier, %n : index)
  gpu.launch_func @kernels::@blocks blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%x : f32, %n : index, %c : i1)
  return
}
}
