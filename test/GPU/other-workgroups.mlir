// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s

// What another workgroup writes meanwhile. In each kernel %a and %b are accessed in two arms
// of a branch: they share bytes (256 of 512) if all threads take the same arm.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Another workgroup stores to %flags[%block] at any time: the load would race with it.
  // CHECK-LABEL: gpu.func @plain(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @plain(%x: f32, %flags: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %f = memref.load %flags[%block] : memref<?xi32>
    %c = arith.cmpi eq, %f, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.barrier
    %next = arith.addi %block, %c1 : index
    memref.store %zero, %flags[%next] : memref<?xi32>
    gpu.return
  }

  // What one thread has learned from the counter, another one may not have, although the
  // counter is no flag.
  // CHECK-LABEL: gpu.func @atomic(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @atomic(%x: f32, %all: memref<128xi8>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %flags = memref.view %all[%c0][] : memref<128xi8> to memref<16xi32>
    %counter = memref.view %all[%c64][] : memref<128xi8> to memref<1xi32>
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %old = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
    %f = memref.load %flags[%block] : memref<16xi32>
    %c = arith.cmpi eq, %f, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // A store to it tells a thread nothing.
  // CHECK-LABEL: gpu.func @store(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @store(%x: f32, %all: memref<128xi8>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %flags = memref.view %all[%c0][] : memref<128xi8> to memref<16xi32>
    %counter = memref.view %all[%c64][] : memref<128xi8> to memref<1xi32>
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %one, %counter[%c0] : memref<1xi32>
    %f = memref.load %flags[%block] : memref<16xi32>
    %c = arith.cmpi eq, %f, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // Behind a barrier all threads know the same.
  // CHECK-LABEL: gpu.func @atomic_before_barrier(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @atomic_before_barrier(%x: f32, %flags: memref<?xi32>, %counter: memref<1xi32>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %old = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
    gpu.barrier
    %f = memref.load %flags[%block] : memref<?xi32>
    %c = arith.cmpi eq, %f, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // No other workgroup sees the counter, and what is loaded.
  // CHECK-LABEL: gpu.func @own_counter(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @own_counter(%x: f32, %flags: memref<?xi32>)
      workgroup(%counter: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %old = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32, #gpu.address_space<workgroup>>) -> i32
    %f = memref.load %flags[%block] : memref<?xi32>
    %c = arith.cmpi eq, %f, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }

  // An acquiring load.
  // CHECK-LABEL: gpu.func @acquire(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @acquire(%x: f32, %flags: memref<?xi32>, %p: !llvm.ptr) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %zero = arith.constant 0 : i32
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %ready = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
    %f = memref.load %flags[%block] : memref<?xi32>
    %c = arith.cmpi eq, %f, %zero : i32
    scf.if %c {
      memref.store %x, %a[%t] : !wg
    } else {
      memref.store %x, %b[%t] : !wg
    }
    gpu.return
  }
}
