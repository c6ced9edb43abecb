// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// Memory spaces. SPIR-V has no views of another element type.

func.func @host(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %number = memref.alloc() : memref<16xf32, 3>
  memref.store %x, %number[%i] : memref<16xf32, 3>
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %name = memref.alloc() : memref<16xf32, "scratch">
  memref.store %x, %name[%i] : memref<16xf32, "scratch">
  // expected-remark @below {{lifetime [5, 6), 64 bytes}}
  %private = memref.alloc() : memref<16xf32, #gpu.address_space<private>>
  memref.store %x, %private[%i] : memref<16xf32, #gpu.address_space<private>>
  // expected-remark @below {{lifetime [7, 8), 64 bytes}}
  %workgroup = memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
  memref.store %x, %workgroup[%i] : memref<16xf32, #gpu.address_space<workgroup>>
  // expected-remark @below {{not mergeable: memory-space,}}
  %global = memref.alloc() : memref<16xf32, #gpu.address_space<global>>
  memref.store %x, %global[%i] : memref<16xf32, #gpu.address_space<global>>
  // expected-remark @below {{not mergeable: memory-space,}}
  %spirv = memref.alloc() : memref<16xf32, #spirv.storage_class<Function>>
  memref.store %x, %spirv[%i] : memref<16xf32, #spirv.storage_class<Function>>
  return
}

// In device code a number may mean the memory of a workgroup.
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    // expected-remark @below {{lifetime [1, 2), 64 bytes}}
    %default = memref.alloc() : memref<16xf32>
    memref.store %x, %default[%i] : memref<16xf32>
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %private = memref.alloc() : memref<16xf32, #gpu.address_space<private>>
    memref.store %x, %private[%i] : memref<16xf32, #gpu.address_space<private>>
    // expected-remark @below {{not mergeable: memory-space,}}
    %number = memref.alloc() : memref<16xf32, 3>
    memref.store %x, %number[%i] : memref<16xf32, 3>
    // expected-remark @below {{lifetime [7, 8), 64 bytes}}
    %workgroup = memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %x, %workgroup[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

func.func @launch(%n: index, %x: f32) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    // expected-remark @below {{not mergeable: memory-space,}}
    %number = memref.alloc() : memref<16xf32, 3>
    memref.store %x, %number[%n] : memref<16xf32, 3>
    // expected-remark @below {{lifetime [4, 5), 64 bytes}}
    %private = memref.alloc() : memref<16xf32, #gpu.address_space<private>>
    memref.store %x, %private[%n] : memref<16xf32, #gpu.address_space<private>>
    gpu.terminator
  }
  return
}
