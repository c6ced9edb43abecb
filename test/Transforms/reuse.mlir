// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/places.mlir --buffer-merge='in-place=false capacity=mat:64KiB reuse=as-needed' | FileCheck %t/places.mlir
// RUN: buffer-merge-opt %t/places.mlir --buffer-merge='in-place=false capacity=mat:65535 reuse=as-needed' | FileCheck %t/places.mlir --check-prefix=ONE
// RUN: buffer-merge-opt %t/places.mlir --buffer-merge='in-place=false capacity=mat:64KiB' | FileCheck %t/places.mlir --check-prefix=ONE
// RUN: buffer-merge-opt %t/places.mlir --buffer-merge='in-place=false capacity=left:64KiB reuse=as-needed' 2>/dev/null | FileCheck %t/places.mlir --check-prefix=ONE
// RUN: not buffer-merge-opt %t/places.mlir --buffer-merge="in-place=false reuse=as-needed" 2>&1 | FileCheck %t/places.mlir --check-prefix=NO-LIMIT
// RUN: buffer-merge-opt %t/depends.mlir --buffer-merge='in-place=false capacity=default:1MiB reuse=as-needed' | FileCheck %t/depends.mlir
// RUN: buffer-merge-opt %t/idle.mlir --buffer-merge='in-place=false capacity=default:12KiB reuse=as-needed' | FileCheck %t/idle.mlir
// RUN: buffer-merge-opt %t/idle.mlir --buffer-lifetimes='in-place=false capacity=default:12KiB reuse=as-needed' -o /dev/null 2>&1 | FileCheck %t/idle.mlir --check-prefix=SHOW
// RUN: buffer-merge-opt %t/idle.mlir --buffer-merge='in-place=false capacity=default:12KiB reuse=as-needed report=-' -o /dev/null 2>&1 | FileCheck %t/idle.mlir --check-prefix=TEXT
// RUN: buffer-merge-opt %t/idle.mlir --buffer-merge='in-place=false capacity=default:12KiB reuse=as-needed report=%t/idle.json' -o /dev/null
// RUN: FileCheck %t/idle.mlir --check-prefix=JSON < %t/idle.json
// RUN: buffer-merge-report %t/idle.json | FileCheck %t/idle.mlir --check-prefix=TEXT
// RUN: buffer-merge-report %t/idle.json -o %t/again.json
// RUN: diff %t/idle.json %t/again.json
// RUN: buffer-merge-report %t/idle.json -o %t/idle.csv
// RUN: FileCheck %t/idle.mlir --check-prefix=CSV < %t/idle.csv
// RUN: buffer-merge-schedule %t/idle.csv --ignore-offsets --reuse=as-needed --capacity=12288 --json | FileCheck %t/idle.mlir --check-prefix=SCHEDULED
// RUN: buffer-merge-opt %t/idle.mlir --buffer-merge='in-place=false capacity=default:12KiB reuse=as-needed' --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %t/idle.mlir --check-prefix=REMARK
// RUN: buffer-merge-opt %t/callee.mlir --buffer-merge='in-place=false capacity=default:16KiB reuse=as-needed limit-peak=none' | FileCheck %t/callee.mlir
// RUN: buffer-merge-opt %t/callee.mlir --buffer-merge='in-place=false capacity=default:15KiB reuse=as-needed limit-peak=none' | FileCheck %t/callee.mlir --check-prefix=LESS
// RUN: buffer-merge-opt %t/callee.mlir --buffer-lifetimes='in-place=false capacity=default:15KiB reuse=as-needed limit-peak=none' -o /dev/null 2>&1 | FileCheck %t/callee.mlir --check-prefix=NOTE
// RUN: buffer-merge-opt %t/region.mlir --buffer-merge='in-place=false target=%t/region.json reuse=as-needed' | FileCheck %t/region.mlir
// RUN: buffer-merge-opt %t/stack.mlir --buffer-merge='in-place=false capacity=default:1MiB reuse=as-needed pool=stack' | FileCheck %t/stack.mlir

//--- places.mlir
// The second load need not wait for the first product.

//    CHECK: memref.alloc() {{.*}} : memref<65536xi8, "mat">
//    CHECK: arith.constant 32768
//      ONE: memref.alloc() {{.*}} : memref<32768xi8, "mat">
// NO-LIMIT: error: reuse=as-needed needs a capacity or a target: without a limit, no two buffers would share a byte, as with scheduler=bump
// NO-LIMIT-NOT: error:
func.func private @load(memref<32768xi8, "mat">)
func.func private @product(memref<32768xi8, "mat">)
func.func @places() {
  %a = memref.alloc() : memref<32768xi8, "mat">
  call @load(%a) : (memref<32768xi8, "mat">) -> ()
  call @product(%a) : (memref<32768xi8, "mat">) -> ()
  %b = memref.alloc() : memref<32768xi8, "mat">
  call @load(%b) : (memref<32768xi8, "mat">) -> ()
  call @product(%b) : (memref<32768xi8, "mat">) -> ()
  return
}

//--- depends.mlir
// The third operation waits for the second one, which reads %a, anyway. The last one
// does not wait for the one before it.

//      CHECK: memref.alloc() {{.*}} : memref<12288xi8>

func.func @depends(%in: memref<1024xf32>, %out: memref<1024xf32>, %last: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%in : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
  linalg.exp ins(%c : memref<1024xf32>) outs(%out : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%in : memref<1024xf32>) outs(%d : memref<1024xf32>)
  linalg.exp ins(%d : memref<1024xf32>) outs(%last : memref<1024xf32>)
  return
}

//--- idle.mlir
// Four buffers in three places: the last one has those bytes that were idle for the
// longest time.

//      CHECK: memref.alloc() {{.*}} : memref<12288xi8>
//      CHECK: memref.view %{{.*}}[%[[OFFSET:.*]]][]
//  CHECK-NOT: memref.view %{{.*}}[%[[OFFSET]]][]
//      CHECK: memref.view
//  CHECK-NOT: memref.view %{{.*}}[%[[OFFSET]]][]
//      CHECK: memref.view
//      CHECK: memref.view %{{.*}}[%[[OFFSET]]][]
//       SHOW: pool: 4 buffers of 16384 bytes, 4096 alive at tick 1, pool of 12288 bytes, pairs that wait for their bytes: 1 instead of 6
//       TEXT: {{^}}  pairs that wait for their bytes: 1, penalty 166; in the smallest pool 6, penalty 2166{{$}}
//       JSON: "reuse": {
//  JSON-NEXT: "pairs": 1,
//  JSON-NEXT: "penalty": 166,
//  JSON-NEXT: "pairsOfSmallest": 6,
//  JSON-NEXT: "penaltyOfSmallest": 2166,
//  JSON-NEXT: "penalties": [
//  JSON-NEXT: {
//  JSON-NEXT: "first": 0,
//  JSON-NEXT: "second": 1,
//  JSON-NEXT: "penalty": 500
//        CSV: id,lower,upper,size,alignment,penalties,offset
//   CSV-NEXT: idle/1/%a,1,2,4096,64,idle/1/%b=500 idle/1/%c=250 idle/1/%d=166,
//   CSV-NEXT: idle/1/%b,3,4,4096,64,idle/1/%c=500 idle/1/%d=250,
//   CSV-NEXT: idle/1/%c,5,6,4096,64,idle/1/%d=500,
//   CSV-NEXT: idle/1/%d,7,8,4096,64,,
//  SCHEDULED: "penalty": 166,
//     REMARK: ReusePenalty=166, ReusePenaltyOfSmallest=2166, {{.*}}WaitingPairs=1, WaitingPairsOfSmallest=6
func.func private @use(memref<1024xf32>)
func.func @idle() {
  %a = memref.alloc() : memref<1024xf32>
  call @use(%a) : (memref<1024xf32>) -> ()
  %b = memref.alloc() : memref<1024xf32>
  call @use(%b) : (memref<1024xf32>) -> ()
  %c = memref.alloc() : memref<1024xf32>
  call @use(%c) : (memref<1024xf32>) -> ()
  %d = memref.alloc() : memref<1024xf32>
  call @use(%d) : (memref<1024xf32>) -> ()
  return
}

//--- callee.mlir
// The pool of the caller and that of the callee are held at the same time (R6): what one
// takes more is not left for the other.

// CHECK-COUNT-2: memref.alloc() {{.*}} : memref<8192xi8>
//          LESS: memref.alloc() {{.*}} : memref<8192xi8>
//          LESS: memref.alloc() {{.*}} : memref<4096xi8>
//          NOTE: pool of 8192 bytes, pairs that wait for their bytes: 0 instead of 1{{$}}
//          NOTE: pool: 2 buffers {{.*}}, pool of 4096 bytes, pairs that wait for their bytes: 1 instead of 1 (reuse=as-needed has no effect, because of what is held at the same time)
func.func private @use(memref<1024xf32>)
func.func @callee() {
  %a = memref.alloc() : memref<1024xf32>
  call @use(%a) : (memref<1024xf32>) -> ()
  %b = memref.alloc() : memref<1024xf32>
  call @use(%b) : (memref<1024xf32>) -> ()
  return
}
func.func @caller() {
  %a = memref.alloc() : memref<1024xf32>
  call @use(%a) : (memref<1024xf32>) -> ()
  call @callee() : () -> ()
  %b = memref.alloc() : memref<1024xf32>
  call @use(%b) : (memref<1024xf32>) -> ()
  return
}

//--- region.json
{"regions": [{"name": "sram", "bytes": 16384, "address": 0}]}
//--- region.mlir
// The pool of the callee begins where that of the caller ends. It has what is left of
// the region, and the other function all of it.

// CHECK-LABEL: @callee
//       CHECK: buffer_merge.region = {address = 0 : i64, name = "sram", offset = 0 : i64}} : memref<4096xi8>
// CHECK-LABEL: @caller
//       CHECK: buffer_merge.region = {address = 4096 : i64, name = "sram", offset = 4096 : i64}} : memref<12288xi8>
func.func private @use(memref<1024xf32>)
func.func private @callee() {
  %a = memref.alloc() : memref<1024xf32>
  call @use(%a) : (memref<1024xf32>) -> ()
  %b = memref.alloc() : memref<1024xf32>
  call @use(%b) : (memref<1024xf32>) -> ()
  return
}
func.func @caller() {
  %a = memref.alloc() : memref<1024xf32>
  call @use(%a) : (memref<1024xf32>) -> ()
  call @callee() : () -> ()
  %b = memref.alloc() : memref<1024xf32>
  call @use(%b) : (memref<1024xf32>) -> ()
  %c = memref.alloc() : memref<1024xf32>
  call @use(%c) : (memref<1024xf32>) -> ()
  return
}

//--- stack.mlir
// No more than 16 KiB on the stack.

// CHECK: memref.alloca() {{.*}} : memref<16384xi8>
func.func private @use(memref<2048xf32>)
func.func @stack() {
  %a = memref.alloc() : memref<2048xf32>
  call @use(%a) : (memref<2048xf32>) -> ()
  %b = memref.alloc() : memref<2048xf32>
  call @use(%b) : (memref<2048xf32>) -> ()
  %c = memref.alloc() : memref<2048xf32>
  call @use(%c) : (memref<2048xf32>) -> ()
  return
}
