// The page of a kernel in a real browser: a line for each barrier, and the pairs that
// are kept apart as a table.

//      CHECK: lines: {{.*}} barrier inserted barrier
// CHECK-NEXT: barrier lines: 3
// CHECK-NEXT: summary: 1 barrier, 2 inserted, 1 pair kept apart
// CHECK-NEXT: rows: %d %e no-barrier there is a path without a barrier memref.store at {{.*}} memref.store at {{.*}}page-barriers.mlir:
// CHECK-NEXT: summary: Barriers
// CHECK-NEXT: rows: gpu.barrier at {{.*}}page-barriers.mlir:[[# @LINE + 12]]:5 4 inserted before memref.store at {{.*}}page-barriers.mlir:[[# @LINE + 14]]:5 6 inserted before scf.for at {{.*}}page-barriers.mlir:[[# @LINE + 15]]:5 7
// CHECK-NEXT: host: 0
// CHECK-NEXT: errors []

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index, %n: index, %s: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    memref.store %x, %c[%i] : !wg
    scf.for %k = %s to %n step %s {
      %d = memref.alloc() : !wg
      %e = memref.alloc() : !wg
      memref.store %x, %d[%i] : !wg
      memref.store %x, %e[%i] : !wg
    }
    gpu.return
  }
}

func.func @host(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
