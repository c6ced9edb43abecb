// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(buffer-merge)))' | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic | FileCheck %s --check-prefix=LAUNCH

// The math libraries of devices use no workgroup memory. So a kernel that calls them is
// merged also by a pass that does not see what is around it, and a launch has nothing
// static that dynamic memory could overlap with.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  func.func private @__nv_expf(f32) -> f32
  func.func private @own(f32) -> f32

  // CHECK-LABEL: gpu.func @math(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @math(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    %y = func.call @__nv_expf(%x) : (f32) -> f32
    gpu.barrier
    %b = memref.alloc() : !wg
    memref.store %y, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @other(
  //   CHECK-NOT:   memref.view
  gpu.func @other(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    %y = func.call @own(%x) : (f32) -> f32
    gpu.return
  }
}

func.func private @__ocml_exp_f32(f32) -> f32

// LAUNCH-LABEL: func.func @launch(
//       LAUNCH:   gpu.launch {{.*}} dynamic_shared_memory_size
//       LAUNCH:   gpu.dynamic_shared_memory
func.func @launch(%x: f32, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%tx] : !wg
    %y = func.call @__ocml_exp_f32(%x) : (f32) -> f32
    gpu.barrier
    %b = memref.alloc() : !wg
    memref.store %y, %b[%tx] : !wg
    gpu.terminator
  }
  return
}
