// RUN: not buffer-merge-opt %s --buffer-merge='capacity=workgroup:511' 2>&1 | FileCheck %s --check-prefixes=OVER,NONE
// RUN: buffer-merge-opt %s --buffer-merge='capacity=workgroup:4KiB,private:1MiB,0:1GiB' -o /dev/null 2>&1 | count 0
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=workgroup:767 target={"workgroup": {"spaces": ["3"]}}' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: buffer-merge-opt %s --buffer-merge='capacity=workgroup:768 target={"workgroup": {"spaces": ["3"]}}' -o /dev/null 2>&1 | count 0
// RUN: buffer-merge-opt %s --buffer-merge='memory-spaces=workgroup' | FileCheck %s --check-prefix=ONLY
// RUN: buffer-merge-opt %s --buffer-merge='memory-spaces=0' | FileCheck %s --check-prefix=ZERO
// RUN: buffer-merge-opt %s --buffer-merge='memory-spaces=srma capacity=srma:4,4:8' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARN --implicit-check-not=warning
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{memory-spaces=srma}))' -o /dev/null 2>&1 | count 0
// RUN: buffer-merge-opt %s --buffer-lifetimes='capacity=privat:4' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEAREST
// RUN: buffer-merge-opt %s --check-workgroup-races='target={"workgroup": {"spaces": ["4"]}}' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=workgroup:4,#gpu.address_space<workgroup>:4' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not buffer-merge-opt %s --buffer-merge='target={"workgroup": {"barrierOps": ["gpu.barier"]}}' 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: not buffer-merge-opt %s --check-workgroup-races='target={"workgroup": {"barrierOps": ["my.barrier"]}}' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"barrierOps": ["my.barrier"]}}' --allow-unregistered-dialect -o /dev/null 2>&1 | count 0
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"barrierOps": ["rocdl.barrier", "gpu.barrier"]}}' -o /dev/null 2>&1 | count 0

// Memory spaces as options name them: `workgroup` is the address space and, in device
// code, the number that it is lowered to; together they are one memory.

//  OVER: error: pool of 'gpu.func' in memory space #gpu.address_space<workgroup> needs 512 bytes, its capacity is 255
// NONE-NOT: warning

// BOTH: error: pool of 'gpu.func' in memory space 3 : i64 needs 256 bytes, its capacity is 255
// BOTH: note: everything else in the same memory takes 512 bytes

//    WARN: warning: no type has the memory space 'srma' of an option; the nearest that occurs is 'sram'
//    WARN: warning: no type has the memory space '4' of an option; the nearest that occurs is '3'
// NEAREST: warning: no type has the memory space 'privat' of an option; the nearest that occurs is 'private'
//    FOUR: warning: no type has the memory space '4' of an option; the nearest that occurs is '3'
//   TWICE: error: memory space '#gpu.address_space<workgroup>' has two capacities
// BARRIER: error: unknown operation 'gpu.barier' in barrierOps; the nearest is 'gpu.barrier'
// UNKNOWN: error: unknown operation 'my.barrier' in barrierOps{{$}}

// ONLY-LABEL: gpu.func @kernel(
//  ONLY-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
// ZERO-LABEL: gpu.func @kernel(
//  ZERO-SAME:   index) kernel
!wg = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    memref.store %x, %a[%i] : !wg
    %n = memref.alloc() : memref<64xf32, 3>
    memref.store %x, %n[%i] : memref<64xf32, 3>
    %p = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
    memref.store %x, %p[%i] : memref<4xf32, #gpu.address_space<private>>
    gpu.return
  }
}

// In code of the host a number is only that number.
// ONLY-LABEL: func.func @host(
//       ONLY:   memref.alloc() : memref<64xf32, 3>
//       ONLY:   memref.alloc() : memref<64xf32, 3>
//       ONLY:   memref.alloc() : memref<64xf32, "sram">
//       ONLY:   memref.alloc() : memref<64xf32>
// ZERO-LABEL: func.func @host(
//       ZERO:   memref.alloc() {{.*}} : memref<256xi8>
//       ZERO:   memref.alloc() : memref<64xf32, 3>
func.func @host(%x: f32, %i: index) {
  %n = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %n[%i] : memref<64xf32, 3>
  %m = memref.alloc() : memref<64xf32, 3>
  memref.store %x, %m[%i] : memref<64xf32, 3>
  %s = memref.alloc() : memref<64xf32, "sram">
  memref.store %x, %s[%i] : memref<64xf32, "sram">
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
