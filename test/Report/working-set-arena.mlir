// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t.json' -o /dev/null
// RUN: FileCheck %s < %t.json

// What a callee has in the arena that its caller passes is in bytes of the caller.

// CHECK: "peakBytes": 128,
// CHECK: "workingSetBytes": 128,
func.func @f(%x: i32, %out: memref<16xi32>, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<16xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
  %b = memref.alloc() : memref<16xi32>
  linalg.add ins(%a, %a : memref<16xi32>, memref<16xi32>) outs(%b : memref<16xi32>)
  linalg.add ins(%a, %b : memref<16xi32>, memref<16xi32>) outs(%out : memref<16xi32>)
  return
}

func.func @main(%x: i32, %bytes: index, %result: memref<16xi32>) {
  %arena = memref.alloc(%bytes) {alignment = 64 : i64} : memref<?xi8>
  %out = memref.alloc() : memref<16xi32>
  func.call @f(%x, %out, %arena) : (i32, memref<16xi32>, memref<?xi8>) -> ()
  memref.dealloc %arena : memref<?xi8>
  linalg.add ins(%out, %out : memref<16xi32>, memref<16xi32>) outs(%result : memref<16xi32>)
  return
}
