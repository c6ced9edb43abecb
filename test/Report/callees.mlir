// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=global report=%t.json' -o /dev/null
// RUN: FileCheck %s --check-prefixes=CHECK,SEPARATE < %t.json
// RUN: buffer-merge-report %t.json -o %t.again.json
// RUN: diff %t.json %t.again.json
// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=global target={"globals": {"entries": "exclusive"}} report=%t.json' -o /dev/null
// RUN: FileCheck %s --check-prefixes=CHECK,SHARED < %t.json
// RUN: buffer-merge-report check %t.json --budget=%t.budgets.json --update
// RUN: FileCheck %s --check-prefix=BUDGET < %t.budgets.json
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT

// The parts of callees are no allocations, and what is a part of another pool, or
// shares memory with a larger one, takes no more bytes.

//         CHECK: "merged": 4,
//    CHECK-NEXT: "mergedBytes": 448,
// SEPARATE-NEXT: "poolBytes": 320,
//   SHARED-NEXT: "poolBytes": 192,
//      SEPARATE: "storage": "global",
//        SHARED: "storage": "shared-global",
//        BUDGET: "regions": {
//   BUDGET-NEXT: "default": {
//   BUDGET-NEXT: "bytes": 192
//          TEXT: 4 allocations of 448 bytes merged into 192 bytes
//          TEXT: call @leaf
func.func private @leaf(%x: f32) {
  %a = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  %b = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<32xf32>)
  return
}
func.func @large(%x: f32, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  call @leaf(%x) : (f32) -> ()
  linalg.exp ins(%a : memref<16xf32>) outs(%out : memref<16xf32>)
  return
}
func.func @small(%x: f32) {
  %a = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  return
}
