// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=global target={"globals": {"entries": "exclusive"}} report=%t.csv' -o /dev/null
// RUN: FileCheck %s --check-prefix=TABLE < %t.csv
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}} offsets=%t.csv' | FileCheck %s
// RUN: sed 's/,64$/,0/' %t.csv > %t.overlap.csv
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}} offsets=%t.overlap.csv' 2>&1 | FileCheck %s --check-prefix=ERROR

// Offsets of another solver, which knows nothing of callees, must leave the start of
// the common global to @inner.

//      TABLE: id,lower,upper,size,alignment,offset
// TABLE-NEXT: outer/1/%a,1,4,60,64,64
// TABLE-NEXT: outer/1/%b,5,6,60,64,64
//  TABLE-NOT: {{.}}
//      CHECK: memref.global "private" @entries_pool : memref<124xi8>
//      ERROR: error: the offsets of the buffers of 'outer' leave no room for its callees
//  ERROR-NOT: error:
func.func @outer(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @inner(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @inner(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}
