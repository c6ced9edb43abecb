gpu.module @kernels {
  gpu.func @race(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %p = memref.alloc() : memref<256xi8, 3>
    %a = memref.view %p[%c0][] : memref<256xi8, 3> to memref<64xf32, 3>
    %b = memref.view %p[%c0][] : memref<256xi8, 3> to memref<64xf32, 3>
    memref.store %x, %a[%i] : memref<64xf32, 3>
    memref.store %x, %b[%i] : memref<64xf32, 3>
    gpu.return
  }
}
