// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"barrierGain": 255}}' --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,CHEAP
// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"barrierGain": 256}}' --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,PRICE
// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"barrierGain": "1MiB"}}' --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"barrierGain": "1MiB"}} capacity=workgroup:1KiB' --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,FITS
// RUN: buffer-merge-opt %s --buffer-lifetimes='barriers=insert target={"workgroup": {"barrierGain": 255}}' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"barrierGain": 255}}' --remarks-filter=buffer-merge \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not buffer-merge-opt %s --buffer-merge='barriers=insert target={"workgroup": {"barrierGain": -1}}' 2>&1 | FileCheck %s --check-prefix=ERROR

// A barrier is inserted only where it saves more than its price.

// ERROR: error: target:1:31: barrierGain -1 is not in 0 to

!small = memref<64xf32, #gpu.address_space<workgroup>>
!large = memref<256xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // One saves 256 bytes.
  // CHECK-LABEL: gpu.func @one(
  //  CHEAP-SAME:     workgroup(%{{.*}} : memref<256xi8
  //  PRICE-SAME:     workgroup(%{{.*}} : memref<512xi8
  //   NONE-SAME:     workgroup(%{{.*}} : memref<512xi8
  // WHY: remark: pool {{.*}} pool of 256 bytes, 512 without the inserted barriers
  // REMARK: Barriers{{.*}}Inserted=1{{.*}}PoolBytesWithoutInserted=512
  gpu.func @one(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !small
    %b = memref.alloc() : !small
    memref.store %x, %a[%i] : !small
    memref.store %x, %b[%i] : !small
    gpu.return
  }

  // Of two, one saves 1024 bytes and the other 256. The second is left out.
  // CHECK-LABEL: gpu.func @two(
  //  CHEAP-SAME:     workgroup(%{{.*}} : memref<1024xi8
  //  PRICE-SAME:     workgroup(%{{.*}} : memref<1280xi8
  //   NONE-SAME:     workgroup(%{{.*}} : memref<2304xi8
  //   FITS-SAME:     workgroup(%{{.*}} : memref<1024xi8
  //       CHEAP-COUNT-2:   gpu.barrier
  //       PRICE-COUNT-1:   gpu.barrier
  //   PRICE-NOT:   gpu.barrier
  //    NONE-NOT:   gpu.barrier
  //        FITS-COUNT-2:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @two(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !large
    %b = memref.alloc() : !large
    %c = memref.alloc() : !small
    memref.store %x, %a[%i] : !large
    memref.store %x, %b[%i] : !large
    memref.store %x, %c[%i] : !small
    gpu.return
  }
}
