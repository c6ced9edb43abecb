// A kernel as a compiler such as Triton's leaves it: tiles of both operands in shared memory for
// the loop over k, and one for the epilogue, in which threads exchange results so that each
// writes a row. 2 x 4 KiB and 8 KiB.

!tile = memref<32x32xf32, #gpu.address_space<workgroup>>
!staged = memref<32x64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @matmul(%a: memref<32x1024xf32>, %b: memref<1024x32xf32>, %out: memref<32x64xf32>) kernel
      attributes {known_block_size = array<i32: 32, 32, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %tileA = memref.alloc() : !tile
    %tileB = memref.alloc() : !tile
    %sum = scf.for %k = %c0 to %c1024 step %c32 iter_args(%before = %zero) -> f32 {
      %kx = arith.addi %k, %x : index
      %ky = arith.addi %k, %y : index
      %va = memref.load %a[%y, %kx] : memref<32x1024xf32>
      %vb = memref.load %b[%ky, %x] : memref<1024x32xf32>
      memref.store %va, %tileA[%y, %x] : !tile
      memref.store %vb, %tileB[%y, %x] : !tile
      gpu.barrier
      %after = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %before) -> f32 {
        %ea = memref.load %tileA[%y, %i] : !tile
        %eb = memref.load %tileB[%i, %x] : !tile
        %p = arith.mulf %ea, %eb : f32
        %n = arith.addf %s, %p : f32
        scf.yield %n : f32
      }
      gpu.barrier
      scf.yield %after : f32
    }
    %staged = memref.alloc() : !staged
    %half = arith.addi %x, %c32 : index
    memref.store %sum, %staged[%y, %x] : !staged
    memref.store %sum, %staged[%y, %half] : !staged
    gpu.barrier
    %v = vector.load %staged[%x, %y] : !staged, vector<2xf32>
    vector.store %v, %out[%x, %y] : memref<32x64xf32>, vector<2xf32>
    gpu.return
  }
}
