// The oracle of host programs: what it objects to. The programs are merged by
// hand; a slice of a pool, or a mark of a shared allocation, is a buffer of the
// program before by its location.

// RUN: split-file %s %t
// RUN: buffer-merge-fuzz %t/slices.mlir | FileCheck %s --check-prefix=SLICES
// RUN: not buffer-merge-fuzz %t/foreign.mlir | FileCheck %s --check-prefix=FOREIGN
// RUN: buffer-merge-fuzz %t/parts.mlir | FileCheck %s --check-prefix=PARTS
// RUN: not buffer-merge-fuzz %t/parts-donated.mlir | FileCheck %s --check-prefix=DONATED
// RUN: buffer-merge-fuzz %t/elementwise.mlir | FileCheck %s --check-prefix=ELEMENTWISE
// RUN: not buffer-merge-fuzz %t/transposed.mlir | FileCheck %s --check-prefix=TRANSPOSED
// RUN: not buffer-merge-fuzz %t/overlap.mlir | FileCheck %s --check-prefix=OVERLAP
// RUN: buffer-merge-fuzz %t/shared.mlir | FileCheck %s --check-prefix=SHARED
// RUN: not buffer-merge-fuzz %t/shared-alive.mlir | FileCheck %s --check-prefix=ALIVE
// RUN: not buffer-merge-fuzz %t/shared-size.mlir | FileCheck %s --check-prefix=SIZE
// RUN: not buffer-merge-fuzz %t/shared-freed.mlir | FileCheck %s --check-prefix=FREED
// RUN: buffer-merge-fuzz %t/arena.mlir | FileCheck %s --check-prefix=ARENA
// RUN: not buffer-merge-fuzz %t/arena-part.mlir | FileCheck %s --check-prefix=PART
// RUN: not buffer-merge-fuzz %t/arena-size.mlir | FileCheck %s --check-prefix=NEEDED
// RUN: not buffer-merge-fuzz %t/global.mlir | FileCheck %s --check-prefix=GLOBAL
// RUN: not buffer-merge-fuzz %t/region.mlir | FileCheck %s --check-prefix=REGION
// RUN: buffer-merge-fuzz --target --seeds=0..3 --schedulers=first-fit | FileCheck %s --check-prefix=TARGET
// RUN: not buffer-merge-fuzz %t/stack.mlir | FileCheck %s --check-prefix=STACK
// RUN: not buffer-merge-fuzz %t/stack-scope.mlir | FileCheck %s --check-prefix=STACK
// RUN: not buffer-merge-fuzz %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not buffer-merge-fuzz %t/wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not buffer-merge-fuzz %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not buffer-merge-fuzz --pool=heap 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not buffer-merge-fuzz --dynamic=maybe 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not buffer-merge-fuzz --seeds=3..1 2>&1 | FileCheck %s --check-prefix=SEEDS
// RUN: not buffer-merge-fuzz --mutation=none 2>&1 | FileCheck %s --check-prefix=MUTATION

// UNKNOWN: error: the interpreter does not know math.exp
// WIDE: error: the interpreter does not know vector.broadcast
// NONE: error: {{.*}}none.mlir
// POOL: there is no value 'heap'; the nearest is '{{[a-z-]+}}'
// DYNAMIC: there is no value 'maybe'; the nearest is '{{[a-z-]+}}'
// SEEDS: error: --seeds must be A..B with A <= B
// MUTATION: error: unknown mutation 'none'
// TARGET: 4 passed, 0 failed

// SLICES: early: prints 1 2; a pool leaks
// SLICES: late: prints 1 2
// SLICES: interleaved: prints 1 2
//--- slices.mlir
func.func private @use_i64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  %x = memref.load %a[%c0] : memref<1xi64>
  func.call @use_i64(%x) : (i64) -> ()
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %two, %b[%c0] : memref<1xi64>
  %y = memref.load %b[%c0] : memref<1xi64>
  func.call @use_i64(%y) : (i64) -> ()
  return
}

// The value is the right one.
// FOREIGN: early: read of b0 {{.*}} finds byte 0 written by b1
//--- foreign.mlir
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %one, %b[%c0] : memref<1xi64>
  %x = memref.load %a[%c0] : memref<1xi64>
  return
}

// Parts of a pool that share bytes: what is given away is one part, not the pool.
// PARTS: early: prints 1 2
// PARTS: late: prints 1 2
// PARTS: interleaved: prints 1 2
//--- parts.mlir
func.func private @use_i64(i64)
func.func private @take(%x: memref<1xi64> {buffer_merge.donated}) {
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<24xi8>
  %inner = memref.view %pool[%c0][] {part} : memref<24xi8> to memref<1xi64>
  %outer = memref.view %pool[%c0][] {part} : memref<24xi8> to memref<2xi64>
  %b = memref.view %pool[%c16][] : memref<24xi8> to memref<1xi64> loc("b0")
  memref.store %one, %inner[%c0] : memref<1xi64>
  %x = memref.load %outer[%c0] : memref<2xi64>
  func.call @use_i64(%x) : (i64) -> ()
  memref.store %two, %b[%c0] : memref<1xi64>
  func.call @take(%inner) : (memref<1xi64>) -> ()
  %y = memref.load %b[%c0] : memref<1xi64>
  func.call @use_i64(%y) : (i64) -> ()
  memref.dealloc %pool : memref<24xi8>
  return
}

// DONATED: early: read of uninitialised byte 0 of a part of a pool
//--- parts-donated.mlir
func.func private @use_i64(i64)
func.func private @take(%x: memref<1xi64> {buffer_merge.donated}) {
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<16xi8>
  %inner = memref.view %pool[%c0][] {part} : memref<16xi8> to memref<1xi64>
  %outer = memref.view %pool[%c0][] {part} : memref<16xi8> to memref<2xi64>
  memref.store %one, %outer[%c0] : memref<2xi64>
  func.call @take(%inner) : (memref<1xi64>) -> ()
  %x = memref.load %outer[%c0] : memref<2xi64>
  func.call @use_i64(%x) : (i64) -> ()
  memref.dealloc %pool : memref<16xi8>
  return
}

// ELEMENTWISE: early: prints 8
//--- elementwise.mlir
func.func private @use_i64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 7 : i64
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<32xi8>
  %a = memref.view %pool[%c0][] : memref<32xi8> to memref<2x2xi64> loc("b0")
  linalg.fill ins(%v : i64) outs(%a : memref<2x2xi64>)
  %b = memref.view %pool[%c0][] : memref<32xi8> to memref<2x2xi64> loc("b1")
  linalg.map ins(%a : memref<2x2xi64>) outs(%b : memref<2x2xi64>)
    (%x: i64, %old: i64) {
      %s = arith.addi %x, %one : i64
      linalg.yield %s : i64
    }
  %y = memref.load %b[%c1, %c0] : memref<2x2xi64>
  func.call @use_i64(%y) : (i64) -> ()
  return
}

// TRANSPOSED: early: one iteration writes byte 8 of b1 and another one reads it
//--- transposed.mlir
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
func.func @main() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<32xi8>
  %a = memref.view %pool[%c0][] : memref<32xi8> to memref<2x2xi64> loc("b0")
  linalg.fill ins(%v : i64) outs(%a : memref<2x2xi64>)
  %b = memref.view %pool[%c0][] : memref<32xi8> to memref<2x2xi64> loc("b1")
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<2x2xi64>) outs(%b : memref<2x2xi64>) {
    ^bb0(%x: i64, %old: i64):
      linalg.yield %x : i64
  }
  return
}

// A copy by one element, which works if the first is copied first.
// OVERLAP: early: one iteration writes byte 8 of b1 and another one reads it
//--- overlap.mlir
func.func @main() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 7 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<24xi8>
  %a = memref.view %pool[%c8][] : memref<24xi8> to memref<2xi64> loc("b0")
  linalg.fill ins(%v : i64) outs(%a : memref<2xi64>)
  %b = memref.view %pool[%c0][] : memref<24xi8> to memref<2xi64> loc("b1")
  memref.copy %a, %b : memref<2xi64> to memref<2xi64>
  return
}

// SHARED: early: prints 5{{$}}
//--- shared.mlir
func.func private @use_i64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 5 : i64
  %a = memref.alloc(%c2) : memref<?xi64> loc("b0")
  memref.store %v, %a[%c0] : memref<?xi64>
  %b = builtin.unrealized_conversion_cast %a, %c2 : memref<?xi64>, index to memref<?xi64> loc("b1")
  memref.store %v, %b[%c0] : memref<?xi64>
  %x = memref.load %b[%c0] : memref<?xi64>
  func.call @use_i64(%x) : (i64) -> ()
  memref.dealloc %b : memref<?xi64>
  return
}

// ALIVE: early: read of b0 {{.*}} finds byte 0 written by b1
//--- shared-alive.mlir
func.func @main() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 5 : i64
  %a = memref.alloc(%c2) : memref<?xi64> loc("b0")
  memref.store %v, %a[%c0] : memref<?xi64>
  %b = builtin.unrealized_conversion_cast %a, %c2 : memref<?xi64>, index to memref<?xi64> loc("b1")
  memref.store %v, %b[%c0] : memref<?xi64>
  %x = memref.load %a[%c0] : memref<?xi64>
  return
}

// SIZE: early: b1 has an allocation of another size
//--- shared-size.mlir
func.func @main() {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc(%c3) : memref<?xi64> loc("b0")
  %b = builtin.unrealized_conversion_cast %a, %c2 : memref<?xi64>, index to memref<?xi64> loc("b1")
  return
}

// FREED: early: b1 has an allocation that was freed
//--- shared-freed.mlir
func.func @main() {
  %c2 = arith.constant 2 : index
  %a = memref.alloc(%c2) : memref<?xi64> loc("b0")
  memref.dealloc %a : memref<?xi64>
  %b = builtin.unrealized_conversion_cast %a, %c2 : memref<?xi64>, index to memref<?xi64> loc("b1")
  return
}

// ARENA: early: prints 5{{$}}
//--- arena.mlir
func.func private @use_i64(i64)
func.func private @f(%arena: memref<?xi8>, %v: i64) {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<1xi64> loc("b1")
  memref.store %v, %a[%c0] : memref<1xi64>
  return
}
func.func @main(%arena: memref<?xi8> {buffer_merge.arena})
    attributes {buffer_merge.arena = {alignment = 8 : i64, bytes = 16 : i64}} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 5 : i64
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<1xi64> loc("b0")
  memref.store %v, %a[%c0] : memref<1xi64>
  %part = memref.view %arena[%c8][] : memref<?xi8> to memref<8xi8>
  %cast = memref.cast %part : memref<8xi8> to memref<?xi8>
  func.call @f(%cast, %v) : (memref<?xi8>, i64) -> ()
  %x = memref.load %a[%c0] : memref<1xi64>
  func.call @use_i64(%x) : (i64) -> ()
  return
}

// The bytes are there, but are not for the callee.
// PART: early: view leaves
//--- arena-part.mlir
func.func private @f(%arena: memref<?xi8>) {
  %c8 = arith.constant 8 : index
  %a = memref.view %arena[%c8][] : memref<?xi8> to memref<1xi64> loc("b1")
  return
}
func.func @main(%arena: memref<?xi8> {buffer_merge.arena})
    attributes {buffer_merge.arena = {alignment = 8 : i64, bytes = 24 : i64}} {
  %c8 = arith.constant 8 : index
  %part = memref.view %arena[%c8][] : memref<?xi8> to memref<8xi8>
  %cast = memref.cast %part : memref<8xi8> to memref<?xi8>
  func.call @f(%cast) : (memref<?xi8>) -> ()
  return
}

// NEEDED: early: view leaves
//--- arena-size.mlir
func.func @main(%arena: memref<?xi8> {buffer_merge.arena})
    attributes {buffer_merge.arena = {alignment = 8 : i64, bytes = 8 : i64}} {
  %c8 = arith.constant 8 : index
  %a = memref.view %arena[%c8][] : memref<?xi8> to memref<1xi64> loc("b0")
  return
}

// What the last call has left in a global is not what this one has written.
// GLOBAL: early: read of b0 {{.*}} finds byte 0 written by b0
//--- global.mlir
memref.global "private" @f_pool : memref<8xi8> = uninitialized {alignment = 8 : i64}
func.func private @f(%v: i64, %isFirst: i1) {
  %c0 = arith.constant 0 : index
  %pool = memref.get_global @f_pool : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  scf.if %isFirst {
    memref.store %v, %a[%c0] : memref<1xi64>
  }
  %x = memref.load %a[%c0] : memref<1xi64>
  return
}
func.func @main() {
  %v = arith.constant 5 : i64
  %true = arith.constant true
  %false = arith.constant false
  func.call @f(%v, %true) : (i64, i1) -> ()
  func.call @f(%v, %false) : (i64, i1) -> ()
  return
}

// STACK: early: use of b0 after free
//--- stack.mlir
func.func private @f(%v: i64) -> memref<1xi64> {
  %c0 = arith.constant 0 : index
  %pool = memref.alloca() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %v, %a[%c0] : memref<1xi64>
  return %a : memref<1xi64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 5 : i64
  %a = func.call @f(%v) : (i64) -> memref<1xi64>
  %x = memref.load %a[%c0] : memref<1xi64>
  return
}

//--- stack-scope.mlir
func.func @main() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 5 : i64
  %a = memref.alloca_scope -> (memref<1xi64>) {
    %pool = memref.alloca() {alignment = 8 : i64} : memref<8xi8>
    %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
    memref.store %v, %b[%c0] : memref<1xi64>
    memref.alloca_scope.return %b : memref<1xi64>
  }
  %x = memref.load %a[%c0] : memref<1xi64>
  return
}

//--- unknown.mlir
func.func @main() {
  %v = arith.constant 5.0 : f32
  %x = math.exp %v : f32
  return
}

//--- wide.mlir
func.func @main() {
  %x = arith.constant 1.0 : f32
  %v = vector.broadcast %x : f32 to vector<8xf32>
  return
}

//--- region.mlir
// The pools of a caller and its callee are in the same bytes of one memory.
// REGION: early: read of b0 (instance {{[0-9]+}}) finds byte 64 written by b1
func.func private @use_i64(i64)
func.func private @callee() {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %x = arith.constant 2 : i64
  %pool = memref.alloc() {alignment = 8 : i64, buffer_merge.region = {name = "sram", offset = 64 : i64}} : memref<16xi8>
  %view = memref.view %pool[%c0][] : memref<16xi8> to memref<2xi64> loc("b1")
  memref.store %x, %view[%c0] : memref<2xi64>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64, buffer_merge.region = {name = "sram", offset = 64 : i64}} : memref<16xi8>
  %view = memref.view %pool[%c0][] : memref<16xi8> to memref<2xi64> loc("b0")
  memref.store %x, %view[%c0] : memref<2xi64>
  call @callee() : () -> ()
  %y = memref.load %view[%c0] : memref<2xi64>
  call @use_i64(%y) : (i64) -> ()
  return
}
