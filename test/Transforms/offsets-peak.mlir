// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false report=%t.csv limit-peak=deallocated' -o /dev/null 2> /dev/null
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false limit-peak=deallocated' -o %t.planned.mlir
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false offsets=%t.csv limit-peak=deallocated' | diff %t.planned.mlir -
// RUN: buffer-merge-schedule %t.csv --ignore-offsets --scheduler=bump -o %t.bump.csv
// RUN: not buffer-merge-opt %s --buffer-merge='in-place=false offsets=%t.bump.csv limit-peak=deallocated' 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false report=%t.whole.csv limit-peak=none' -o /dev/null 2> /dev/null
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false offsets=%t.whole.csv" | FileCheck %s --check-prefix=WHOLE

// A pool that would raise the peak has fewer buffers (R7), and is read back as it is. Not so
// with offsets of another solver, which are for all of them.

// CHECK: error: {{.*}}.csv: there is no row for 'result/1/%
// CHECK: note: pools that limit-peak divides, or leaves buffers out of, have other rows: write the file with limit-peak=none
// CHECK-NOT: memref.view

// WHOLE: memref.alloc() {{.*}} : memref<8192xi8>
func.func @result(%x: memref<1024xf32>) -> memref<1024xf32> {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%c : memref<1024xf32>) outs(%d : memref<1024xf32>)
  return %d : memref<1024xf32>
}
