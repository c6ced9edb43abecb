// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge=workgroup-pool=alloc | FileCheck %s --check-prefix=ALLOC
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge --remarks-filter=buffer-merge \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// MLIR lowers an allocation of workgroup memory to a call of malloc in each thread. What is
// not merged becomes an attribution of its own, if one object for the kernel means the
// same.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
!big = memref<32x32xf32, #gpu.address_space<workgroup>>
!map = !nvgpu.tensormap.descriptor<tensor = memref<32x32xf32, #gpu.address_space<workgroup>>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A copy engine fills it. It wants more alignment than an access of a thread.
  // CHECK-LABEL: gpu.func @copy_engine(
  //  CHECK-SAME:     workgroup(%[[A:.*]] : memref<32x32xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.subgroup_id
  // ALLOC-LABEL: gpu.func @copy_engine(
  //       ALLOC:   memref.alloc()
  // WHY: own-attributions.mlir:[[#@LINE+4]]:10: remark: not mergeable: async-proxy{{.*}}; it becomes a workgroup attribution of its own
  // REMARK: own-attributions.mlir:[[#@LINE+3]]:10: remark: [Missed] NotMerged{{.*}}Becomes=attribution{{.*}}async-proxy
  gpu.func @copy_engine(%d: !map, %m: !barrier, %i: index) kernel {
    %s = gpu.subgroup_id : index
    %a = memref.alloc() : !big
    nvgpu.tma.async.load %d[%i, %i], %m[%i] to %a : !map, !barrier -> !big
    memref.dealloc %a : !big
    gpu.return
  }

  // Its address is taken, once.
  // CHECK-LABEL: gpu.func @address(
  //  CHECK-SAME:     workgroup(%[[A:.*]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
  //       CHECK:   memref.extract_aligned_pointer_as_index %[[A]]
  gpu.func @address(%out: memref<1xindex>, %i: index) kernel {
    %a = memref.alloc() : !wg
    %p = memref.extract_aligned_pointer_as_index %a : !wg -> index
    memref.store %p, %out[%i] : memref<1xindex>
    gpu.return
  }

  // In a loop, that of an earlier iteration may be in use.
  // CHECK-LABEL: gpu.func @addresses(
  //       CHECK:   memref.alloc()
  // WHY: own-attributions.mlir:[[#@LINE+3]]:12: remark: not mergeable: address-taken{{.*}}extract_aligned_pointer_as_index'){{$}}
  gpu.func @addresses(%out: memref<?xindex>, %n: index, %s: index) kernel {
    scf.for %i = %s to %n step %s {
      %a = memref.alloc() : !wg
      %p = memref.extract_aligned_pointer_as_index %a : !wg -> index
      memref.store %p, %out[%i] : memref<?xindex>
    }
    gpu.return
  }

  // A callee copies into it, and waits for nothing.
  // CHECK-LABEL: gpu.func @copied_by_callee(
  //  CHECK-SAME:     workgroup(%[[A:.*]] : memref<64xf32, #gpu.address_space<workgroup>>
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   call @copy(%{{.*}}, %[[A]], %{{.*}})
  gpu.func @copied_by_callee(%in: memref<64xf32>, %i: index) kernel {
    %a = memref.alloc() : !wg
    func.call @copy(%in, %a, %i) : (memref<64xf32>, !wg, index) -> ()
    nvvm.cp.async.wait.group 0
    gpu.return
  }
  func.func private @copy(%in: memref<64xf32>, %a: !wg, %i: index) {
    %copy = nvgpu.device_async_copy %in[%i], %a[%i], 1 : memref<64xf32> to !wg
    %group = nvgpu.device_async_create_group %copy
    return
  }

  // In a loop, the copy of an earlier iteration may still be in flight.
  // CHECK-LABEL: gpu.func @copied_by_callee_in_loop(
  //       CHECK:     memref.alloc()
  gpu.func @copied_by_callee_in_loop(%in: memref<64xf32>, %n: index, %s: index) kernel {
    scf.for %i = %s to %n step %s {
      %a = memref.alloc() : !wg
      func.call @copy(%in, %a, %i) : (memref<64xf32>, !wg, index) -> ()
    }
    nvvm.cp.async.wait.group 0
    gpu.return
  }

  // Nor may what a loop carries be one object.
  // CHECK-LABEL: gpu.func @carried(
  //       CHECK:     memref.alloc()
  gpu.func @carried(%x: f32, %n: index, %s: index, %first: !wg) kernel {
    %last = scf.for %i = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      %v = memref.load %old[%i] : !wg
      scf.yield %a : !wg
    }
    gpu.return
  }

  // The same through blocks of a kernel: one carried, one not.
  // CHECK-LABEL: gpu.func @blocks(
  //  CHECK-SAME:     workgroup(%[[A:.*]] : memref<64xf32, #gpu.address_space<workgroup>>
  //       CHECK:   memref.alloc()
  //   CHECK-NOT:   memref.alloc()
  gpu.func @blocks(%x: f32, %i: index, %c: i1, %first: !wg) kernel {
    cf.br ^loop(%first : !wg)
  ^loop(%old: !wg):
    %v = memref.load %old[%i] : !wg
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %v, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    cf.cond_br %c, ^loop(%a : !wg), ^end
  ^end:
    memref.dealloc %b : !wg
    gpu.return
  }

  // Freed, or made larger, by something that does so for others as well.
  // CHECK-LABEL: gpu.func @freed(
  // CHECK-COUNT-4: memref.alloc()
  //       CHECK:   gpu.return
  gpu.func @freed(%x: f32, %i: index, %c: i1) kernel {
    %a = memref.alloc() : !wg
    %a2 = memref.realloc %a : !wg to memref<128xf32, #gpu.address_space<workgroup>>
    %b = memref.alloc() : !wg
    "test.free"(%b) : (!wg) -> ()
    cf.br ^end
  ^end:
    %d = memref.alloc() : !wg
    %e = memref.alloc() : !wg
    %f = arith.select %c, %d, %e : !wg
    memref.dealloc %f : !wg
    gpu.return
  }

  // Its size is known at run time.
  // CHECK-LABEL: gpu.func @dynamic_size(
  //       CHECK:   memref.alloc(
  gpu.func @dynamic_size(%x: f32, %n: index) kernel {
    %a = memref.alloc(%n) : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%n] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Static memory would overlap with what the stock lowering makes of dynamic memory.
  // CHECK-LABEL: gpu.func @beside_dynamic(
  //       CHECK:   memref.alloc()
  gpu.func @beside_dynamic(%out: memref<1xindex>, %i: index) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.alloc() : !wg
    %p = memref.extract_aligned_pointer_as_index %a : !wg -> index
    memref.store %p, %out[%i] : memref<1xindex>
    gpu.return
  }

  // A function that a kernel calls cannot say how often it is executed.
  // CHECK-LABEL: gpu.func @not_a_kernel(
  //       CHECK:   memref.alloc()
  gpu.func @not_a_kernel(%x: f32, %i: index) {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }
}
