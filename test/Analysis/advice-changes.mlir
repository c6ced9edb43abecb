// RUN: buffer-merge-opt %s --buffer-lifetimes='advise split-buffers=false report=%t.json' -o /dev/null 2> %t.remarks
// RUN: grep -e advice: -e remark:.*pool %t.remarks | FileCheck %s
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT
// RUN: buffer-merge-opt %s --buffer-lifetimes=advise -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: buffer-merge-opt %s --buffer-lifetimes='advise pool=arena limit-peak=deallocated' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARENA

// Changes of the program that are tried. A pool that has no gain as the program is may
// have one then.

// %b is where %a has a gap: its values need no different places.
// CHECK:      2 buffers of 2048 bytes, {{.*}} pool of 1024 bytes
// CHECK-NOT:  the option split-buffers
// SPLIT-NOT:  the option split-buffers
// TEXT:       pool 1 of 4: @values
func.func @values(%x: f32, %in: memref<256xf32>, %out: memref<256xf32>, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  %y = memref.load %a[%i] : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%in : memref<256xf32>) outs(%b : memref<256xf32>)
  memref.copy %b, %out : memref<256xf32> to memref<256xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<256xf32>)
  %z = memref.load %a[%i] : memref<256xf32>
  memref.store %z, %out[%i] : memref<256xf32>
  return
}

// %a is not needed while %b is; half of %b saves as much.
// CHECK:      2 buffers of 3072 bytes, {{.*}} no pool: no-gain
// CHECK-NEXT: [[# @LINE + 8]]:8: remark: advice: keep this buffer elsewhere: in another memory, or in a buffer of the caller; a pool then takes 2048 bytes less
// CHECK-NEXT: [[# @LINE + 5]]:8: remark: advice: do not keep this buffer in ticks [4, 10): compute it again, or move it to another memory meanwhile; a pool then takes 1024 bytes less
// CHECK-NEXT: [[# @LINE + 6]]:8: remark: advice: choose a smaller tile or batch: half of the 512 elements in dimension 0 of all memref<512xf32>; a pool then takes 1024 bytes less
// TEXT:       pool 2 of 4: @between
// TEXT:       advice: do not keep %a in ticks [4, 10): compute it again, or move it to another memory meanwhile: saves 1024 bytes
func.func @between(%x: f32, %in: memref<256xf32>, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<512xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<512xf32>)
  %v = memref.load %b[%i] : memref<512xf32>
  memref.store %v, %in[%i] : memref<256xf32>
  %w = memref.load %a[%i] : memref<256xf32>
  memref.store %w, %in[%i] : memref<256xf32>
  return
}

// The loop is one access: %b must be kept between its iterations.
// CHECK:     2 buffers of 2048 bytes
// CHECK-NOT: in ticks
// TEXT:      pool 3 of 4: @loop
// With pool=arena the bytes of @values, a callee, belong to the pool: they are not saved.
// ARENA:     remark: pool: 2 buffers of 2048 bytes, 1 call that needs 1024 bytes, 3072 alive at tick 10, pool of 3072 bytes
// ARENA-NOT: advice: {{.*}} the pool is then {{[2-9]...}} bytes smaller
// ARENA:     advice: keep this buffer elsewhere: in another memory, or in a buffer of the caller; the pool is then 1024 bytes smaller
func.func @loop(%x: f32, %in: memref<256xf32>, %i: index, %n: index, %k: index) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<256xf32>)
  scf.for %j = %i to %n step %k {
    %v = memref.load %b[%j] : memref<256xf32>
    func.call @values(%v, %in, %in, %j) : (f32, memref<256xf32>, memref<256xf32>, index) -> ()
    %w = memref.load %a[%j] : memref<256xf32>
    memref.store %w, %b[%j] : memref<256xf32>
  }
  return
}

// The two values of %a could have different places: %b is beside the first one, %c beside
// both %b and the second one.
// CHECK:      3 buffers of 3072 bytes, {{.*}} no pool: no-gain
// CHECK-NEXT: choose a smaller tile or batch: half of the {{.*}} elements in dimension 0
// CHECK-NEXT: remark: advice: merge with the option split-buffers; a pool then takes 1024 bytes less than its buffers
// TEXT:       pool 4 of 4: @places
// TEXT:       advice: merge with the option split-buffers: saves 1024 bytes
// TEXT:       advice: compute %b in the argument that it is copied to: saves 1024 bytes
func.func @places(%x: f32, %in: memref<256xf32>, %out: memref<256xf32>, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%in : memref<256xf32>) outs(%b : memref<256xf32>)
  %y = memref.load %a[%i] : memref<256xf32>
  %c = memref.alloc() : memref<256xf32>
  linalg.fill ins(%y : f32) outs(%c : memref<256xf32>)
  memref.copy %b, %out : memref<256xf32> to memref<256xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<256xf32>)
  %v = memref.load %c[%i] : memref<256xf32>
  %z = memref.load %a[%i] : memref<256xf32>
  %s = arith.addf %v, %z : f32
  memref.store %s, %out[%i] : memref<256xf32>
  return
}
