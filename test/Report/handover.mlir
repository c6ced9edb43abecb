// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false pool=global report=%t.json' -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: buffer-merge-report %t.json -o %t.again.json
// RUN: diff %t.json %t.again.json
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT
// RUN: buffer-merge-report %t.json -o %t.csv
// RUN: FileCheck %s --check-prefix=CSV < %t.csv
// RUN: buffer-merge-report %t.json -o %t.html
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=global offsets=%t.csv' | FileCheck %s --check-prefix=IR
// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false pool=arena report=-' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false pool=global target={"globals": {"entries": "exclusive"}} report=-' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED

// Functions without buffers of their own that hand bytes to callees: what they hand on is a
// pool of the report, behind the others, with the calls alone.

//      CHECK: "merged": 3,
// CHECK-NEXT: "mergedBytes": 768,
// CHECK-NEXT: "poolBytes": 512,

//  TEXT: 3 allocations of 768 bytes merged into 512 bytes
//  TEXT: pool 3 of 4: @middle (func.func at handover.mlir:[[#]]:1), pool=arena
//  TEXT:   before 256 bytes, pool 256 bytes
//  TEXT: call @other {{.*}}256
//  TEXT: pool 4 of 4: @entry (func.func at handover.mlir:[[#]]:1), pool=global
//  TEXT:   before 768 bytes, pool 512 bytes
//  TEXT:   lower bound 512 bytes
//  TEXT: call @leaf {{.*}} 512
//  TEXT: call @middle {{.*}} 256

//       CSV: leaf
// CSV-COUNT-1: leaf
//   CSV-NOT: {{call|entry|middle}}

// HTML: call @middle

//    IR: memref.global "private" @entry_pool : memref<512xi8>

// ARENA: 3 allocations of 768 bytes merged into 512 bytes
// ARENA: pool 4 of 4: @entry {{.*}}, pool=arena

// SHARED: 3 allocations of 768 bytes merged into 512 bytes
// SHARED: pool 4 of 4: @entry {{.*}}, pool=shared-global
func.func private @leaf(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  memref.copy %b, %out : memref<64xf32> to memref<64xf32>
  return
}
func.func private @other(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
func.func private @middle(%x: f32, %out: memref<64xf32>) {
  call @other(%x, %out) : (f32, memref<64xf32>) -> ()
  call @other(%x, %out) : (f32, memref<64xf32>) -> ()
  return
}
func.func @entry(%x: f32, %out: memref<64xf32>) {
  call @leaf(%x, %out) : (f32, memref<64xf32>) -> ()
  call @middle(%x, %out) : (f32, memref<64xf32>) -> ()
  return
}
