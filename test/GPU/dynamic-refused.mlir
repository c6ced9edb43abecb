// REQUIRES: llvm-22
// RUN: buffer-merge-opt %s --split-input-file --allow-unregistered-dialect --buffer-merge=workgroup-pool=dynamic \
// RUN:   | FileCheck %s --implicit-check-not='memref.global @dynamic_shared_memory' --implicit-check-not=dynamic_shared_memory_size
// RUN: buffer-merge-opt %s --split-input-file --allow-unregistered-dialect --buffer-lifetimes=workgroup-pool=dynamic -o /dev/null 2>&1 \
// RUN:   | grep 'pool in' | FileCheck %s --check-prefix=WHY
// RUN: buffer-merge-opt %s --split-input-file --allow-unregistered-dialect --buffer-merge=workgroup-pool=dynamic \
// RUN:   --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Kernels that cannot have a pool in dynamic memory, because not every launch of them
// would give its size or because it would overlap with something. Each has a static one,
// if that is possible, with a remark.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// An operation that is not known may launch the kernel.
// REMARK: remark: [Missed] PoolIsStatic | {{.*}}PoolBytes=256, Reason="something other than gpu.launch_func refers to it"
// WHY: pool of 256 bytes (something other than gpu.launch_func refers to it)
// CHECK-LABEL: gpu.func @unregistered(
//  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @unregistered(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }
  }
  func.func @host(%x: f32, %n: index) {
    gpu.launch_func @m::@unregistered blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    "test.launch"(%x, %n) {kernel = @m::@unregistered} : (f32, index) -> ()
    return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// So may one that is given the module with the kernel, deep in an attribute.
// WHY: pool of 256 bytes (something other than gpu.launch_func refers to it)
// CHECK-LABEL: gpu.func @in_attribute(
//  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
module attributes {gpu.container_module, test.modules = [{of = [@m]}]} {
  gpu.module @m {
    gpu.func @in_attribute(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }
  }
  func.func @host(%x: f32, %n: index) {
    gpu.launch_func @m::@in_attribute blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// The kernel of a launch in an operation that may be a symbol table is not known.
// WHY: pool of 256 bytes (something other than gpu.launch_func refers to it)
// CHECK-LABEL: gpu.func @in_unknown(
//  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @in_unknown(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }
  }
  func.func @host(%x: f32, %n: index) {
    gpu.launch_func @m::@in_unknown blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    "test.region"() ({
      gpu.launch_func @m::@in_unknown blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
      "test.end"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// The runtime is given the name as text.
// WHY: pool of 256 bytes (a call may launch it by its name)
// CHECK-LABEL: gpu.func @by_name(
//  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @by_name(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }
  }
  llvm.func @mgpuLaunchKernel(!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
  func.func @host(%x: f32, %n: index, %f: !llvm.ptr, %s: i64, %b: i32) {
    gpu.launch_func @m::@by_name blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    llvm.call @mgpuLaunchKernel(%f, %s, %s, %s, %s, %s, %s, %b, %f, %f, %f, %s)
        : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
    return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#wg = #gpu.address_space<workgroup>

// A kernel that uses dynamic memory in a function that it calls, which static memory would
// overlap, and one by a global, which lies after all static memory.
// WHY: no pool: dynamic-memory (it uses dynamic memory itself)
// WHY: pool of 256 bytes (it uses dynamic memory itself)
// CHECK-LABEL: gpu.func @in_callee(
// CHECK-NEXT:    memref.alloc() : memref<64xf32
// CHECK-LABEL: gpu.func @by_global(
//  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
module attributes {gpu.container_module} {
  gpu.module @m {
    memref.global @mine : memref<0xf32, #wg> {alignment = 16}
    func.func @callee(%i: index) -> i8 {
      %d = gpu.dynamic_shared_memory : memref<?xi8, #wg>
      %v = memref.load %d[%i] : memref<?xi8, #wg>
      return %v : i8
    }
    gpu.func @in_callee(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      %v = func.call @callee(%i) : (index) -> i8
      gpu.return
    }
    gpu.func @by_global(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      %d = memref.get_global @mine : memref<0xf32, #wg>
      %p = memref.reinterpret_cast %d to offset: [0], sizes: [64], strides: [1] : memref<0xf32, #wg> to !wg
      memref.store %x, %p[%i] : !wg
      gpu.return
    }
  }
  func.func @host(%x: f32, %n: index) {
    gpu.launch_func @m::@in_callee blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    gpu.launch_func @m::@by_global blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    return
  }
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#wg = #gpu.address_space<workgroup>

// A gpu.launch has no module for a global yet. It may have dynamic memory only if it
// has nothing static.
// WHY-COUNT-3: no pool: no-partner (it has static memory, which gpu.dynamic_shared_memory may overlap: outline it first)
// CHECK-LABEL: func.func @launch(
// CHECK-COUNT-3: memref.alloc() : memref<64xf32
func.func private @external()
func.func @launch(%x: f32, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) workgroup(%w: memref<4xf32, #wg>) {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%tx] : !wg
    memref.store %x, %w[%tx] : memref<4xf32, #wg>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.alloc() : !wg
    %r = gpu.all_reduce add %x uniform {} : (f32) -> f32
    memref.store %r, %a[%tx] : !wg
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%tx] : !wg
    func.call @external() : () -> ()
    gpu.terminator
  }
  return
}
