// What comes first where a plan cannot have all of it: bytes, allocations or
// copies.
//
// RUN: buffer-merge-opt %s --buffer-merge='alignment=1' | FileCheck %s --check-prefix=PEAK
// RUN: buffer-merge-opt %s --buffer-merge='alignment=1 goal=peak' | FileCheck %s --check-prefix=PEAK
// RUN: buffer-merge-opt %s --buffer-merge='alignment=1 goal=allocations' | FileCheck %s --check-prefix=ALLOCATIONS
// RUN: buffer-merge-opt %s --buffer-merge='alignment=1 goal=traffic' | FileCheck %s --check-prefix=TRAFFIC
// RUN: buffer-merge-opt %s --buffer-merge='alignment=1 goal=traffic capacity=default:5120' | FileCheck %s --check-prefix=CAPACITY
// RUN: not buffer-merge-opt %s --buffer-merge=goal=trafic 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: for the --goal option: there is no value 'trafic'; the nearest is 'traffic'

// %a is a part of %all only if %all is held beside %b and %c.
// PEAK-LABEL: @concatenation
//       PEAK: memref.alloc() {{.*}} : memref<5120xi8>
//       PEAK: memref.copy
//       PEAK: return
// CAPACITY-LABEL: @concatenation
//       CAPACITY: memref.alloc() {{.*}} : memref<5120xi8>
// TRAFFIC-LABEL: @concatenation
//       TRAFFIC: memref.alloc() {{.*}} : memref<7168xi8>
//   TRAFFIC-NOT: memref.copy
//       TRAFFIC: return
func.func @concatenation(%x: f32, %out: memref<1024xf32>) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  linalg.exp ins(%a : memref<256xf32>) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<768xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<768xf32>)
  linalg.exp ins(%b : memref<768xf32>) outs(%b : memref<768xf32>)
  %part = memref.subview %out[0] [768] [1] : memref<1024xf32> to memref<768xf32, strided<[1]>>
  linalg.exp ins(%b : memref<768xf32>) outs(%part : memref<768xf32, strided<[1]>>)
  %all = memref.alloc() : memref<1024xf32>
  %rest = memref.subview %all[256] [768] [1] : memref<1024xf32> to memref<768xf32, strided<[1], offset: 256>>
  linalg.fill ins(%x : f32) outs(%rest : memref<768xf32, strided<[1], offset: 256>>)
  %first = memref.subview %all[0] [256] [1] : memref<1024xf32> to memref<256xf32, strided<[1]>>
  memref.copy %a, %first : memref<256xf32> to memref<256xf32, strided<[1]>>
  linalg.exp ins(%all : memref<1024xf32>) outs(%out : memref<1024xf32>)
  return
}

// Both are in use together: a pool saves nothing but an allocation.
// PEAK-LABEL: @together
// PEAK-COUNT-2: memref.alloc()
// PEAK: return
// ALLOCATIONS-LABEL: @together
// ALLOCATIONS: memref.alloc() {{.*}} : memref<2048xi8>
// ALLOCATIONS-NOT: memref.alloc()
// ALLOCATIONS: return
func.func @together(%x: f32, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<256xf32>)
  linalg.add ins(%a, %b : memref<256xf32>, memref<256xf32>) outs(%out : memref<256xf32>)
  return
}

// The program frees both late. A pool, which saves nothing by itself, is freed
// in front of the call.
// PEAK-LABEL: @freed_late
//       PEAK: memref.alloc() {{.*}} : memref<2048xi8>
//       PEAK: memref.dealloc
//       PEAK: call @large
func.func @freed_late(%x: f32, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<256xf32>)
  linalg.add ins(%a, %b : memref<256xf32>, memref<256xf32>) outs(%out : memref<256xf32>)
  call @large(%x, %out) : (f32, memref<256xf32>) -> ()
  memref.dealloc %a : memref<256xf32>
  memref.dealloc %b : memref<256xf32>
  return
}

// Neither is a pool that saves something held longer than it must be.
// PEAK-LABEL: @held_less
//       PEAK: memref.alloc() {{.*}} : memref<2048xi8>
//       PEAK: memref.dealloc
//       PEAK: call @large
func.func @held_less(%x: f32, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<256xf32>)
  linalg.add ins(%a, %b : memref<256xf32>, memref<256xf32>) outs(%out : memref<256xf32>)
  %c = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<256xf32>)
  linalg.add ins(%c, %out : memref<256xf32>, memref<256xf32>) outs(%out : memref<256xf32>)
  call @large(%x, %out) : (f32, memref<256xf32>) -> ()
  memref.dealloc %a : memref<256xf32>
  memref.dealloc %b : memref<256xf32>
  memref.dealloc %c : memref<256xf32>
  return
}

func.func private @large(%x: f32, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<512xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<512xf32>)
  %part = memref.subview %a[128] [256] [1] : memref<512xf32> to memref<256xf32, strided<[1], offset: 128>>
  linalg.exp ins(%part : memref<256xf32, strided<[1], offset: 128>>) outs(%out : memref<256xf32>)
  memref.dealloc %a : memref<512xf32>
  return
}
