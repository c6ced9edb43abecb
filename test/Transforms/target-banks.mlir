// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/add.mlir --buffer-merge="in-place=false target=%t/banks.json" | FileCheck %t/add.mlir
// RUN: buffer-merge-opt %t/add.mlir --buffer-merge="in-place=false target=%t/none.json" | FileCheck %t/add.mlir --check-prefix=NONE
// RUN: buffer-merge-opt %t/add.mlir --buffer-lifetimes="in-place=false target=%t/banks.json" -o /dev/null 2>&1 | FileCheck %t/add.mlir --check-prefix=SHOW
// RUN: buffer-merge-opt %t/add.mlir --buffer-merge='in-place=false target=%t/banks.json report=-' -o /dev/null 2>&1 | FileCheck %t/add.mlir --check-prefix=TEXT
// RUN: buffer-merge-opt %t/add.mlir --buffer-merge='in-place=false target=%t/banks.json report=%t/add.json' -o /dev/null
// RUN: FileCheck %t/add.mlir --check-prefix=JSON < %t/add.json
// RUN: buffer-merge-report %t/add.json | FileCheck %t/add.mlir --check-prefix=TEXT
// RUN: buffer-merge-opt %t/add.mlir --buffer-merge="in-place=false target=%t/banks.json" --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %t/add.mlir --check-prefix=REMARK
// RUN: buffer-merge-opt %t/add.mlir --buffer-merge="in-place=false target=%t/interleaved.json" | FileCheck %t/add.mlir --check-prefix=INTERLEAVED
// RUN: buffer-merge-opt %t/wait.mlir --buffer-lifetimes='in-place=false target=%t/banks.json reuse=as-needed' -o /dev/null 2>&1 | FileCheck %t/wait.mlir
// RUN: buffer-merge-opt %t/wait.mlir --buffer-merge='in-place=false target=%t/banks.json reuse=as-needed' | FileCheck %t/wait.mlir --check-prefix=IR
// RUN: not buffer-merge-opt %t/add.mlir --buffer-merge="in-place=false target="'{"regions": [{"name": "a", "bytes": 64, "space": "workgroup", "banks": {"count": 4, "interleave": 4}}]}' 2>&1 | FileCheck %t/add.mlir --check-prefix=WORKGROUP

//--- banks.json
{"regions": [{"name": "sram", "bytes": 1024, "alignment": 64, "banks": {"count": 4, "bytes": 256}}]}
//--- none.json
{"regions": [{"name": "sram", "bytes": 1024, "address": 0, "alignment": 64}]}
//--- interleaved.json
{"regions": [{"name": "sram", "bytes": 1024, "alignment": 16, "banks": {"count": 4, "interleave": 16}}]}

//--- add.mlir
// The operands of the addition are in different banks. The pool has room for that: another
// operation has more buffers.

//       CHECK: memref.alloc() {{.*}} : memref<768xi8>
//       CHECK: %[[A:.*]] = arith.constant 256 : index
//       CHECK: %[[B:.*]] = arith.constant 512 : index
//       CHECK: %[[C:.*]] = arith.constant 128 : index
//       CHECK: memref.view %{{.*}}[%[[A]]][]
//       CHECK: memref.view %{{.*}}[%[[B]]][]
//       CHECK: memref.view %{{.*}}[%[[C]]][]
//        NONE: %[[A:.*]] = arith.constant 0 : index
//        NONE: %[[B:.*]] = arith.constant 64 : index
//        NONE: %[[C:.*]] = arith.constant 128 : index
//        NONE: memref.view %{{.*}}[%[[A]]][]
//        NONE: memref.view %{{.*}}[%[[B]]][]
//        NONE: memref.view %{{.*}}[%[[C]]][]
//        SHOW: pairs in the same bank: 0 of 3 instead of 3
//        TEXT: {{^}}  pairs in the same bank: 0 of 3, 3 before they were spread{{$}}
//        JSON: "banks": {
//   JSON-NEXT: "pairs": 3,
//   JSON-NEXT: "same": 0,
//   JSON-NEXT: "sameBefore": 3
//      REMARK: BankPairs=3, {{.*}}SameBankPairs=0, SameBankPairsBefore=3
// INTERLEAVED: memref.alloc() {{.*}} : memref<768xi8>
// INTERLEAVED: %[[A:.*]] = arith.constant 208 : index
// INTERLEAVED: %[[B:.*]] = arith.constant 32 : index
// INTERLEAVED: %[[C:.*]] = arith.constant 128 : index
// INTERLEAVED: memref.view %{{.*}}[%[[A]]][]
// INTERLEAVED: memref.view %{{.*}}[%[[B]]][]
// INTERLEAVED: memref.view %{{.*}}[%[[C]]][]
//   WORKGROUP: error: region 'a': memory space 'workgroup' belongs to each kernel or thread, so it has one region with 'bytes' and 'alignment' only
func.func private @use(memref<192xf32>)
func.func @add(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  linalg.add ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%c : memref<16xf32>)
  memref.dealloc %c : memref<16xf32>
  %d = memref.alloc() : memref<192xf32>
  call @use(%d) : (memref<192xf32>) -> ()
  return
}

//--- wait.mlir
// The bytes of %d are its own, so %a and %b are on both sides of it.

// CHECK: pairs that wait for their bytes: 0 instead of 2, pairs in the same bank: 0 of 1 instead of 1
//    IR: %[[A:.*]] = arith.constant 0 : index
//    IR: %[[B:.*]] = arith.constant 832 : index
//    IR: %[[C:.*]] = arith.constant 64 : index
//    IR: memref.view %{{.*}}[%[[A]]][]
//    IR: memref.view %{{.*}}[%[[B]]][]
//    IR: memref.view %{{.*}}[%[[C]]][]
func.func private @use(memref<192xf32>)
func.func @wait(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.copy ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  %d = memref.alloc() : memref<192xf32>
  call @use(%d) : (memref<192xf32>) -> ()
  return
}
