// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=arena report=%t.json limit-peak=deallocated' -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=alloc report=%t.json limit-peak=deallocated' -o /dev/null
// RUN: FileCheck %s --check-prefix=ALLOC < %t.json

// What each function takes from its caller, its callees included, and the most that it
// holds; the arena is held as a whole. The part that a callee has is among the buffers.

// CHECK:      "function": "caller",
// CHECK:      "totalBytes": 128,
// CHECK:      "poolSize": 128,
// CHECK:      "name": "call @callee",
// CHECK-NEXT: "callee": "callee",
// CHECK-NEXT: "type": "",
// CHECK-NEXT: "location": "{{.*}}arena.mlir:{{.*}}",
// CHECK-NEXT: "size": 64,

//      CHECK: "functions": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "name": "callee",
// CHECK-NEXT:     "arenaBytes": 64,
// CHECK-NEXT:     "baselineBytes": 64,
// CHECK-NEXT:     "peakBytes": 64,
// CHECK-NEXT:     "calls": []
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "name": "caller",
// CHECK-NEXT:     "arenaBytes": 128,
// CHECK-NEXT:     "baselineBytes": 128,
// CHECK-NEXT:     "peakBytes": 128,
// CHECK-NEXT:     "calls": [
// CHECK-NEXT:       "callee"
// CHECK-NEXT:     ]
// CHECK-NEXT:   }
// CHECK-NEXT: ]

// ALLOC-NOT: "arenaBytes"
func.func @callee(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  return
}
func.func @caller(%x: f32, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  call @callee(%x) : (f32) -> ()
  linalg.exp ins(%a : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
func.func @none(%x: f32) {
  return
}
