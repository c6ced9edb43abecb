// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: buffer-merge-opt %s --buffer-merge \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx90a},gpu.module(convert-scf-to-cf,convert-gpu-to-rocdl{chipset=gfx90a}))' \
// RUN:   | FileCheck %s --check-prefix=ROCDL
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"alignment": 128}}' \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=WIDE

// The pool down to PTX and to LLVM for AMD GPUs: one shared variable of the size and
// the alignment of the plan. Without llvm.align it would be aligned to one byte, and
// the vector loads would fault.

// PTX: .shared .align 16 .b8 {{.*}}kernel{{.*}}[256];
// PTX-NOT: .shared
// PTX: st.shared
// PTX: bar.sync
// PTX: ld.shared.v4
// PTX-NOT: malloc
// WIDE: .shared .align 128 .b8 {{.*}}kernel{{.*}}[256];
// ROCDL: llvm.mlir.global internal @{{.*}}kernel{{.*}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>
// ROCDL-NOT: malloc
// ROCDL: rocdl.{{(s\.)?}}barrier
!wg = memref<64xf32, #gpu.address_space<workgroup>>
!vectors = memref<16xvector<4xf32>, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: f32, %out: memref<64xf32>, %wide: memref<16xvector<4xf32>>) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %k = %c0 to %c8 step %c1 {
        %a = memref.alloc() : !wg
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        %v = memref.load %a[%k] : !wg
        memref.store %v, %out[%t] : memref<64xf32>
        memref.dealloc %a : !wg
        gpu.barrier
        %b = memref.alloc() : !vectors
        %s = vector.broadcast %v : f32 to vector<4xf32>
        memref.store %s, %b[%t] : !vectors
        gpu.barrier
        %w = memref.load %b[%k] : !vectors
        memref.store %w, %wide[%t] : memref<16xvector<4xf32>>
        memref.dealloc %b : !vectors
        gpu.barrier
      }
      gpu.return
    }
  }
}
