// RUN: buffer-merge-opt %s --buffer-merge='pool=global limit-peak=none report=%t.json' -o %t.mlir
// RUN: buffer-merge-report %t.json | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena limit-peak=none report=-' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: buffer-merge-opt %s --buffer-merge='report=-' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ALLOC

// What each function that is called from outside of the module takes of RAM and
// flash, with all that it calls: @inner is counted with its callers.

//      CHECK: entries, in bytes
// CHECK-NEXT:            pools  heap  stack  constants  variables  inputs  outputs
// CHECK-NEXT:   @first      64    64     72         64         32      64      128
// CHECK-NEXT:   @second      0    16      0          0          0       0       16
// CHECK-NEXT:   @unused      0     0      8         64          0      64       64
// CHECK-NEXT:   not known: code, frames of functions
// CHECK-NEXT:   not known of @second: functions outside of the module, arguments of unknown size

//      ARENA: entries, in bytes
// ARENA-NEXT: pools
// ARENA-NEXT: @first 64 64 72 64 32 64 128

// ALLOC-NOT: entries, in

memref.global "private" constant @weights : memref<16xf32> = dense<1.0>
memref.global "private" @state : memref<8xf32> = dense<0.0>
func.func private @outside(memref<?xf32>)

func.func private @inner(%in: memref<16xf32>, %out: memref<16xf32>) {
  %s = memref.alloca() : memref<2xf32>
  %w = memref.get_global @weights : memref<16xf32>
  linalg.add ins(%in, %w : memref<16xf32>, memref<16xf32>) outs(%out : memref<16xf32>)
  return
}
func.func @first(%in: memref<16xf32>, %out: memref<16xf32>, %other: memref<16xf32>) {
  %s = memref.alloca() : memref<16xf32>
  %g = memref.get_global @state : memref<8xf32>
  %left = memref.alloc() : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %left : memref<16xf32> -> index
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%in : memref<16xf32>) outs(%a : memref<16xf32>)
  call @inner(%a, %out) : (memref<16xf32>, memref<16xf32>) -> ()
  %view = memref.subview %other[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  memref.copy %g, %view : memref<8xf32> to memref<8xf32, strided<[1]>>
  return
}
func.func @second(%in: memref<?xf32>) -> memref<4xf32> {
  call @outside(%in) : (memref<?xf32>) -> ()
  %r = memref.alloc() : memref<4xf32>
  return %r : memref<4xf32>
}
func.func private @unused(%in: memref<16xf32>, %out: memref<16xf32>) {
  call @inner(%in, %out) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}
