// RUN: buffer-merge-opt %s --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s

// Which operations end the use of a buffer by an asynchronous operation (L8).

// A group outside of the loop whose iterations add to it.
// CHECK: [[#@LINE+5]]:8: remark: lifetime [4, 13), 64 bytes
func.func @group(%x: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = async.create_group %n : !async.group
  %a = memref.alloc() : memref<16xf32>
  scf.for %k = %c0 to %n step %c1 {
    %t = async.execute {
      memref.store %x, %a[%i] : memref<16xf32>
      async.yield
    }
    async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  return
}

// A group that nobody waits for in a place that follows on every path.
// CHECK: [[#@LINE+3]]:8: remark: lifetime [2, 12), 64 bytes
func.func @group_under_condition(%x: f32, %i: index, %n: index, %c: i1) {
  %g = async.create_group %n : !async.group
  %a = memref.alloc() : memref<16xf32>
  %t = async.execute {
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield
  }
  async.add_to_group %t, %g : !async.token
  scf.if %c {
    async.await_all %g
  }
  return
}

// CHECK: [[#@LINE+4]]:8: remark: lifetime [4, 7), 64 bytes
func.func @dma(%src: memref<16xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 16 : index
  %a = memref.alloc() : memref<16xf32>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %src[%c0], %a[%c0], %n, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  %v = memref.load %a[%c0] : memref<16xf32>
  return
}

// Two transfers with one tag: which one a wait is for is not known.
// CHECK: [[#@LINE+4]]:8: remark: lifetime [5, 10), 64 bytes
func.func @dma_shared_tag(%src: memref<16xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 16 : index
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %src[%c0], %a[%c0], %n, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
  memref.dma_start %src[%c0], %b[%c0], %n, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  return
}

// The token of the last operation of a chain stands for all of it.
// CHECK: [[#@LINE+3]]:8: remark: lifetime [2, 5), 64 bytes
func.func @gpu_chain(%dst: memref<16xf32>, %other: memref<16xf32>) {
  %t0 = gpu.wait async
  %a = memref.alloc() : memref<16xf32>
  %t1 = gpu.memcpy async [%t0] %dst, %a : memref<16xf32>, memref<16xf32>
  %t2 = gpu.memcpy async [%t1] %other, %dst : memref<16xf32>, memref<16xf32>
  gpu.wait [%t2]
  return
}

// CHECK: [[#@LINE+3]]:8: remark: lifetime [2, 5), 64 bytes
func.func @nvgpu(%dst: memref<16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  %t = nvgpu.device_async_copy %a[%c0], %dst[%c0], 4 : memref<16xf32> to memref<16xf32, 3>
  %g = nvgpu.device_async_create_group %t
  nvgpu.device_async_wait %g
  return
}

// One wait behind a loop that starts a transfer each time: it may be for one of them.
// CHECK: [[#@LINE+5]]:8: remark: lifetime [5, 12), 64 bytes
func.func @dma_in_loop(%src: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloc() : memref<16xf32>
  %tag = memref.alloc() : memref<1xi32>
  scf.for %i = %c0 to %n step %c1 {
    memref.dma_start %src[%c0], %a[%c0], %c16, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
  }
  memref.dma_wait %tag[%c0], %c16 : memref<1xi32>
  %z = arith.constant 0 : i32
  return
}

// With a number, that many groups may still be on their way.
// CHECK: [[#@LINE+3]]:8: remark: lifetime [2, 6), 64 bytes
func.func @nvgpu_some_groups(%dst: memref<16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  %t = nvgpu.device_async_copy %a[%c0], %dst[%c0], 4 : memref<16xf32> to memref<16xf32, 3>
  %g = nvgpu.device_async_create_group %t
  nvgpu.device_async_wait %g {numGroups = 1 : i32}
  return
}

// What was waited for before the start is something else.
// CHECK: [[#@LINE+4]]:8: remark: lifetime [3, 9), 64 bytes
func.func @group_before(%x: f32, %i: index, %n: index) {
  %g = async.create_group %n : !async.group
  async.await_all %g
  %a = memref.alloc() : memref<16xf32>
  %t = async.execute {
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield
  }
  async.add_to_group %t, %g : !async.token
  return
}

// CHECK: [[#@LINE+4]]:8: remark: lifetime [5, 7), 64 bytes
func.func @dma_wait_before(%src: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 16 : index
  %a = memref.alloc() : memref<16xf32>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  memref.dma_start %src[%c0], %a[%c0], %n, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
  return
}


// Nor is a wait for the group before the token is added.
// CHECK: [[#@LINE+3]]:8: remark: lifetime [2, 9), 64 bytes
func.func @added_later(%x: f32, %i: index, %n: index) {
  %g = async.create_group %n : !async.group
  %a = memref.alloc() : memref<16xf32>
  %t = async.execute {
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield
  }
  async.await_all %g
  async.add_to_group %t, %g : !async.token
  return
}
