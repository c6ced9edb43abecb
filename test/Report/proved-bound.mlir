// Where alignment asks for more than the bytes alive at one tick, every report
// says how much is needed, so that a pool of that size is known to be optimal.

// RUN: buffer-merge-opt %s --buffer-merge='report=%t.txt limit-peak=deallocated' -o /dev/null
// RUN: FileCheck %s < %t.txt
//      CHECK: before 320 bytes, pool 136 bytes, ratio 0.425
// CHECK-NEXT: lower bound 108 bytes at tick [[#]], pool / lower bound 1.259
// CHECK-NEXT: proved bound 136 bytes, pool / proved bound 1.000
// CHECK-NEXT: deallocated 192 bytes, pool / that 0.708
// CHECK-EMPTY:

// RUN: buffer-merge-opt %s --buffer-merge='report=%t.json limit-peak=deallocated' -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
//      JSON: "lowerBound": 108,
// JSON-NEXT: "peakTick": [[#]],
// JSON-NEXT: "provedBound": 136,
// JSON-NEXT: "poolSize": 136,

// A file of a tool that does not know it is read all the same.
// RUN: grep -v provedBound %t.json > %t.without.json
// RUN: buffer-merge-report %t.without.json | FileCheck %s --check-prefix=WITHOUT --implicit-check-not='proved bound'
// WITHOUT: lower bound 108 bytes
// RUN: sed 's/"provedBound": 136/"provedBound": -1/' %t.json > %t.negative.json
// RUN: not buffer-merge-report %t.negative.json 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: number out of range

// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: LowerBound=108, PoolBytes=136, ProvedBound=136, SavedBytes=184

// RUN: not buffer-merge-opt %s --buffer-merge='capacity=default:120 limit-peak=deallocated' 2>&1 | FileCheck %s --check-prefix=CAPACITY
// CAPACITY: needs 136 bytes, its capacity is 120 (the lower bound is 108, the proved bound 136: no scheduler can help)

// %a is alive with %b and then with %c. Above %b, or below it, bytes are lost up to
// the next multiple of 64; the least if %a is the topmost.
func.func @f(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() {alignment = 64 : i64} : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<25xf32>
  memref.store %x, %b[%i] : memref<25xf32>
  %y = memref.load %b[%i] : memref<25xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<25xf32>
  memref.store %y, %c[%i] : memref<25xf32>
  %z = memref.load %c[%i] : memref<25xf32>
  %w = memref.load %a[%i] : memref<2xf32>
  %r = arith.addf %z, %w : f32
  return %r : f32
}
