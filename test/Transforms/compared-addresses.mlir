// RUN: buffer-merge-opt %s --bufferization-lower-deallocations --buffer-merge=min-gain=0 | FileCheck %s

// A pool that is freed early is not freed before the last comparison of the address
// of one of its buffers, wherever that is. See also test/Execution.

func.func private @burst() {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<8192xf32>
  memref.store %x, %a[%c0] : memref<8192xf32>
  memref.dealloc %a : memref<8192xf32>
  return
}

// By the function that is given lists of addresses.
// CHECK-LABEL: func.func @helper(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
//       CHECK:   call @dealloc_helper
//       CHECK:   memref.dealloc %[[POOL]]
//       CHECK:   call @burst
func.func @helper(%x: f32, %c: i1, %m: memref<64xf32>, %n: memref<64xf32>) {
  call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %r = bufferization.dealloc (%m, %n : memref<64xf32>, memref<64xf32>) if (%c, %c) retain (%a : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  call @burst() : () -> ()
  return
}

// By a task, which may be late.
// CHECK-LABEL: func.func @task(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
//       CHECK:   async.await
//       CHECK:   memref.dealloc %[[POOL]]
//       CHECK:   call @burst
func.func @task(%x: f32, %m: memref<64xf32>, %out: memref<i1>) {
  call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %token = async.execute {
    %q = memref.extract_aligned_pointer_as_index %m : memref<64xf32> -> index
    %ne = arith.cmpi ne, %p, %q : index
    memref.store %ne, %out[] : memref<i1>
    async.yield
  }
  async.await %token : !async.token
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  call @burst() : () -> ()
  return
}

// Nobody waits for this one: the pool would be freed while it may run.
// CHECK-LABEL: func.func @late_task(
//   CHECK-NOT:   memref<256xi8>
//       CHECK:   return
func.func @late_task(%x: f32, %m: memref<64xf32>, %out: memref<i1>) {
  call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %token = async.execute {
    %q = memref.extract_aligned_pointer_as_index %m : memref<64xf32> -> index
    %ne = arith.cmpi ne, %p, %q : index
    memref.store %ne, %out[] : memref<i1>
    async.yield
  }
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  call @burst() : () -> ()
  return
}
