// RUN: buffer-merge-opt %s --buffer-merge --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// What keeps a buffer out of a pool of run-time size, where its size does not.

// CHECK: Function=chosen {{.*}} Reason="dealloc-group
// CHECK: Function=chosen {{.*}} Reason="dealloc-group
func.func @chosen(%n: index, %f: f32, %x: memref<?xf32>, %c: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  %one = arith.select %c, %a, %b : memref<?xf32>
  memref.dealloc %one : memref<?xf32>
  return
}

// CHECK: Function=address {{.*}} Reason="address-taken, {{.*}}'memref.extract_aligned_pointer_as_index'
func.func @address(%n: index, %f: f32, %x: memref<?xf32>) -> index {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return %p : index
}

// CHECK: Function=owned {{.*}} Reason="dealloc-group, {{.*}}'bufferization.dealloc'
func.func @owned(%n: index, %f: f32, %x: memref<?xf32>, %c: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  bufferization.dealloc (%a : memref<?xf32>) if (%c)
  return
}
