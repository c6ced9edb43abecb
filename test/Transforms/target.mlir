// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/left.mlir --buffer-merge=target=%t/left.json | FileCheck %t/left.mlir
// RUN: buffer-merge-opt %t/left.mlir --buffer-lifetimes=target=%t/left.json -o /dev/null 2>&1 | FileCheck %t/left.mlir --check-prefix=SHOW
// RUN: buffer-merge-opt %t/left.mlir --buffer-lifetimes='target=%t/left.json report=-' -o /dev/null 2>&1 | FileCheck %t/left.mlir --check-prefix=TEXT
// RUN: buffer-merge-opt %t/left.mlir --buffer-lifetimes='target=%t/left.json report=%t/left.report.json' -o /dev/null 2>&1
// RUN: FileCheck %t/left.mlir --check-prefix=JSON < %t/left.report.json
// RUN: buffer-merge-opt %t/left.mlir --buffer-merge=target=ascend-910b | FileCheck %t/left.mlir --check-prefix=PRESET
// RUN: buffer-merge-opt %t/left.mlir --buffer-merge=target='{"regions": [{"name": "left", "space": "left", "bytes": 65536, "address": 0}]}' | FileCheck %t/left.mlir --check-prefix=PRESET
// RUN: buffer-merge-opt %t/left.mlir --buffer-merge=target=%t/left.json | buffer-merge-opt --buffer-merge=target=%t/left.json | FileCheck %t/left.mlir

// RUN: buffer-merge-opt %t/two.mlir --buffer-merge=target=%t/two.json | FileCheck %t/two.mlir
// RUN: buffer-merge-opt %t/two.mlir --buffer-lifetimes=target=%t/two.json -o /dev/null 2>&1 | FileCheck %t/two.mlir --check-prefix=SHOW

// RUN: buffer-merge-opt %t/functions.mlir --buffer-lifetimes=target=%t/functions.json -o /dev/null 2>&1 | FileCheck %t/functions.mlir
// RUN: sed 's/^{/{"globals": {"entries": "exclusive"},/' %t/functions.json > %t/exclusive.json
// RUN: buffer-merge-opt %t/functions.mlir --buffer-lifetimes=target=%t/exclusive.json -o /dev/null 2>&1 | FileCheck %t/functions.mlir --check-prefix=EXCLUSIVE
// RUN: buffer-merge-opt %t/functions.mlir --buffer-merge=target=%t/functions.json -o %t/functions.merged.mlir
// RUN: cat %t/functions.merged.mlir %t/more.mlir | buffer-merge-opt --buffer-lifetimes=target=%t/functions.json -o /dev/null 2>&1 | FileCheck %t/more.mlir

// RUN: buffer-merge-opt %t/global.mlir --buffer-merge='target=%t/global.json report=%t/global.ld' | FileCheck %t/global.mlir
// RUN: FileCheck %t/global.mlir --check-prefix=SCRIPT < %t/global.ld

// RUN: buffer-merge-opt %t/plain.mlir --buffer-lifetimes=target=%t/plain.json -o /dev/null 2>&1 | FileCheck %t/plain.mlir
// RUN: buffer-merge-opt %t/plain.mlir --buffer-merge=target=%t/plain.json | FileCheck %t/plain.mlir --check-prefix=IR

//--- left.json
{"regions": [{"name": "left", "space": "left", "bytes": "64KiB", "address": "0x1000", "alignment": 512}]}
//--- left.mlir
// One region: two buffers beside each other where another one was, all with addresses.

//     CHECK: %[[POOL:.*]] = memref.alloc() {alignment = 512 : i64, buffer_merge.region = {address = 4096 : i64, name = "left", offset = 0 : i64}} : memref<65536xi8, "left">
// CHECK-NOT: memref.alloc
//    PRESET: buffer_merge.region = {address = 0 : i64, name = "left", offset = 0 : i64}
// SHOW-COUNT-2: region left, address 0x1000{{$}}
//      SHOW: region left, address 0x9000{{$}}
//      SHOW: pool in memory space "left" in region left: 3 buffers of 131072 bytes, 65536 alive at tick 1, pool of 65536 bytes at address 0x1000, accesses move 131072 bytes
//      TEXT: region left: offsets 0 to 65536, capacity 65536 bytes, address 0x1000, accesses move 131072 bytes
//      TEXT: %q 32768 (0x9000) 32768
//      JSON: "regions": [
//      JSON: "name": "left",
// JSON-NEXT: "begin": 0,
// JSON-NEXT: "end": 65536,
// JSON-NEXT: "capacity": 65536,
// JSON-NEXT: "address": 4096,
// JSON-NEXT: "movedBytes": 131072
//      JSON: "offset": 32768,
// JSON-NEXT: "address": 36864,
func.func private @mm(memref<65536xi8, "left">)
func.func private @mm2(memref<32768xi8, "left">, memref<32768xi8, "left">)
func.func @chain() {
  %a = memref.alloc() : memref<65536xi8, "left">
  call @mm(%a) : (memref<65536xi8, "left">) -> ()
  %p = memref.alloc() : memref<32768xi8, "left">
  %q = memref.alloc() : memref<32768xi8, "left">
  call @mm2(%p, %q) : (memref<32768xi8, "left">, memref<32768xi8, "left">) -> ()
  return
}

//--- two.json
{"regions": [
  {"name": "fast", "bytes": 272, "address": 16, "alignment": 16, "granule": 128,
   "reserved": [{"begin": 0, "end": 16}, {"begin": 144, "end": 145}]},
  {"name": "slow", "bytes": "1MiB"}
]}
//--- two.mlir
// Two regions: bytes 16 to 144 of the fast one, from address 32 on, have room for one
// buffer at a time, as the 127 bytes behind have not with this granule. What moves most
// is there: the loop reads 4 bytes a hundred times, the fill writes 100, the copy reads
// them.

//      CHECK: %[[FAST:.*]] = memref.alloc() {alignment = 16 : i64, buffer_merge.region = {address = 32 : i64, name = "fast", offset = 16 : i64}} : memref<128xi8>
//      CHECK: %[[SLOW:.*]] = memref.alloc() {alignment = 64 : i64, buffer_merge.region = {name = "slow", offset = 0 : i64}} : memref<100xi8>
//      CHECK: memref.view %[[SLOW]]
//      CHECK: memref.view %[[FAST]]

// SHOW: lifetime {{.*}}, 100 bytes, region fast, address 0x20{{$}}
// SHOW: pool in region fast: 1 buffer of 100 bytes, 128 alive at tick {{[0-9]+}}, pool of 128 bytes at address 0x20, accesses move 500 bytes
// SHOW: lifetime {{.*}}, 100 bytes, region slow{{$}}
// SHOW: pool in region slow: 1 buffer of 100 bytes, 100 alive at tick {{[0-9]+}}, pool of 100 bytes, accesses move 200 bytes
func.func @f(%x: f32, %out: memref<25xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<25xf32>
  %b = memref.alloc() : memref<25xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<25xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<25xf32>)
  %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %b[%c1] : memref<25xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  linalg.copy ins(%a : memref<25xf32>) outs(%out : memref<25xf32>)
  return %sum : f32
}

//--- functions.json
{"regions": [{"name": "ram", "bytes": "1MiB", "address": "0x100020"}]}
//--- functions.mlir
// The pools of a caller and a callee have bytes of their own, the callees of one entry
// share theirs; another entry shares them only if the two do not run at the same time.
// The first pool begins at an address that is aligned.

// CHECK: region ram, address 0x100040{{$}}
// CHECK: pool in region ram: {{.*}} pool of 64 bytes at address 0x100040
// CHECK: pool in region ram: {{.*}} pool of 64 bytes at address 0x100080
// CHECK: pool in region ram: {{.*}} pool of 64 bytes at address 0x100080
// CHECK: pool in region ram: {{.*}} pool of 64 bytes at address 0x1000c0
// CHECK: pool: {{.*}}, no pool: no-region (the function is recursive)
// CHECK: pool: {{.*}}, no pool: no-region (the scope is not a function of the host)
// CHECK: left alone: 2 allocations of 128 bytes: no-region

// EXCLUSIVE: pool of 64 bytes at address 0x100040
// EXCLUSIVE: pool of 64 bytes at address 0x100080
// EXCLUSIVE: pool of 64 bytes at address 0x100080
// EXCLUSIVE: pool of 64 bytes at address 0x100040
func.func @caller(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  call @first(%x) : (f32) -> ()
  call @second(%x) : (f32) -> ()
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
func.func private @first(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
func.func private @second(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
func.func @other(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
func.func @recursive(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  call @recursive(%x) : (f32) -> ()
  return
}
func.func @parallel(%x: f32) {
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  }
  return
}
//--- more.mlir
// What an earlier run has given out is taken.

// CHECK: not mergeable: ineligible
// CHECK: region ram, address 0x100100
func.func @later(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}

//--- global.json
{"regions": [
  {"name": "t-cm", "bytes": 512, "address": "0x20000000", "storage": "global", "section": ".tcm"},
  {"name": "stack", "bytes": 4096, "storage": "stack"}
]}
//--- global.mlir
// Pools that are globals, with sections of their own, and on the stack.

//      CHECK: buffer_merge.globals = {f_t_cm_pool = {alignment = 64 : i64, bytes = 256 : i64, section = ".tcm.f"}}
//      CHECK: memref.global "private" @f_t_cm_pool : memref<256xi8> = uninitialized {alignment = 64 : i64, buffer_merge.region = {address = 536870912 : i64, name = "t-cm", offset = 0 : i64}}
//      CHECK: func.func @f
//  CHECK-DAG: memref.get_global @f_t_cm_pool
//  CHECK-DAG: memref.alloca() {alignment = 64 : i64, buffer_merge.region = {name = "stack", offset = 0 : i64}} : memref<1024xi8>
//     SCRIPT: F_T_CM_POOL_BYTES = 256;
//     SCRIPT: .tcm.f 0x20000000 (NOLOAD) : {
func.func @f(%x: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<256xf32>)
  return
}

//--- plain.json
{"regions": [{"name": "scratch", "space": "scratch", "bytes": 256, "alignment": 32}]}
//--- plain.mlir
// A region with bytes and alignment alone is a capacity, for parallel loops as well.

// CHECK: pool in memory space "scratch": 2 buffers of 200 bytes, 100 alive at tick {{[0-9]+}}, pool of 100 bytes
// IR: memref.alloc() {alignment = 32 : i64} : memref<100xi8, "scratch">
func.func @f(%x: f32) {
  scf.forall (%i) in (2) {
    %a = memref.alloc() : memref<25xf32, "scratch">
    linalg.fill ins(%x : f32) outs(%a : memref<25xf32, "scratch">)
    %b = memref.alloc() : memref<25xf32, "scratch">
    linalg.fill ins(%x : f32) outs(%b : memref<25xf32, "scratch">)
  }
  return
}
