// REQUIRES: clang
// RUN: buffer-merge-opt %s | %reusing_execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --rotate-carried-buffers --buffer-merge='min-gain=0 in-place' | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='min-gain=0 in-place limit-peak=none' -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='min-gain=0 pool=global limit-peak=none' -o %t.mlir
// RUN: FileCheck %s --check-prefix=HANDED < %t.mlir
// RUN: cat %t.mlir | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='min-gain=0 pool=global target={"globals": {"entries": "exclusive"}} limit-peak=none' | %reusing_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='min-gain=0 pool=stack limit-peak=none' | %reusing_execute | diff %t.before -

// Addresses that are compared where buffers get bytes of something else than a
// pool of their own.

// CHECK-COUNT-5: 0
//    CHECK-NEXT: 1
//    CHECK-NEXT: held 0

func.func private @print(i64)
func.func private @printHeld()

// A donated argument holds a buffer. Not one whose address is compared: %y may be
// the same memory, of which nothing accesses a byte.
// IR-LABEL: func.func @lent(
//       IR:   memref.alloc
//       IR:   %[[A:.*]] = memref.alloc
//       IR:   memref.reinterpret_cast %arg0
//       IR:   memref.extract_aligned_pointer_as_index %[[A]]
func.func @lent(%x: memref<64xf32> {buffer_merge.donated, llvm.align = 64 : i64}, %y: memref<64xf32>, %out: memref<64xf32>) -> i64 {
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%a : memref<64xf32>)
  %d = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.add ins(%b, %d : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %y : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  return %r : i64
}

// A caller hands on the bytes of buffers that are idle during the call. Not those of
// a buffer that the callee compares with its own.
// HANDED-LABEL: func.func private @compares(
//   HANDED-NOT:   memref.alloc
//       HANDED:   return
func.func private @compares(%idle: memref<64xf32>, %x: f32) -> i64 {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %idle : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %r : i64
}

func.func @handed(%x: f32) -> i64 {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %r = func.call @compares(%a, %x) : (memref<64xf32>, f32) -> i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %r : i64
}

// %b could take the place of %a, and %d that of %b.
func.func @in_place(%x: memref<64xf32>, %out: memref<64xf32>) -> i64 {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %q = memref.extract_aligned_pointer_as_index %b : memref<64xf32> -> index
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.exp ins(%d : memref<64xf32>) outs(%out : memref<64xf32>)
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  return %r : i64
}

// Two instances are in use at a time; a third one is compared.
func.func @carried(%x: f32) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0 : i64
  %first = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%first : memref<64xf32>)
  %second = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%second : memref<64xf32>)
  %older, %old, %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %first, %b = %second, %s = %zero) -> (memref<64xf32>, memref<64xf32>, i64) {
    %new = memref.alloc() : memref<64xf32>
    linalg.exp ins(%b : memref<64xf32>) outs(%new : memref<64xf32>)
    %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
    %q = memref.extract_aligned_pointer_as_index %new : memref<64xf32> -> index
    %c = arith.cmpi eq, %p, %q : index
    %e = arith.extui %c : i1 to i64
    %next = arith.addi %s, %e : i64
    memref.dealloc %a : memref<64xf32>
    scf.yield %b, %new, %next : memref<64xf32>, memref<64xf32>, i64
  }
  memref.dealloc %older : memref<64xf32>
  memref.dealloc %old : memref<64xf32>
  return %sum : i64
}

// One of two values (L10) that are two buffers where nobody asks for the address,
// as in @two_values.
// IR-LABEL: func.func @one_address(
//       IR:   memref.alloc() : memref<64xf32>
// IR-LABEL: func.func @two_values(
//   IR-NOT:   memref.alloc() : memref<64xf32>
//       IR:   return
func.func @one_address(%x: f32, %out: memref<64xf32>) -> i64 {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.add ins(%d, %b : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  %q = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  return %r : i64
}

func.func @two_values(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.add ins(%d, %b : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  return
}

// The memory of the caller is not that of a buffer, wherever that is.
func.func @argument(%x: f32, %arg: memref<64xf32>) -> i64 {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<64xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %arg : memref<64xf32> -> index
  %c = arith.cmpi eq, %p, %q : index
  %r = arith.extui %c : i1 to i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %r : i64
}

func.func @main() -> i32 {
  %ok = arith.constant 0 : i32
  %x = arith.constant 1.0 : f32
  %arg = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  %out = memref.alloca() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%arg : memref<64xf32>)
  %lent = func.call @lent(%arg, %arg, %out) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> i64
  func.call @print(%lent) : (i64) -> ()
  %handed = func.call @handed(%x) : (f32) -> i64
  func.call @print(%handed) : (i64) -> ()
  %in_place = func.call @in_place(%arg, %out) : (memref<64xf32>, memref<64xf32>) -> i64
  func.call @print(%in_place) : (i64) -> ()
  %carried = func.call @carried(%x) : (f32) -> i64
  func.call @print(%carried) : (i64) -> ()
  %argument = func.call @argument(%x, %arg) : (f32, memref<64xf32>) -> i64
  func.call @print(%argument) : (i64) -> ()
  %one = func.call @one_address(%x, %out) : (f32, memref<64xf32>) -> i64
  func.call @print(%one) : (i64) -> ()

  func.call @printHeld() : () -> ()
  return %ok : i32
}
