// RUN: buffer-merge-opt %s --split-input-file --verify-diagnostics -o /dev/null \
// RUN:   --buffer-merge='capacity=#gpu.address_space<workgroup>:1000'

// Kernels that exceed the capacity though they have nothing to merge: their memory and
// that of the functions which they call is static.

gpu.module @attributions {
  // expected-error@+1 {{'gpu.func' takes 1028 bytes in memory space #gpu.address_space<workgroup>, the capacity is 1000, and it has no pool there that could be smaller}}
  gpu.func @over(%x: f32, %i: index) workgroup(
      // expected-note@+1 {{attribution: 4 bytes}}
      %w: memref<1xf32, #gpu.address_space<workgroup>>,
      // expected-note@+1 {{attribution: 1024 bytes}}
      %v: memref<256xf32, #gpu.address_space<workgroup>>,
      %other: memref<512xf32, 3>)
      private(%p: memref<512xf32, #gpu.address_space<private>>) kernel {
    memref.store %x, %w[%i] : memref<1xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @exact() workgroup(%w: memref<1000xi8, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
  // A function by itself has no limit.
  gpu.func @no_kernel() workgroup(%w: memref<2000xi8, #gpu.address_space<workgroup>>) {
    gpu.return
  }
}

// -----

// A barrier object and a reduction are lowered with static memory as well.
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>
gpu.module @objects {
  // expected-error@+1 {{'gpu.func' takes 1060 bytes}}
  gpu.func @over(%x: f32, %i: index)
      // expected-note@+1 {{attribution: 900 bytes}}
      workgroup(%w: memref<900xi8, #gpu.address_space<workgroup>>) kernel {
    // expected-note@+1 {{barrier object: 32 bytes}}
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-note@+1 {{reduction: 128 bytes}}
    %r = gpu.all_reduce add %x uniform {} : (f32) -> f32
    gpu.return
  }
}

// -----

// Functions that the kernel calls, each once, and what they call. A global that two of
// them use is one.
gpu.module @calls {
  memref.global "private" @global : memref<100xf32, #gpu.address_space<workgroup>>
  func.func @first(%x: f32, %i: index) {
    // expected-note@+1 {{global: 400 bytes}}
    %g = memref.get_global @global : memref<100xf32, #gpu.address_space<workgroup>>
    memref.store %x, %g[%i] : memref<100xf32, #gpu.address_space<workgroup>>
    call @second(%x, %i) : (f32, index) -> ()
    return
  }
  func.func @second(%x: f32, %i: index) {
    %g = memref.get_global @global : memref<100xf32, #gpu.address_space<workgroup>>
    memref.store %x, %g[%i] : memref<100xf32, #gpu.address_space<workgroup>>
    // expected-note@+1 {{allocation: 800 bytes}}
    %a = memref.alloc() : memref<200xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<200xf32, #gpu.address_space<workgroup>>
    call @first(%x, %i) : (f32, index) -> ()
    return
  }
  func.func private @external(f32)
  func.func @not_called(%x: f32, %i: index) {
    %a = memref.alloc() : memref<20000xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<20000xf32, #gpu.address_space<workgroup>>
    return
  }
  // expected-error@+1 {{'gpu.func' takes 1200 bytes}}
  gpu.func @over(%x: f32, %i: index) kernel {
    func.call @first(%x, %i) : (f32, index) -> ()
    func.call @first(%x, %i) : (f32, index) -> ()
    func.call @external(%x) : (f32) -> ()
    gpu.return
  }
}

// -----

// With a pool: what is called takes bytes of its capacity.
gpu.module @pool {
  func.func @callee(%x: f32, %i: index) {
    // expected-note@+1 {{allocation: 900 bytes}}
    %a = memref.alloc() : memref<225xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<225xf32, #gpu.address_space<workgroup>>
    return
  }
  // expected-error@+3 {{pool of 'gpu.func' in memory space #gpu.address_space<workgroup> needs 128 bytes, its capacity is 100}}
  // expected-note@+2 {{a capacity of 1028 bytes has room for all of it}}
  // expected-note@+1 {{everything else in the same memory takes 900 bytes}}
  gpu.func @over(%x: f32, %i: index) kernel {
    // expected-note@+1 {{alive at the peak}}
    %a = memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    func.call @callee(%x, %i) : (f32, index) -> ()
    gpu.return
  }
}

// -----

// In a launch, and what cannot be merged.
func.func @launch(%n: index, %x: f32) {
  // expected-error@+1 {{'gpu.launch' takes 2044 bytes}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n)
      // expected-note@+1 {{attribution: 1020 bytes}}
      workgroup(%w: memref<255xf32, #gpu.address_space<workgroup>>) {
    // expected-note@+1 {{allocation: 1024 bytes}}
    %a = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%tx] : memref<256xf32, #gpu.address_space<workgroup>>
    %address = memref.extract_aligned_pointer_as_index %a : memref<256xf32, #gpu.address_space<workgroup>> -> index
    memref.store %x, %w[%address] : memref<255xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// A function that is a kernel because of its workgroup memory.
// expected-error@+1 {{'func.func' takes 1024 bytes}}
func.func @function(%x: f32, %i: index) -> index {
  // expected-note@+1 {{allocation: 1024 bytes}}
  %a = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
  memref.store %x, %a[%i] : memref<256xf32, #gpu.address_space<workgroup>>
  %address = memref.extract_aligned_pointer_as_index %a : memref<256xf32, #gpu.address_space<workgroup>> -> index
  return %address : index
}
