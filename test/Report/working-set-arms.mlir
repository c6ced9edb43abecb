// RUN: buffer-merge-opt %s --buffer-merge='report=%t.json limit-peak=none in-place=false' -o /dev/null
// RUN: FileCheck %s < %t.json

// What may be one buffer or another is one of them: it is not known which.

// CHECK: "workingSetBytes": 384,
func.func @arms(%c: i1, %in: memref<96xf32>, %out: memref<96xf32>) {
  %r = scf.if %c -> memref<96xf32> {
    %a = memref.alloc() : memref<96xf32>
    linalg.exp ins(%in : memref<96xf32>) outs(%a : memref<96xf32>)
    scf.yield %a : memref<96xf32>
  } else {
    %b = memref.alloc() : memref<96xf32>
    linalg.tanh ins(%in : memref<96xf32>) outs(%b : memref<96xf32>)
    scf.yield %b : memref<96xf32>
  }
  %d = memref.alloc() : memref<96xf32>
  linalg.exp ins(%r : memref<96xf32>) outs(%d : memref<96xf32>)
  linalg.add ins(%d, %in : memref<96xf32>, memref<96xf32>) outs(%out : memref<96xf32>)
  return
}
