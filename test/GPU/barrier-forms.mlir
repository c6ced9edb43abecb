// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s

// What counts as a barrier of all threads, and as an ordinary access: then two buffers
// share bytes (256 of 512).

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#space = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @numbered(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @numbered(%x: f32, %i: index) kernel {
    %c1 = arith.constant 1 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    nvvm.barrier id = %c1
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // Threads might wait at barriers of different numbers.
  // CHECK-LABEL: gpu.func @unknown_number(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @unknown_number(%x: f32, %i: index, %n: i32) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    nvvm.barrier id = %n
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // It is for 32 of them.
  // CHECK-LABEL: gpu.func @some_threads(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @some_threads(%x: f32, %i: index) kernel {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    nvvm.barrier id = %c1 number_of_threads = %c32
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @attribute(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @attribute(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier {tile = "a"}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // As later versions write a barrier that orders other memory only.
  // CHECK-LABEL: gpu.func @other_memory(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @other_memory(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier {address_spaces = [#gpu.address_space<global>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @transposed(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @transposed(%x: f16, %i: index, %out: memref<16x16xf16>) kernel {
    %a = memref.alloc() : memref<16x16xf16, #space>
    %b = memref.alloc() : memref<16x16xf16, #space>
    memref.store %x, %a[%i, %i] : memref<16x16xf16, #space>
    gpu.barrier
    %v = amdgpu.transpose_load %a[%i, %i] : memref<16x16xf16, #space> -> vector<4xf16>
    vector.store %v, %out[%i, %i] : memref<16x16xf16>, vector<4xf16>
    gpu.barrier
    memref.store %x, %b[%i, %i] : memref<16x16xf16, #space>
    gpu.return
  }
}
