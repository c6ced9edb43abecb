// RUN: buffer-merge-opt %s --buffer-merge='report=%t.json scheduler=first-fit limit-peak=deallocated erase-copies=false' -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: buffer-merge-opt %s --buffer-merge='report=%t.csv scheduler=first-fit limit-peak=deallocated erase-copies=false' -o /dev/null
// RUN: FileCheck %s --check-prefix=CSV --match-full-lines < %t.csv
// RUN: buffer-merge-opt %s --buffer-merge='report=%t.txt scheduler=first-fit limit-peak=deallocated erase-copies=false' -o /dev/null
// RUN: FileCheck %s --check-prefix=TXT < %t.txt
// RUN: buffer-merge-opt %s --buffer-merge='report=%t.md scheduler=first-fit limit-peak=deallocated erase-copies=false' -o /dev/null
// RUN: FileCheck %s --check-prefix=MD --match-full-lines < %t.md
// RUN: buffer-merge-report %t.json -o %t.again.md && diff %t.md %t.again.md

// MD:      `buffer-merge of outer: 4 allocations merged into 2 pools, 3 left alone; {{.*}}`
// MD-EMPTY:
// MD-NEXT: | function | peak deallocated | as planned |
// MD-NEXT: | --- | ---: | ---: |
// MD-NEXT: | `@inner::a "b` | {{[0-9]+}} | {{[0-9]+}} |
// MD:      | pool of | storage | buffers | their bytes | most alive | pool |
// MD-NEXT: | --- | --- | ---: | ---: | ---: | ---: |
// MD-NEXT: | `@inner::a "b` | `alloc` | 2 | 512 | 256 | 256 |
// MD-NEXT: | `@inner::a "b, 1` | `alloc` | 2 | 512 | 256 | 256 |
// MD:      | left alone | what helps | allocations | bytes |

// Pools of two memory spaces; a name with everything in it, twice, and one that is
// no UTF-8; a pool that would save nothing, which is in JSON with the reason, and
// in CSV with ticks behind those of the pools before it; an allocation without a
// partner.

//      CHECK: {
// CHECK-NEXT:   "version": 1,
// CHECK-NEXT:   "module": "outer",
// CHECK-NEXT:   "scheduler": "first-fit",
// CHECK-NEXT:   "baseline": "deallocated",
// CHECK-NEXT:   "totals": {
// CHECK-NEXT:     "merged": 4,
// CHECK-NEXT:     "mergedBytes": 1024,
// CHECK-NEXT:     "poolBytes": 512,
// CHECK-NEXT:     "left": 3,
// CHECK-NEXT:     "leftBytes": 768
// CHECK-NEXT:   },
// CHECK-NEXT:   "program": {
// CHECK-NEXT:     "allocatedBytes": 1792,
// CHECK-NEXT:     "baselineBytes": [[#]],
// CHECK-NEXT:     "peakBytes": [[#]],
// CHECK-NEXT:     "workingSetBytes": 256,
// CHECK-NEXT:     "workingSet": "linalg.fill at {{.*}}",
// CHECK-NEXT:     "largestFunction": "inner::a \"b",
// CHECK-NEXT:     "holds": [
// CHECK-NEXT:       {
// CHECK-NEXT:         "what": "{{pool|stays}}",
//      CHECK:   "pools": [
// CHECK-NEXT:     {
// CHECK-NEXT:       "function": "inner::a \"b",
// CHECK-NEXT:       "scope": "func.func",
// CHECK-NEXT:       "location": "{{.*}}formats.mlir:[[#]]:5",
// CHECK-NEXT:       "totalBytes": 512,
// CHECK-NEXT:       "lowerBound": 256,
// CHECK-NEXT:       "peakTick": 1,
// CHECK-NEXT:       "provedBound": 256,
// CHECK-NEXT:       "poolSize": 256,
// CHECK-NEXT:       "poolAlignment": 64,
// CHECK-NEXT:       "baselineBytes": 256,
// CHECK-NEXT:       "buffers": [
// CHECK-NEXT:         {
// CHECK-NEXT:           "name": "a,\"b\"\n<c>",
// CHECK-NEXT:           "type": "memref<64xf32>",
// CHECK-NEXT:           "size": 256,
// CHECK-NEXT:           "alignment": 64,
// CHECK-NEXT:           "begin": 1,
// CHECK-NEXT:           "end": 4,
// CHECK-NEXT:           "offset": 0,
// CHECK-NEXT:           "sharers": 1,
// CHECK-NEXT:           "firstAccess": "linalg.fill at {{.*}}formats.mlir:[[#]]:7",
// CHECK-NEXT:           "lastAccess": "linalg.fill at {{.*}}formats.mlir:[[#]]:7"
// CHECK-NEXT:         },
//      CHECK:       "memorySpace": "1",
//  CHECK-NOT:       "reason"
//      CHECK:           "name": "{{[^a-z%]+}}",
//      CHECK:       "function": "inner::all_at_once",
//      CHECK:       "reason": "no-gain",
//      CHECK:       "poolSize": 512,
//      CHECK:   "left": [
// CHECK-NEXT:     {
// CHECK-NEXT:       "reason": "no-partner",
// CHECK-NEXT:       "description": "there is no other buffer to share a pool with",
// CHECK-NEXT:       "buffers": [
// CHECK-NEXT:         {
// CHECK-NEXT:           "name": "%alone",
// CHECK-NEXT:           "type": "memref<64xf32>",
// CHECK-NEXT:           "location": "{{.*}}formats.mlir:[[#]]:18",
// CHECK-NEXT:           "function": "inner::all_at_once",
// CHECK-NEXT:           "size": 256
//      CHECK:       "reason": "no-gain",

//      CSV: id,lower,upper,size,alignment,offset
// CSV-NEXT: inner::a__b/1/a__b__<c>,1,4,256,64,0
// CSV-NEXT: inner::a__b/1/a__b__<c>#2,5,8,256,64,0
// CSV-NEXT: inner::a__b/2/%c,9,12,256,64,0
// CSV-NEXT: inner::a__b/2/______,13,16,256,64,0
// CSV-NEXT: inner::all_at_once/3/%a,16,23,256,64,0
// CSV-NEXT: inner::all_at_once/3/%b,19,22,256,64,256
//  CSV-NOT: {{.}}

// TXT: pool 2 of 3: @inner::a "b (func.func at {{.*}}), memory space 1
// TXT: pool 3 of 3: @inner::all_at_once
// TXT-NEXT: no pool: no-gain

module @outer {
  module @inner {
    func.func @"a \22b"(%x: f32, %out: memref<64xf32>) {
      %a = memref.alloc() : memref<64xf32> loc("a,\22b\22\0A<c>")
      linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
      %b = memref.alloc() : memref<64xf32> loc("a,\22b\22\0A<c>")
      linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
      %c = memref.alloc() : memref<64xf32, 1>
      linalg.fill ins(%x : f32) outs(%c : memref<64xf32, 1>)
      %d = memref.alloc() : memref<64xf32, 1> loc("\FF\C3")
      linalg.fill ins(%x : f32) outs(%d : memref<64xf32, 1>)
      return
    }
    func.func @all_at_once(%x: f32, %out: memref<64xf32>) {
      %a = memref.alloc() : memref<64xf32>
      %b = memref.alloc() : memref<64xf32>
      linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
      linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
      memref.copy %a, %out : memref<64xf32> to memref<64xf32>
      scf.forall (%i) in (4) {
        %alone = memref.alloc() : memref<64xf32>
        linalg.fill ins(%x : f32) outs(%alone : memref<64xf32>)
      }
      return
    }
  }
}
