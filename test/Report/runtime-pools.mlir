// RUN: buffer-merge-opt %s --buffer-lifetimes="dynamic=runtime report=%t.json,%t.txt,%t.md" -o /dev/null 2> %t.remarks
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: FileCheck %s --check-prefix=TEXT < %t.txt
// RUN: FileCheck %s --check-prefix=MD < %t.md
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=runtime --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: buffer-merge-report %t.json -o %t.again.txt
// RUN: diff %t.txt %t.again.txt
// RUN: buffer-merge-opt %S/Inputs/runtime-chain.mlir --buffer-lifetimes=report=%t.chain.json -o /dev/null 2>/dev/null
// RUN: buffer-merge-report %t.chain.json | FileCheck %s --check-prefix=CHAIN
// RUN: FileCheck %s --check-prefix=HOLDS < %t.chain.json

// JSON: "totals"
// JSON: "merged": 3
// JSON: "runtimePools"
// JSON:   "function": "f"
// JSON:   "bytes": "max(roundup(4 * dim(arg0, 0)) + 256, roundup(4 * dim(arg0, 0)) + 64 * arg1)"
// JSON:   "aliveBytes": "max(roundup(4 * dim(arg0, 0)) + 256, roundup(4 * dim(arg0, 0)) + 64 * arg1)"
// JSON:   "buffers"
// JSON:     "type": "memref<?xf32>"
// TEXT: 3 allocations of 256 bytes merged into 0 bytes and what is known at run time
// TEXT: at the peak 256 bytes as given, 256 as planned (0.0 %), with 0 for sizes of run time
// TEXT: pool of run-time size in @f: 3 buffers, alignment 64
// TEXT-NEXT: bytes: max(roundup(4 * dim(arg0, 0)) + 256, roundup(4 * dim(arg0, 0)) + 64 * arg1)
// TEXT-NEXT: alive: max(
// TEXT:      %a {{.*}}?xf32
// TEXT-NEXT: %s {{.*}}64xf32
// TEXT-NEXT: %b {{.*}}?x16xf32
// What the program holds at its peak has the pool with the fewest bytes that it may take.
// CHAIN: at the peak 768 bytes as given, 256 as planned (-66.7 %), with 0 for sizes of run time
// CHAIN: bytes: max(256, roundup(4 * arg1))
// HOLDS:      "holds"
// HOLDS-NEXT:   {
// HOLDS-NEXT:     "what": "pool",
// HOLDS:          "bytes": 256
// MD: | function | bytes | alive | buffers |
// MD: `max(roundup(4 * dim(arg0, 0)) + 256, {{.*}} | 3 |
// REMARK: lifetime [3, 31), in a pool of run-time size
// REMARK: pool of run-time size: 3 buffers, max(roundup(4 * dim(arg0, 0)) + 256, {{.*}} bytes alive, pool of max(
// PASSED: [Passed] RuntimePool {{.*}} Alive="max({{.*}}Buffers=3, Bytes="max(
func.func @f(%x: memref<?xf32>, %n: index, %y: memref<64xf32>, %z: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%d) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %s = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%s : memref<64xf32>)
  linalg.exp ins(%s : memref<64xf32>) outs(%y : memref<64xf32>)
  memref.dealloc %s : memref<64xf32>
  %b = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%z : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  linalg.exp ins(%b : memref<?x16xf32>) outs(%z : memref<?x16xf32>)
  memref.dealloc %b : memref<?x16xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  return
}
