// Offsets of another solver: the problems of all pools go out as one table, the
// table comes back with offsets.

// RUN: buffer-merge-opt %s --buffer-lifetimes=report=%t.p.csv -o /dev/null
// RUN: FileCheck %s --check-prefix=PROBLEM --match-full-lines < %t.p.csv

// A solver that never shares bytes, and one that takes all rows for one problem.
// RUN: buffer-merge-schedule %t.p.csv --ignore-offsets --scheduler=bump -o %t.bump.csv
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.bump.csv | FileCheck %s --check-prefix=NO-GAIN
// RUN: buffer-merge-schedule %t.p.csv --ignore-offsets --scheduler=first-fit -o %t.fit.csv
// RUN: buffer-merge-schedule --verify %t.fit.csv
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.fit.csv | FileCheck %s

// What has an offset already keeps it.
// RUN: buffer-merge-schedule %t.p.csv -o %t.q.csv
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.q.csv -o %t.taken.mlir
// RUN: buffer-merge-opt %s --buffer-merge | diff %t.taken.mlir -

// A report in JSON has the same.
// RUN: buffer-merge-opt %s --buffer-lifetimes=report=%t.plan.json -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.plan.json | diff %t.taken.mlir -
// RUN: echo '{}' > %t.empty.json
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.empty.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.none.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// EMPTY: error: {{.*}}.empty.json: missing value at report
// NONE: error: '{{.*}}.none.json': No such file or directory

// Ids and offsets are enough, in any order; a scheduler is not asked.
// RUN: cut -d, -f1,6 %t.fit.csv | sort -r > %t.short.csv
// RUN: buffer-merge-opt %s --buffer-merge='offsets=%t.short.csv scheduler=bump' | FileCheck %s

// The pools of a file may be cut out and solved by themselves: ticks may be
// shifted.
// RUN: sed -e 's/,17,20,/,1,4,/' -e 's/,21,24,/,5,8,/' %t.fit.csv > %t.shifted.csv
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.shifted.csv | FileCheck %s

// One pipeline can do both: the file is read when it is needed.
// RUN: buffer-merge-opt %s --buffer-lifetimes='report=%t.now.csv scheduler=first-fit' --buffer-merge=offsets=%t.now.csv | FileCheck %s

// buffer-lifetimes shows what would be done with the offsets.
// RUN: buffer-merge-opt %s --buffer-lifetimes='offsets=%t.fit.csv report=%t.json' -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// REPORT:      "scheduler": "{{.*}}.fit.csv",
// REPORT:      "poolSize": 384,

// PROBLEM:      id,lower,upper,size,alignment,offset
// PROBLEM-NEXT: f/1/%a,1,9,256,64,{{[0-9]+}}
// PROBLEM-NEXT: f/1/%b,5,16,128,64,{{[0-9]+}}
// PROBLEM-NEXT: f/1/%c,10,17,256,64,{{[0-9]+}}
// PROBLEM-NEXT: g/2/%a,17,20,256,64,0
// PROBLEM-NEXT: g/2/%b,21,24,256,64,0
// PROBLEM-NOT:  {{.}}

// NO-GAIN-NOT: memref.view

// CHECK-LABEL: func.func @f(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<384xi8>
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   %[[C256:.*]] = arith.constant 256 : index
//       CHECK:   memref.view %{{.*}}[%[[C0]]][]
//       CHECK:   memref.view %{{.*}}[%[[C256]]][]
//       CHECK:   memref.view %{{.*}}[%[[C0]]][]
func.func @f(%x: f32, %y: memref<f32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.broadcast ins(%y : memref<f32>) outs(%a : memref<64xf32>) dimensions = [0]
  %b = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<32xf32>)
  memref.copy %a, %out : memref<64xf32> to memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.broadcast ins(%y : memref<f32>) outs(%c : memref<64xf32>) dimensions = [0]
  linalg.copy ins(%b : memref<32xf32>) outs(%b : memref<32xf32>)
  memref.copy %c, %out : memref<64xf32> to memref<64xf32>
  return
}

// CHECK-LABEL: func.func @g(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<256xi8>
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   memref.view %{{.*}}[%[[C0]]][]
//       CHECK:   memref.view %{{.*}}[%[[C0]]][]
func.func @g(%x: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  return
}

// Nothing to share with: not in the table.
// CHECK-LABEL: func.func @alone(
//       CHECK:   memref.alloc() : memref<64xf32>
func.func @alone(%x: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  return
}
