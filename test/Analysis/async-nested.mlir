// XFAIL: *
// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L8: who waits for an operation does not wait for what is started inside of it
// and still runs when its region is done.

// One inside of another: waiting for the outer one does not wait for the inner.
func.func @nested(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [0, 10), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    %u = async.execute {                           // 2
      memref.store %x, %a[%i] : memref<16xf32>     // 3
      async.yield                                  // 4
    }                                              // 5
    async.yield                                    // 6
  }                                                // 7
  async.await %t : !async.token                    // 8
  return                                           // 9
}

// The same with an operation of another kind.
func.func @gpu_inside(%x: memref<16xf32>) {
  // expected-remark @below {{lifetime [0, 9), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %t = async.execute {                                                        // 1
    %d = gpu.wait async                                                       // 2
    %u = gpu.memcpy async [%d] %a, %x : memref<16xf32>, memref<16xf32>        // 3
    async.yield                                                               // 4
  }                                                                           // 5
  async.await %t : !async.token                                               // 6
  %z = arith.constant 0 : index                                               // 7
  return                                                                      // 8
}
