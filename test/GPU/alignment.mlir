// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"alignment": 1}}' | FileCheck %s

// What instructions need of addresses in workgroup memory. Both buffers are alive all along.

!wg = memref<16x16xf16, #gpu.address_space<workgroup>>
!bytes = memref<3xi8, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @elements(
  //  CHECK-SAME:     memref<515xi8, #gpu.address_space<workgroup>> {llvm.align = 2 : i64}
  gpu.func @elements(%x: f16, %y: i8, %i: index) kernel {
    %small = memref.alloc() : !bytes
    %a = memref.alloc() : !wg
    memref.store %y, %small[%i] : !bytes
    memref.store %x, %a[%i, %i] : !wg
    memref.store %y, %small[%i] : !bytes
    gpu.return
  }

  // CHECK-LABEL: gpu.func @matrix_load(
  //  CHECK-SAME:     memref<515xi8, #gpu.address_space<workgroup>> {llvm.align = 32 : i64}
  gpu.func @matrix_load(%x: f16, %y: i8, %i: index, %out: memref<16x16xf16>) kernel {
    %small = memref.alloc() : !bytes
    %a = memref.alloc() : !wg
    memref.store %y, %small[%i] : !bytes
    memref.store %x, %a[%i, %i] : !wg
    gpu.barrier
    %f = gpu.subgroup_mma_load_matrix %a[%i, %i] {leadDimension = 16 : index} : !wg -> !gpu.mma_matrix<16x16xf16, "COp">
    gpu.subgroup_mma_store_matrix %f, %out[%i, %i] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16>
    memref.store %y, %small[%i] : !bytes
    gpu.return
  }

  // CHECK-LABEL: gpu.func @matrix_store(
  //  CHECK-SAME:     memref<515xi8, #gpu.address_space<workgroup>> {llvm.align = 32 : i64}
  gpu.func @matrix_store(%x: f16, %y: i8, %i: index) kernel {
    %small = memref.alloc() : !bytes
    %a = memref.alloc() : !wg
    memref.store %y, %small[%i] : !bytes
    %f = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf16, "COp">
    gpu.subgroup_mma_store_matrix %f, %a[%i, %i] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf16, "COp">, !wg
    memref.store %y, %small[%i] : !bytes
    gpu.return
  }

  // CHECK-LABEL: gpu.func @ldmatrix(
  //  CHECK-SAME:     memref<515xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}
  gpu.func @ldmatrix(%x: f16, %y: i8, %i: index) kernel {
    %small = memref.alloc() : !bytes
    %a = memref.alloc() : !wg
    memref.store %y, %small[%i] : !bytes
    memref.store %x, %a[%i, %i] : !wg
    gpu.barrier
    %f = nvgpu.ldmatrix %a[%i, %i] {numTiles = 4 : i32, transpose = false} : !wg -> vector<4x2xf16>
    %e = vector.extract %f[0, 0] : f16 from vector<4x2xf16>
    memref.store %y, %small[%i] : !bytes
    memref.store %e, %a[%i, %i] : !wg
    gpu.return
  }

  // Four elements of two bytes.
  // CHECK-LABEL: gpu.func @async_copy(
  //  CHECK-SAME:     memref<515xi8, #gpu.address_space<workgroup>> {llvm.align = 8 : i64}
  gpu.func @async_copy(%y: i8, %i: index, %in: memref<16x16xf16>) kernel {
    %small = memref.alloc() : !bytes
    %a = memref.alloc() : !wg
    memref.store %y, %small[%i] : !bytes
    %copy = nvgpu.device_async_copy %in[%i, %i], %a[%i, %i], 4 : memref<16x16xf16> to !wg
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group {numGroups = 0 : i32}
    memref.store %y, %small[%i] : !bytes
    gpu.return
  }
}
