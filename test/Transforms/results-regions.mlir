// RUN: echo '{ "name": "board", "regions": [ { "name": "tcm", "bytes": "64KiB", "address": "0x20000000", "storage": "global" } ] }' > %t.json
// RUN: buffer-merge-opt %s --buffer-merge=target=%t.json | FileCheck %s

// What has a place in a region stays there: a result is none.

// CHECK: memref.global "private" @f_tcm_pool : memref<4096xi8>
// CHECK: linalg.exp {{.*}} outs(%[[A:.*]] :
// CHECK: %[[R:.*]] = memref.alloc()
// CHECK: linalg.abs ins(%[[A]] : {{.*}}) outs(%[[R]] :
func.func @f(%x: memref<1024xf32>) -> memref<1024xf32> {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %r = memref.alloc() : memref<1024xf32>
  linalg.abs ins(%a : memref<1024xf32>) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}
