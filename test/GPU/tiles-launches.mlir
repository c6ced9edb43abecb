// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(gpu.module(buffer-merge))' | FileCheck %s --check-prefix=PART

// The size of the workgroups is what all launches of a kernel have in common.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  func.func @host(%in: memref<64xf32>, %n: index, %x: f32, %out: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@same blocks in (%n, %n, %n) threads in (%c64, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@same blocks in (%n, %n, %n) threads in (%c64, %c1, %n) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@other blocks in (%n, %n, %n) threads in (%c64, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@other blocks in (%n, %n, %n) threads in (%c32, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@hidden_threads blocks in (%n, %n, %n) threads in (%c64, %n, %c1) args(%in : memref<64xf32>, %x : f32, %n : index, %out : memref<64xf32>)
    gpu.launch_func @kernels::@hidden_threads_in_loop blocks in (%n, %n, %n) threads in (%c64, %n, %c1) args(%in : memref<64xf32>, %x : f32, %n : index, %out : memref<64xf32>)
    gpu.launch_func @kernels::@low_half_of_rows blocks in (%n, %n, %n) threads in (%c64, %n, %c1) args(%in : memref<64xf32>, %x : f32, %n : index, %out : memref<64xf32>)
    return
  }
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @same(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
    // A part of the module does not have all launches.
    // PART-LABEL: gpu.func @same(
    //  PART-SAME:     workgroup(%{{.*}} : memref<512xi8
    gpu.func @same(%in: memref<64xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %in[%t] : memref<64xf32>
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        %y = memref.load %a[%r] : !wg
        gpu.barrier
        memref.store %y, %b[%t] : !wg
        gpu.barrier
        %z = memref.load %b[%r] : !wg
        memref.store %z, %in[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }

    // CHECK-LABEL: gpu.func @other(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
    gpu.func @other(%in: memref<64xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %in[%t] : memref<64xf32>
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        %y = memref.load %a[%r] : !wg
        gpu.barrier
        memref.store %y, %b[%t] : !wg
        gpu.barrier
        %z = memref.load %b[%r] : !wg
        memref.store %z, %in[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }

    // Threads with another id than 0 in a dimension of unknown size read before anything is
    // stored, those among them whose id in the known dimension is low.
    // CHECK-LABEL: gpu.func @hidden_threads(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
    gpu.func @hidden_threads(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %u = gpu.thread_id y
      %isOther = arith.cmpi ne, %u, %c0 : index
      %isLow = arith.cmpi ult, %t, %c32 : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        scf.if %isOther {
          scf.if %isLow {
            %v = memref.load %a[%t] : !wg
            memref.store %v, %out[%t] : memref<64xf32>
          }
        }
        gpu.barrier
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        memref.copy %in, %b : memref<64xf32> to !wg
        gpu.barrier
        %w = memref.load %b[%t] : !wg
        memref.store %w, %out[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }

    // The same in a loop.
    // CHECK-LABEL: gpu.func @hidden_threads_in_loop(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
    gpu.func @hidden_threads_in_loop(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %u = gpu.thread_id y
      %isOther = arith.cmpi ne, %u, %c0 : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        scf.if %isOther {
          scf.for %j = %t to %c32 step %c32 {
            %v = memref.load %a[%j] : !wg
            memref.store %v, %out[%t] : memref<64xf32>
          }
        }
        gpu.barrier
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        memref.copy %in, %b : memref<64xf32> to !wg
        gpu.barrier
        %w = memref.load %b[%t] : !wg
        memref.store %w, %out[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }

    // Nobody reads more than the low half of the threads has stored, whatever the size of the
    // other dimension is.
    // CHECK-LABEL: gpu.func @low_half_of_rows(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
    gpu.func @low_half_of_rows(%in: memref<64xf32>, %x: f32, %n: index, %out: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %low = arith.cmpi ult, %t, %c32 : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        scf.if %low {
          memref.store %x, %a[%t] : !wg
        }
        gpu.barrier
        scf.for %j = %t to %c32 step %c32 {
          %r = arith.subi %c31, %j : index
          %v = memref.load %a[%r] : !wg
          memref.store %v, %out[%t] : memref<64xf32>
        }
        gpu.barrier
        memref.copy %in, %b : memref<64xf32> to !wg
        gpu.barrier
        %w = memref.load %b[%t] : !wg
        memref.store %w, %out[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }
  }
}
