// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races=strict | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --canonicalize --cse --check-workgroup-races -o /dev/null

// Grouped GEMM: the groups differ in their extents, which the kernel loads. The tile of the
// output, 16,384 bytes, takes the place of those of the operands, 8,192, if all threads
// leave the loop together.

!a = memref<64x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x64xf16, #gpu.address_space<workgroup>>
!c = memref<64x64xf32, #gpu.address_space<workgroup>>
!matrices = memref<?x128x128xf16>
!results = memref<?x64x64xf32>

gpu.module @kernels {
  // The extent of a group is the same for its threads, since nothing writes it.
  // CHECK-LABEL: gpu.func @loaded_extent(
  //  CHECK-SAME:     workgroup(%{{[a-z0-9]+}} : memref<16384xi8,
  //   CHECK-NOT:   memref.alloc
  gpu.func @loaded_extent(%left: !matrices, %right: !matrices, %extents: memref<?xi32>, %out: !results) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %none = arith.constant 0.0 : f16
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %group = gpu.block_id y
    %loaded = memref.load %extents[%group] : memref<?xi32>
    %extent = arith.index_cast %loaded : i32 to index
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !c
    %sum = scf.for %k = %c0 to %extent step %c32 iter_args(%before = %none) -> f16 {
      %column = arith.addi %k, %x : index
      %l = memref.load %left[%group, %y, %column] : !matrices
      memref.store %l, %a[%y, %x] : !a
      %r = memref.load %right[%group, %column, %y] : !matrices
      memref.store %r, %b[%x, %y] : !b
      gpu.barrier
      %av = memref.load %a[%y, %c0] : !a
      %bv = memref.load %b[%c0, %y] : !b
      %after = math.fma %av, %bv, %before : f16
      gpu.barrier
      scf.yield %after : f16
    }
    %wide = arith.extf %sum : f16 to f32
    memref.store %wide, %c[%x, %y] : !c
    gpu.barrier
    %result = memref.load %c[%y, %x] : !c
    memref.store %result, %out[%group, %y, %x] : !results
    gpu.return
  }

  // Threads with extents of their own: barriers in the loop are not believed, and some may be
  // behind it while others are still in it.
  // CHECK-LABEL: gpu.func @extent_of_each_thread(
  //  CHECK-SAME:     workgroup(%{{[a-z0-9]+}} : memref<24576xi8,
  gpu.func @extent_of_each_thread(%left: !matrices, %right: !matrices, %extents: memref<?xi32>, %out: !results) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %none = arith.constant 0.0 : f16
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %group = gpu.block_id y
    %extent = arith.muli %y, %c32 : index
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !c
    %sum = scf.for %k = %c0 to %extent step %c32 iter_args(%before = %none) -> f16 {
      %column = arith.addi %k, %x : index
      %l = memref.load %left[%group, %y, %column] : !matrices
      memref.store %l, %a[%y, %x] : !a
      %r = memref.load %right[%group, %column, %y] : !matrices
      memref.store %r, %b[%x, %y] : !b
      gpu.barrier
      %av = memref.load %a[%y, %c0] : !a
      %bv = memref.load %b[%c0, %y] : !b
      %after = math.fma %av, %bv, %before : f16
      gpu.barrier
      scf.yield %after : f16
    }
    %wide = arith.extf %sum : f16 to f32
    memref.store %wide, %c[%x, %y] : !c
    gpu.barrier
    %result = memref.load %c[%y, %x] : !c
    memref.store %result, %out[%group, %y, %x] : !results
    gpu.return
  }
}
