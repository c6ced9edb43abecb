// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t.txt' -o %t.mlir
// RUN: FileCheck %s < %t.txt
// RUN: buffer-merge-opt %s --buffer-lifetimes=pool=arena -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A pool may have one buffer. What an entry takes says that it lacks what is of unknown
// size: in an arena, on the heap, and on the stack, there and in callees.

// REMARK: remark: pool of run-time size in the arena: 1 buffer, roundup

//      CHECK: pool of run-time size in the arena of @arena: 1 buffer, alignment 64
//      CHECK:   not known: code
// CHECK-NEXT:   not known of @arena: allocations of unknown size
// CHECK-NEXT:   not known of @heap: allocations of unknown size
// CHECK-NEXT:   not known of @stack: allocations of unknown size
//  CHECK-NOT:   not known
func.func @arena(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %x = memref.load %a[%c0] : memref<?xf32>
  return %x : f32
}
func.func @heap(%p: memref<index>) -> f32 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %n = memref.load %p[] : memref<index>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %x = memref.load %a[%c0] : memref<?xf32>
  return %x : f32
}
func.func @stack(%n: index) -> f32 {
  %x = call @callee(%n) : (index) -> f32
  return %x : f32
}
func.func private @callee(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = memref.alloca(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %x = memref.load %a[%c0] : memref<?xf32>
  return %x : f32
}
func.func @static() -> f32 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  %x = memref.load %a[%c0] : memref<4xf32>
  return %x : f32
}
