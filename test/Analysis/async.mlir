// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L8: an operation that returns before it is done keeps its buffers alive until
// the wait that is known to follow, or else to the end of the scope.

func.func @await_follows(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  // expected-remark @below {{lifetime [6, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 5
  memref.store %x, %b[%i] : memref<16xf32>         // 6
  async.await %t : !async.token                    // 7
  return                                           // 8
}

func.func @no_await(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  return                                           // 5
}

// A wait that is not executed on every path is none.
func.func @await_in_branch(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 10), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  scf.if %c {                                      // 5
    async.await %t : !async.token                  // 6
  }                                                // 8
  return                                           // 9
}

// The pool of a function of several blocks is freed where that returns, perhaps too
// early.
func.func @await_in_other_block(%c: i1, %x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'memref.store'}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  cf.cond_br %c, ^wait, ^exit                      // 5
^wait:
  async.await %t : !async.token                    // 6
  cf.br ^exit                                      // 7
^exit:
  return                                           // 8
}

// Of two waits the first.
func.func @two_awaits(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  async.await %t : !async.token                    // 5
  async.await %t : !async.token                    // 6
  return                                           // 7
}

// The wait for another operation.
func.func @other_token(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 10), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  %u = async.execute {                             // 5
    async.yield                                    // 6
  }                                                // 7
  async.await %u : !async.token                    // 8
  return                                           // 9
}

// In a loop, and waited for in each iteration.
func.func @in_loop(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 11), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.for %i = %s to %n step %s {                  // 1
    // expected-remark @below {{lifetime [3, 9), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 2
    %t = async.execute {                           // 3
      memref.store %x, %a[%i] : memref<16xf32>     // 4
      memref.store %x, %b[%i] : memref<16xf32>     // 5
      async.yield                                  // 6
    }                                              // 7
    async.await %t : !async.token                  // 8
  }                                                // 10
  return
}

// A buffer of each iteration, and none is known to be done with before the next:
// several are alive at once.
func.func @in_loop_no_await(%n: index, %s: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 11), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  scf.for %i = %s to %n step %s {                  // 1
    // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'memref.store'}}
    %b = memref.alloc() : memref<16xf32>           // 2
    %t = async.execute {                           // 3
      memref.store %x, %a[%i] : memref<16xf32>     // 4
      memref.store %x, %b[%i] : memref<16xf32>     // 5
      async.yield                                  // 6
    }                                              // 7
  }                                                // 9
  return                                           // 10
}

func.func @in_cycle_no_await(%c: i1, %i: index, %x: f32) {
  cf.br ^body
^body:
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'memref.store'}}
  %b = memref.alloc() : memref<16xf32>
  %t = async.execute {
    memref.store %x, %b[%i] : memref<16xf32>
    async.yield
  }
  cf.cond_br %c, ^body, ^exit
^exit:
  return
}

// In a branch of a branch: executed once at most, to the end of the scope.
func.func @in_branch_no_await(%c: i1, %i: index, %x: f32) {
  scf.if %c {                                      // 0
    // expected-remark @below {{lifetime [2, 9), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 1
    %t = async.execute {                           // 2
      memref.store %x, %b[%i] : memref<16xf32>     // 3
      async.yield                                  // 4
    }                                              // 5
  }                                                // 7
  return                                           // 8
}

// The body of async.execute is a scope of its own: what it allocates is done with
// when the body is.
func.func @own_scope(%x: f32, %i: index) {
  %t = async.execute {                             // 0
    // expected-remark @below {{lifetime [2, 3), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>           // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
    async.yield                                    // 3
  }                                                // 4
  return
}

// One inside of another: waiting for the outer one does not wait for the inner.
func.func @nested(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 10), 64 bytes}}
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
  // expected-remark @below {{lifetime [1, 9), 64 bytes}}
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

// One inside of another, both waited for.
func.func @nested_await(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 10), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %t = async.execute {                             // 1
    %u = async.execute {                           // 2
      memref.store %x, %a[%i] : memref<16xf32>     // 3
      async.yield                                  // 4
    }                                              // 5
    async.await %u : !async.token                  // 6
    async.yield                                    // 7
  }                                                // 8
  async.await %t : !async.token                    // 9
  return                                           // 10
}

// A scope with deallocations frees its pool at its end, and nobody has waited by
// then.
func.func @freed_without_await(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'memref.store'}}
  %a = memref.alloc() : memref<16xf32>
  %t = async.execute {
    memref.store %x, %a[%i] : memref<16xf32>
    memref.dealloc %a : memref<16xf32>
    async.yield
  }
  // expected-remark @below {{lifetime [7, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// The buffer itself as an asynchronous value.
func.func @value(%x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'async.await'}}
  %a = memref.alloc() : memref<16xf32>
  %t, %v = async.execute -> !async.value<memref<16xf32>> {
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield %a : memref<16xf32>
  }
  %m = async.await %v : !async.value<memref<16xf32>>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

// One allocated inside leaves the scope that would own its pool.
func.func @value_from_inside(%x: f32, %i: index) -> f32 {
  %t, %v = async.execute -> !async.value<memref<16xf32>> {
    // expected-remark @below {{not mergeable: leaves-scope,}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    async.yield %a : memref<16xf32>
  }
  %m = async.await %v : !async.value<memref<16xf32>>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

// A group of tokens.
func.func @group(%x: f32, %i: index, %n: index) {
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %g = async.create_group %n : !async.group        // 1
  %t = async.execute {                             // 2
    memref.store %x, %a[%i] : memref<16xf32>       // 3
    async.yield                                    // 4
  }                                                // 5
  %k = async.add_to_group %t, %g : !async.token    // 6
  async.await_all %g                               // 7
  %z = arith.constant 0 : index                    // 8
  return                                           // 9
}

// Tokens of the gpu dialect. One that depends on another is done later.
func.func @gpu_wait(%x: memref<16xf32>) {
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %t = gpu.wait async                                                         // 1
  %u = gpu.memcpy async [%t] %a, %x : memref<16xf32>, memref<16xf32>          // 2
  %z = arith.constant 0 : index                                               // 3
  gpu.wait [%u]                                                               // 4
  return
}

func.func @gpu_wait_chain(%x: memref<16xf32>) {
  // expected-remark @below {{lifetime [3, 7), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  // expected-remark @below {{lifetime [4, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>                                        // 1
  %t = gpu.wait async                                                         // 2
  %u = gpu.memcpy async [%t] %a, %x : memref<16xf32>, memref<16xf32>          // 3
  %v = gpu.memcpy async [%u] %b, %x : memref<16xf32>, memref<16xf32>          // 4
  %w = gpu.wait async [%v]                                                    // 5
  gpu.wait [%w]                                                               // 6
  return                                                                      // 7
}

// What another operation depends on is done before it, but not by then.
func.func @gpu_no_wait(%x: memref<16xf32>) {
  // expected-remark @below {{lifetime [3, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  // expected-remark @below {{lifetime [4, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>                                        // 1
  %t = gpu.wait async                                                         // 2
  %u = gpu.memcpy async [%t] %a, %x : memref<16xf32>, memref<16xf32>          // 3
  %v = gpu.memcpy async [%u] %b, %x : memref<16xf32>, memref<16xf32>          // 4
  gpu.wait [%u]                                                               // 5
  return                                                                      // 6
}

// Waiting for nothing in particular.
func.func @gpu_wait_for_nothing(%x: memref<16xf32>) {
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  %t = gpu.wait async                                                         // 1
  %u = gpu.memcpy async [%t] %a, %x : memref<16xf32>, memref<16xf32>          // 2
  gpu.wait                                                                    // 3
  return                                                                      // 4
}

// Without a token it is done when it is done.
func.func @gpu_blocking(%x: memref<16xf32>) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  gpu.memcpy %a, %x : memref<16xf32>, memref<16xf32>                          // 1
  return
}

func.func @gpu_launch(%n: index, %x: f32) {
  // expected-remark @below {{lifetime [2, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  // expected-remark @below {{lifetime [8, 13), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>                                        // 1
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {              // 2
    memref.store %x, %a[%tx] : memref<16xf32>                                 // 3
    gpu.terminator                                                            // 4
  }                                                                           // 5
  %z = arith.constant 0 : index                                               // 6
  gpu.wait [%t]                                                               // 7
  %u = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {              // 8
    memref.store %x, %b[%tx] : memref<16xf32>                                 // 9
    gpu.terminator                                                            // 10
  }                                                                           // 11
  return                                                                      // 12
}

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%m: memref<16xf32>) kernel {
      gpu.return
    }
  }
  func.func @launch_func(%n: index) {
    // expected-remark @below {{lifetime [2, 3), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>                                        // 0
    // expected-remark @below {{lifetime [4, 6), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>                                        // 1
    gpu.launch_func @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%a : memref<16xf32>)                                               // 2
    %t = gpu.wait async                                                         // 3
    %u = gpu.launch_func async [%t] @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%b : memref<16xf32>)                                               // 4
    gpu.wait [%u]                                                               // 5
    return
  }

  // Nothing waits for what is launched on a stream that is given.
  func.func @launch_on_stream(%n: index, %x: f32, %stream: !llvm.ptr) {
    // expected-remark @below {{lifetime [2, 5), 64 bytes}}
    %a = memref.alloc() : memref<16xf32>                                        // 0
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>                                        // 1
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%a : memref<16xf32>)                                               // 2
    memref.store %x, %b[%n] : memref<16xf32>                                    // 3
    return                                                                      // 4
  }
}

// The copies of DMA engines have tags instead of tokens.
func.func @dma(%i: index, %n: index, %src: memref<16xf32>) {
  // expected-remark @below {{lifetime [2, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  // expected-remark @below {{lifetime [2, 4), 4 bytes}}
  %tag = memref.alloc() : memref<1xi32>                                       // 1
  memref.dma_start %src[%i], %a[%i], %n, %tag[%i]
      : memref<16xf32>, memref<16xf32>, memref<1xi32>                         // 2
  memref.dma_wait %tag[%i], %n : memref<1xi32>                                // 3
  return                                                                      // 4
}

func.func @affine_dma(%n: index, %src: memref<16xf32>) {
  // expected-remark @below {{lifetime [2, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  // expected-remark @below {{lifetime [2, 4), 4 bytes}}
  %tag = memref.alloc() : memref<1xi32>                                       // 1
  affine.dma_start %src[0], %a[0], %tag[0], %n
      : memref<16xf32>, memref<16xf32>, memref<1xi32>                         // 2
  affine.dma_wait %tag[0], %n : memref<1xi32>                                 // 3
  return                                                                      // 4
}

// Tasks of OpenMP end with the parallel region around them; this one has none.
func.func @omp_task(%i: index, %x: f32) {
  // expected-remark @below {{lifetime [1, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                        // 0
  omp.task {                                                                  // 1
    memref.store %x, %a[%i] : memref<16xf32>                                  // 2
    omp.terminator                                                            // 3
  }                                                                           // 4
  return                                                                      // 5
}
