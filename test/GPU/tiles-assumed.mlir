// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"assumeInitialized": true}}' --check-workgroup-races | FileCheck %s

// With assumeInitialized, a tile is filled in each iteration if all iterations access it
// in the same way: then %a and %b share bytes (256 of 512).

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @same(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @same(%in: memref<64xf32>, %n: index, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %in[%t] : memref<64xf32>
      scf.for %j = %t to %k step %n {
        memref.store %x, %a[%j] : !wg
      }
      gpu.barrier
      %y = memref.load %a[%k] : !wg
      gpu.barrier
      memref.store %y, %b[%t] : !wg
      gpu.barrier
      %z = memref.load %b[%k] : !wg
      memref.store %z, %in[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Each iteration stores elsewhere, and reads what others have left.
  // CHECK-LABEL: gpu.func @other_address(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @other_address(%in: memref<64xf32>, %n: index, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %in[%t] : memref<64xf32>
      %j = arith.addi %i, %t : index
      memref.store %x, %a[%j] : !wg
      gpu.barrier
      %y = memref.load %a[%k] : !wg
      gpu.barrier
      memref.store %y, %b[%t] : !wg
      gpu.barrier
      %z = memref.load %b[%k] : !wg
      memref.store %z, %in[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // The first iteration stores for all.
  // CHECK-LABEL: gpu.func @first_iteration(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @first_iteration(%in: memref<64xf32>, %n: index, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %in[%t] : memref<64xf32>
      %isFirst = arith.cmpi eq, %i, %c0 : index
      scf.if %isFirst {
        memref.store %x, %a[%t] : !wg
      }
      gpu.barrier
      %y = memref.load %a[%k] : !wg
      gpu.barrier
      memref.store %y, %b[%t] : !wg
      gpu.barrier
      %z = memref.load %b[%k] : !wg
      memref.store %z, %in[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // How often a loop runs that has no counter is not known.
  // CHECK-LABEL: gpu.func @unknown_loop(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @unknown_loop(%in: memref<64xf32>, %n: index, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %in[%t] : memref<64xf32>
      %last = scf.while (%j = %i) : (index) -> index {
        %more = arith.cmpi ult, %j, %c1 : index
        scf.condition(%more) %j : index
      } do {
      ^bb0(%j: index):
        memref.store %x, %a[%t] : !wg
        %next = arith.addi %j, %c1 : index
        scf.yield %next : index
      }
      gpu.barrier
      %y = memref.load %a[%k] : !wg
      gpu.barrier
      memref.store %y, %b[%t] : !wg
      gpu.barrier
      %z = memref.load %b[%k] : !wg
      memref.store %z, %in[%t] : memref<64xf32>
      gpu.barrier
    }
    gpu.return
  }
}
