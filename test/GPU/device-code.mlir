// RUN: buffer-merge-opt %s --buffer-lifetimes -o /dev/null --split-input-file --verify-diagnostics=only-expected

// What the threads of a GPU execute is device code, wherever it is: there a memory
// space that is not known may be that of a workgroup.

// Operations that only a device executes, at any depth.
func.func @thread_id(%x: f32, %i: index) {
  %t = gpu.thread_id x
  // expected-remark @below {{not mergeable: memory-space, memory of its space is not merged}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  return
}

func.func @barrier(%x: f32, %i: index, %n: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, "shared">
  memref.store %x, %a[%i] : memref<64xf32, "shared">
  scf.for %k = %i to %n step %n {
    gpu.barrier
  }
  return
}

func.func @nvvm(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  %t = nvvm.read.ptx.sreg.tid.x : i32
  return
}

func.func @xevm(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  %t = xevm.local_id.x : i32
  return
}

func.func @intrinsic(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  %t = llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> i32
  return
}

func.func @async_copy(%x: f32, %i: index, %src: memref<64xf32>) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  %t = nvgpu.device_async_copy %src[%i], %a[%i], 4 : memref<64xf32> to memref<64xf32, 3>
  return
}

func.func @lane_0(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  gpu.warp_execute_on_lane_0(%i)[32] {
    memref.store %x, %a[%i] : memref<64xf32, 3>
    // Some threads only execute this.
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %b = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  }
  return
}

// Attributes.
func.func @kernel(%x: f32, %i: index) attributes {gpu.kernel} {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  return
}

// Loops that are mapped to threads, in a function or in a loop without a mapping.
func.func @threads(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, 3>
  } {mapping = [#gpu.warp<x>]}
  return
}

// expected-remark @below {{1 buffer of 256 bytes}}
func.func @workgroups(%x: f32, %i: index) {
  // The iterations of the first loop are workgroups, the function is that of the host.
  // expected-remark @below {{, 256 bytes}}
  %h = memref.alloc() : memref<64xf32, 1>
  memref.store %x, %h[%i] : memref<64xf32, 1>
  scf.forall (%b) in (64) {
    // expected-remark @below {{not mergeable: memory-space,}}
    %a = memref.alloc() : memref<64xf32, 3>
    scf.forall (%t) in (64) {
      memref.store %x, %a[%t] : memref<64xf32, 3>
    } {mapping = [#gpu.thread<x>]}
  }
  return
}

// Loops that are mapped to blocks, of both kinds.
// expected-remark @below {{1 buffer of 256 bytes}}
func.func @blocks(%x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{, 256 bytes}}
  %h = memref.alloc() : memref<64xf32, 1>
  memref.store %x, %h[%i] : memref<64xf32, 1>
  scf.forall (%b) in (64) {
    // expected-remark @below {{not mergeable: memory-space,}}
    %a = memref.alloc() : memref<64xf32, 3>
    memref.store %x, %a[%i] : memref<64xf32, 3>
    %t = gpu.thread_id x
  } {mapping = [#gpu.block<x>]}
  scf.parallel (%b) = (%c0) to (%i) step (%c1) {
    // expected-remark @below {{not mergeable: memory-space,}}
    %a = memref.alloc() : memref<64xf32, 3>
    memref.store %x, %a[%i] : memref<64xf32, 3>
    // expected-remark @below {{, 256 bytes}}
    %w = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %w[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  } {mapping = [#gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  return
}

// The host around a launch: what it copies and waits for is no code of a device.
// expected-remark @below {{1 buffer of 256 bytes}}
func.func @host(%x: f32, %n: index, %d: memref<64xf32>) {
  // expected-remark @below {{, 256 bytes}}
  %h = memref.alloc() : memref<64xf32, 1>
  memref.store %x, %h[%n] : memref<64xf32, 1>
  %u = memref.cast %d : memref<64xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  gpu.wait
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    // expected-remark @below {{not mergeable: memory-space,}}
    %a = memref.alloc() : memref<64xf32, 3>
    memref.store %x, %a[%tx] : memref<64xf32, 3>
    gpu.barrier
    func.call @callee(%x, %tx) : (f32, index) -> ()
    gpu.terminator
  }
  return
}

// What device code calls is device code, through other functions and by address, also
// out of a loop without a mapping.
func.func private @callee(%x: f32, %i: index) {
  scf.forall (%t) in (64) {
    func.call @indirect(%x, %i) : (f32, index) -> ()
  }
  %f = func.constant @by_address : (f32, index) -> ()
  return
}

func.func private @indirect(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  return
}

func.func private @by_address(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: memory-space,}}
  %a = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %a[%i] : memref<64xf32, 3>
  return
}

// What calls device code is not: a wrapper for a test.
// expected-remark @below {{1 buffer of 256 bytes}}
func.func @wrapper(%x: f32, %i: index) {
  // expected-remark @below {{, 256 bytes}}
  %h = memref.alloc() : memref<64xf32, 1>
  memref.store %x, %h[%i] : memref<64xf32, 1>
  call @thread_id(%x, %i) : (f32, index) -> ()
  return
}

// Memory of the default space is that of one thread.
// expected-remark-re @below {{2 buffers of 512 bytes, {{.*}} pool of 256 bytes}}
func.func @one_thread(%i: index, %out: memref<?xf32>) {
  %t = gpu.thread_id x
  %v = memref.load %out[%t] : memref<?xf32>
  // expected-remark @below {{, 256 bytes}}
  %a = memref.alloc() : memref<64xf32>
  memref.store %v, %a[%i] : memref<64xf32>
  %w = memref.load %a[%i] : memref<64xf32>
  // expected-remark @below {{, 256 bytes}}
  %b = memref.alloc() : memref<64xf32>
  memref.store %w, %b[%i] : memref<64xf32>
  return
}

// -----

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// A function has one pool if it is a kernel, by its attribute or because nothing calls
// it. If something does, some threads may execute it while others do not.
// expected-remark @below {{1 buffer of 256 bytes}}
func.func @kernel(%x: f32, %i: index) attributes {gpu.kernel} {
  // expected-remark @below {{, 256 bytes}}
  %a = memref.alloc() : !wg
  memref.store %x, %a[%i] : !wg
  call @device(%x, %i) : (f32, index) -> ()
  return
}

func.func private @device(%x: f32, %i: index) {
  // expected-remark @below {{not mergeable: not-a-kernel,}}
  %a = memref.alloc() : !wg
  memref.store %x, %a[%i] : !wg
  return
}

// expected-remark @below {{1 buffer of 256 bytes}}
func.func @caller(%x: f32, %i: index) {
  // expected-remark @below {{, 256 bytes}}
  %a = memref.alloc() : !wg
  memref.store %x, %a[%i] : !wg
  call @kernel(%x, %i) : (f32, index) -> ()
  return
}

// Threads execute this loop, whose iterations are no workgroups then.
func.func @loop(%x: f32, %n: index) {
  %t = gpu.thread_id x
  scf.forall (%i) in (%n) {
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %a = memref.alloc() : !wg
    memref.store %x, %a[%t] : !wg
  }
  return
}
