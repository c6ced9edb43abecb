// RUN: rm -rf %t && mkdir %t
// RUN: buffer-merge-opt %s --buffer-merge=report=%t/plan.json -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t/plan.json
// RUN: buffer-merge-opt %s --buffer-merge=report=- -o /dev/null 2>%t/plan.txt
// RUN: FileCheck %s --check-prefix=TEXT --match-full-lines < %t/plan.txt
// RUN: buffer-merge-report %t/plan.json | diff %t/plan.txt -
// RUN: buffer-merge-opt %s --buffer-merge='barriers=insert report=-' -o /dev/null 2>&1 | FileCheck %s --check-prefix=INSERT
// RUN: buffer-merge-opt %s --buffer-lifetimes=report=- -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT --match-full-lines

// Reports say of each kernel which barriers there are and which pairs of buffers its
// threads keep apart: by which rule, and between which accesses.

//      JSON: "function": "kernels::kernel"
//      JSON: "storage": "attribution"
//      JSON: "sync": {
// JSON-NEXT:   "barriers": [
// JSON-NEXT:     "gpu.barrier at {{.*}}report.mlir:[[#BARRIER:]]:5"
// JSON-NEXT:   ],
// JSON-NEXT:   "insertedBarriers": [],
// JSON-NEXT:   "barrierTicks": [
// JSON-NEXT:     5
// JSON-NEXT:   ],
// JSON-NEXT:   "numConflicts": 1,
// JSON-NEXT:   "conflicts": [
// JSON-NEXT:     {
// JSON-NEXT:       "first": 0,
// JSON-NEXT:       "second": 1,
// JSON-NEXT:       "rule": "no-barrier",
// JSON-NEXT:       "description": "there is a path without a barrier",
// JSON-NEXT:       "from": "memref.store at {{.*}}report.mlir:[[#BARRIER-2]]:5",
// JSON-NEXT:       "to": "memref.store at {{.*}}report.mlir:[[#BARRIER-1]]:5"
// JSON-NEXT:     }
// JSON-NEXT:   ]
// JSON-NEXT: }
//  JSON-NOT: "sync"
//      JSON: "function": "host"
//  JSON-NOT: "sync"

//      TEXT: pool 1 of 2: @kernels::kernel (gpu.func at {{.*}}), memory space #gpu.address_space<workgroup>, workgroup-pool=attribution
//      TEXT:   1 barrier, 0 inserted, 1 pair kept apart
// TEXT-NEXT:     gpu.barrier at {{.*}}report.mlir:[[#BARRIER:]]:5
// TEXT-NEXT:      buffer     buffer  rule        between and
// TEXT-NEXT:   A  %a      B  %b      no-barrier  memref.store at :[[#BARRIER-2]]:5  memref.store at :[[#BARRIER-1]]:5
//      TEXT: pool 2 of 2: @host {{.*}}
//  TEXT-NOT: {{.*}}kept apart

//      INSERT:   1 barrier, 1 inserted, 0 pairs kept apart
// INSERT-NEXT:     gpu.barrier at {{.*}}report.mlir:[[#BARRIER:]]:5
// INSERT-NEXT:     inserted before memref.store at {{.*}}report.mlir:[[#BARRIER-1]]:5
// INSERT-EMPTY:

!wg = memref<64xf32, #gpu.address_space<workgroup>>

// The barrier separates the third buffer from the others.
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.barrier
    memref.store %x, %c[%i] : !wg
    gpu.return
  }
}

func.func @host(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
