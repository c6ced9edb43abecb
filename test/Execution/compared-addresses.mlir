// REQUIRES: clang
// RUN: buffer-merge-opt %s | %reusing_execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false min-gain=0" -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false min-gain=0 max-pools=1' | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false min-gain=0 limit-peak=none' | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false min-gain=0 in-place scheduler=first-fit' | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false min-gain=0 pool=stack' | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false min-gain=0 pool=global' | %reusing_execute | diff %t.before -

// A buffer has another address than everything that is allocated while it is. So
// has the pool that it has become part of, which is freed early (R7) because of
// @burst: not before the address has been compared, although no byte of it is
// accessed any more, nor does anything use the memref.

// CHECK-COUNT-13: 0
//     CHECK-NEXT: held 0
//     CHECK-NEXT: 0
//     CHECK-NEXT: 1

func.func private @print(i64)
func.func private @printHeld()

// What this holds is the peak of each function.
func.func private @burst() attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<8192xf32>
  memref.store %x, %a[%c0] : memref<8192xf32>
  memref.dealloc %a : memref<8192xf32>
  return
}

func.func private @make() -> memref<64xf32> attributes {no_inline} {
  %a = memref.alloc() : memref<64xf32>
  return %a : memref<64xf32>
}

// The first of two buffers, with a later allocation.
// IR-LABEL: func.func @equal(
//       IR:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
//       IR:   %[[P:.*]] = memref.extract_aligned_pointer_as_index
//       IR:   %[[Q:.*]] = memref.extract_aligned_pointer_as_index
//  IR-NEXT:   arith.cmpi eq, %[[P]], %[[Q]]
//       IR:   memref.dealloc %[[POOL]]
func.func @equal(%x: f32) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %other = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  return %other, %r : memref<64xf32>, i64
}

// Two buffers of a pool that do not begin at the same byte, for inequality.
// IR-LABEL: func.func @unequal(
//       IR:   memref.alloc() {{.*}} : memref<512xi8>
func.func @unequal(%x: f32) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  %true = arith.constant true
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %b : memref<64xf32> -> index
  %p0 = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %other = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %c = arith.cmpi ne, %p, %q : index
  %c0 = arith.cmpi ne, %q, %p0 : index
  %both = arith.andi %c, %c0 : i1
  %equal = arith.xori %both, %true : i1
  %r = arith.extui %equal : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  func.call @burst() : () -> ()
  return %other, %r : memref<64xf32>, i64
}

// With something that is allocated later and freed earlier.
// IR-LABEL: func.func @inside(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @inside(%x: f32) -> i64 {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  %other = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  memref.dealloc %other : memref<64xf32>
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  func.call @burst() : () -> ()
  return %r : i64
}

// With what a callee has allocated.
// IR-LABEL: func.func @callee(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @callee(%x: f32) -> i64 {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  %other = func.call @make() : () -> memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %c = arith.cmpi eq, %q, %p : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %other : memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  func.call @burst() : () -> ()
  return %r : i64
}

// The address of a view of a part, and of a view of all, of the other one.
// IR-LABEL: func.func @views(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @views(%x: f32) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %part = memref.subview %a[8] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
  %p = memref.extract_aligned_pointer_as_index %part : memref<8xf32, strided<[1], offset: 8>> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %other = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %all = memref.expand_shape %other [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %q = memref.extract_aligned_pointer_as_index %all : memref<8x8xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  return %other, %r : memref<64xf32>, i64
}

// In a branch, and in a loop.
// IR-LABEL: func.func @nested(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @nested(%x: f32, %cond: i1) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %other = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %r = scf.if %cond -> i64 {
    %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> i64 {
      %c = arith.cmpi eq, %p, %q : index
      %e = arith.extui %c : i1 to i64
      %next = arith.addi %s, %e : i64
      scf.yield %next : i64
    }
    scf.yield %sum : i64
  } else {
    scf.yield %zero : i64
  }
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  return %other, %r : memref<64xf32>, i64
}

// The loop allocates what is compared: each iteration has a pool, and something
// else beside it.
// IR-LABEL: func.func @loop(
//       IR:   scf.for
//       IR:     memref.alloc() {{.*}} : memref<256xi8>
func.func @loop(%x: f32) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> i64 {
    func.call @burst() : () -> ()
    %a = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
    %b = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
    %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
    %other = func.call @make() : () -> memref<64xf32>
    %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
    %c = arith.cmpi eq, %p, %q : index
    %e = arith.extui %c : i1 to i64
    memref.dealloc %a : memref<64xf32>
    memref.dealloc %b : memref<64xf32>
    memref.dealloc %other : memref<64xf32>
    %next = arith.addi %s, %e : i64
    scf.yield %next : i64
  }
  return %sum : i64
}

// A loop compares in each iteration: the address of the buffer is extracted, and
// the buffer used, only before.
// IR-LABEL: func.func @in_each_iteration(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @in_each_iteration(%x: f32) -> i64 {
  func.call @burst() : () -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> i64 {
    %other = func.call @make() : () -> memref<64xf32>
    %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
    %c = arith.cmpi eq, %p, %q : index
    %e = arith.extui %c : i1 to i64
    memref.dealloc %other : memref<64xf32>
    %next = arith.addi %s, %e : i64
    scf.yield %next : i64
  }
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  return %sum : i64
}

// One of two pools of a function: the other one may come after it, and has the same
// address; what is compared may not.
// IR-LABEL: func.func @pools(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @pools(%x: f32) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %other = memref.alloc() : memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  %d = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<64xf32>)
  %pd = memref.extract_aligned_pointer_as_index %d : memref<64xf32> -> index
  %e = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%e : memref<64xf32>)
  %last = func.call @make() : () -> memref<64xf32>
  %ql = memref.extract_aligned_pointer_as_index %last : memref<64xf32> -> index
  %cl = arith.cmpi eq, %pd, %ql : index
  %ca = arith.cmpi eq, %pd, %q : index
  memref.dealloc %d : memref<64xf32>
  memref.dealloc %e : memref<64xf32>
  memref.dealloc %last : memref<64xf32>
  func.call @burst() : () -> ()
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %or = arith.ori %c, %cl : i1
  %any = arith.ori %or, %ca : i1
  %r = arith.extui %any : i1 to i64
  return %other, %r : memref<64xf32>, i64
}

// The body of a parallel loop is a scope of its own.
// IR-LABEL: func.func @scope(
//       IR:   scf.parallel
//       IR:     memref.alloc() {{.*}} : memref<256xi8>
func.func @scope(%x: f32) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %r = scf.parallel (%i) = (%c0) to (%c3) step (%c1) init (%zero) -> i64 {
    func.call @burst() : () -> ()
    %a = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
    %b = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
    %p = memref.extract_aligned_pointer_as_index %b : memref<64xf32> -> index
    %other = func.call @make() : () -> memref<64xf32>
    %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
    memref.dealloc %other : memref<64xf32>
    %c = arith.cmpi eq, %p, %q : index
    memref.dealloc %a : memref<64xf32>
    memref.dealloc %b : memref<64xf32>
    func.call @burst() : () -> ()
    %e = arith.extui %c : i1 to i64
    scf.reduce(%e : i64) {
    ^bb0(%left: i64, %right: i64):
      %sum = arith.addi %left, %right : i64
      scf.reduce.return %sum : i64
    }
  }
  return %r : i64
}

// The pool would have to be freed in another block: there is none.
// IR-LABEL: func.func @blocks(
func.func @blocks(%x: f32, %cond: i1) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  cf.br ^first
^first:
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  cf.cond_br %cond, ^second, ^third
^second:
  cf.br ^third
^third:
  %other = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  memref.dealloc %a : memref<64xf32>
  %r = arith.extui %c : i1 to i64
  return %other, %r : memref<64xf32>, i64
}

// What the program never frees: %a is there for good.
// IR-LABEL: func.func @leaked(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @leaked(%x: f32) -> i64 {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  %other = func.call @make() : () -> memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  memref.dealloc %other : memref<64xf32>
  %c = arith.cmpi eq, %p, %q : index
  func.call @burst() : () -> ()
  %r = arith.extui %c : i1 to i64
  return %r : i64
}

// Both sides may be one of two.
// IR-LABEL: func.func @selected(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @selected(%x: f32, %cond: i1, %arg: memref<64xf32>) -> (memref<64xf32>, i64) {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %one = arith.select %cond, %a, %arg : memref<64xf32>
  %p = memref.extract_aligned_pointer_as_index %one : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %other = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%other : memref<64xf32>)
  %that = arith.select %cond, %other, %arg : memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %that : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  return %other, %r : memref<64xf32>, i64
}

// What is compared decides what is freed: %other is held until the end otherwise.
// IR-LABEL: func.func @decides(
//       IR:   memref.alloc() {{.*}} : memref<256xi8>
func.func @decides(%x: f32) -> i64 {
  func.call @burst() : () -> ()
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %other = func.call @make() : () -> memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %other : memref<64xf32> -> index
  %c = arith.cmpi ne, %p, %q : index
  scf.if %c {
    memref.dealloc %other : memref<64xf32>
  }
  %zero = arith.constant 0 : i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  func.call @burst() : () -> ()
  return %zero : i64
}

// A buffer that holds two values (L10) has one address.
// IR-LABEL: func.func @values(
func.func @values(%x: f32, %y: memref<64xf32>) -> i64 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %d = memref.alloc() : memref<64xf32>
  memref.copy %a, %d : memref<64xf32> to memref<64xf32>
  memref.copy %b, %y : memref<64xf32> to memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  memref.copy %d, %y : memref<64xf32> to memref<64xf32>
  memref.copy %a, %y : memref<64xf32> to memref<64xf32>
  %q = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  return %r : i64
}

func.func @main() -> i32 {
  %ok = arith.constant 0 : i32
  %x = arith.constant 1.0 : f32
  %true = arith.constant true
  %arg = memref.alloca() : memref<64xf32>
  %equal:2 = func.call @equal(%x) : (f32) -> (memref<64xf32>, i64)
  func.call @print(%equal#1) : (i64) -> ()
  memref.dealloc %equal#0 : memref<64xf32>
  %unequal:2 = func.call @unequal(%x) : (f32) -> (memref<64xf32>, i64)
  func.call @print(%unequal#1) : (i64) -> ()
  memref.dealloc %unequal#0 : memref<64xf32>
  %inside = func.call @inside(%x) : (f32) -> i64
  func.call @print(%inside) : (i64) -> ()
  %callee = func.call @callee(%x) : (f32) -> i64
  func.call @print(%callee) : (i64) -> ()
  %views:2 = func.call @views(%x) : (f32) -> (memref<64xf32>, i64)
  func.call @print(%views#1) : (i64) -> ()
  memref.dealloc %views#0 : memref<64xf32>
  %nested:2 = func.call @nested(%x, %true) : (f32, i1) -> (memref<64xf32>, i64)
  func.call @print(%nested#1) : (i64) -> ()
  memref.dealloc %nested#0 : memref<64xf32>
  %loop = func.call @loop(%x) : (f32) -> i64
  func.call @print(%loop) : (i64) -> ()
  %each = func.call @in_each_iteration(%x) : (f32) -> i64
  func.call @print(%each) : (i64) -> ()
  %pools:2 = func.call @pools(%x) : (f32) -> (memref<64xf32>, i64)
  func.call @print(%pools#1) : (i64) -> ()
  memref.dealloc %pools#0 : memref<64xf32>
  %scope = func.call @scope(%x) : (f32) -> i64
  func.call @print(%scope) : (i64) -> ()
  %blocks:2 = func.call @blocks(%x, %true) : (f32, i1) -> (memref<64xf32>, i64)
  func.call @print(%blocks#1) : (i64) -> ()
  memref.dealloc %blocks#0 : memref<64xf32>
  %selected:2 = func.call @selected(%x, %true, %arg) : (f32, i1, memref<64xf32>) -> (memref<64xf32>, i64)
  func.call @print(%selected#1) : (i64) -> ()
  memref.dealloc %selected#0 : memref<64xf32>
  %decides = func.call @decides(%x) : (f32) -> i64
  func.call @print(%decides) : (i64) -> ()
  func.call @printHeld() : () -> ()
  %leaked = func.call @leaked(%x) : (f32) -> i64
  func.call @print(%leaked) : (i64) -> ()
  %values = func.call @values(%x, %arg) : (f32, memref<64xf32>) -> i64
  func.call @print(%values) : (i64) -> ()
  return %ok : i32
}
