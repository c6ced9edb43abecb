// RUN: buffer-merge-opt %s --buffer-merge='pool=stack report=%t.json' -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: buffer-merge-report %t.json -o %t.again.json
// RUN: diff %t.json %t.again.json
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack report=%t.csv' -o %t.mlir
// RUN: FileCheck %s --check-prefix=CSV < %t.csv
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack offsets=%t.csv' | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-lifetimes=report=%t.lifetimes.csv -o /dev/null 2>/dev/null
// RUN: diff %t.csv %t.lifetimes.csv
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack target={"stack": {"limit": 64}}' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE

// A report says where a pool comes from. A pool of a single buffer is behind the
// others, so that their numbers are those that they have without it, and it is not
// in the table for other solvers.

//     JSON: "function": "pair"
//     JSON: "storage": "stack"
//     JSON: "function": "large"
// JSON-NOT: "storage"
//     JSON: "function": "single"
//     JSON: "storage": "stack"
//     JSON: "poolSize": 60

// TEXT: pool 1 of 3: @pair (func.func at {{.*}}), pool=stack
// TEXT: pool 2 of 3: @large (func.func at {{[^,]*$}}
// TEXT: pool 3 of 3: @single (func.func at {{.*}}), pool=stack

//      CSV: id,lower
// CSV-NEXT: pair/1/
// CSV-NEXT: pair/1/
// CSV-NEXT: large/2/
// CSV-NEXT: large/2/
//  CSV-NOT: single

// PIPELINE: pool=stack
// PIPELINE-SAME: target={"stack": {"limit": 64}}
func.func @single(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}

func.func @pair(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

func.func @large(%x: f32, %i: index) {
  %a = memref.alloc() : memref<5000xf32>
  memref.store %x, %a[%i] : memref<5000xf32>
  %b = memref.alloc() : memref<5000xf32>
  memref.store %x, %b[%i] : memref<5000xf32>
  return
}
