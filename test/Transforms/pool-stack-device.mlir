// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(buffer-merge{pool=stack},gpu.module(convert-gpu-to-nvvm))' | FileCheck %s --check-prefix=NVVM
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(buffer-merge{pool=stack},gpu.module(convert-gpu-to-rocdl{chipset=gfx942}))' | FileCheck %s --check-prefix=ROCDL

// Private memory of a thread on the stack lowers to what GPUs have for it.

//     NVVM: llvm.func @kernel(
// NVVM-NOT:   llvm.call
//     NVVM:   llvm.alloca %{{.*}} x i8 {alignment = 64 : i64} : (i64) -> !llvm.ptr
// NVVM-NOT:   llvm.call
//     NVVM:   llvm.return
//     ROCDL: llvm.func @kernel(
// ROCDL-NOT:   llvm.call
//     ROCDL:   llvm.alloca %{{.*}} x i8 {alignment = 64 : i64} : (i64) -> !llvm.ptr<5>
// ROCDL-NOT:   llvm.call
//     ROCDL:   llvm.return
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index, %out: memref<15xf32>) kernel {
    %a = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %a[%i] : memref<15xf32, #gpu.address_space<private>>
    %y = memref.load %a[%i] : memref<15xf32, #gpu.address_space<private>>
    %b = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %y, %b[%i] : memref<15xf32, #gpu.address_space<private>>
    %z = memref.load %b[%i] : memref<15xf32, #gpu.address_space<private>>
    memref.store %z, %out[%i] : memref<15xf32>
    gpu.return
  }
}
