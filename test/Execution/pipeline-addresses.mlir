// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge-pipeline -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge-deallocate | %execute | diff %t.before -

// What is accessed through an address, or is compared with another address, is not
// freed behind the last operation that has a view of it: optimize-allocation-liveness
// would do so.

// CHECK-COUNT-4: 42
//         CHECK: 0

// IR-LABEL: func.func @converted(
//       IR:   llvm.load
//  IR-NEXT:   memref.dealloc
func.func @converted() -> i64 {
  %forty = arith.constant 42 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%forty : i64) outs(%a : memref<4xi64>)
  %descriptor = builtin.unrealized_conversion_cast %a : memref<4xi64> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %p = llvm.extractvalue %descriptor[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  call @allocate() : () -> ()
  %x = llvm.load %p : !llvm.ptr -> i64
  return %x : i64
}

memref.global "private" @kept : memref<1xmemref<4xi64>> = uninitialized

func.func @getKept() -> i64 {
  %c0 = arith.constant 0 : index
  %all = memref.get_global @kept : memref<1xmemref<4xi64>>
  %a = memref.load %all[%c0] : memref<1xmemref<4xi64>>
  %x = memref.load %a[%c0] : memref<4xi64>
  return %x : i64
}

// IR-LABEL: func.func @stored(
//       IR:   call @getKept
//  IR-NEXT:   memref.dealloc
func.func @stored() -> i64 {
  %c0 = arith.constant 0 : index
  %forty = arith.constant 42 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%forty : i64) outs(%a : memref<4xi64>)
  %all = memref.get_global @kept : memref<1xmemref<4xi64>>
  memref.store %a, %all[%c0] : memref<1xmemref<4xi64>>
  call @allocate() : () -> ()
  %x = call @getKept() : () -> i64
  return %x : i64
}

// IR-LABEL: func.func @inBranch(
//       IR:   llvm.load
//  IR-NEXT:   memref.dealloc
func.func @inBranch(%isTaken: i1) -> i64 {
  %forty = arith.constant 42 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%forty : i64) outs(%a : memref<4xi64>)
  %address = scf.if %isTaken -> index {
    %taken = memref.extract_aligned_pointer_as_index %a : memref<4xi64> -> index
    scf.yield %taken : index
  } else {
    %none = arith.constant 0 : index
    scf.yield %none : index
  }
  %number = arith.index_cast %address : index to i64
  %p = llvm.inttoptr %number : i64 to !llvm.ptr
  call @allocate() : () -> ()
  %x = llvm.load %p : !llvm.ptr -> i64
  return %x : i64
}

func.func private @getAddress(%a: memref<4xi64>) -> i64 {
  %address = memref.extract_aligned_pointer_as_index %a : memref<4xi64> -> index
  %number = arith.index_cast %address : index to i64
  return %number : i64
}

// IR-LABEL: func.func @fromCallee(
//       IR:   llvm.load
//  IR-NEXT:   memref.dealloc
func.func @fromCallee() -> i64 {
  %forty = arith.constant 42 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%forty : i64) outs(%a : memref<4xi64>)
  %number = call @getAddress(%a) : (memref<4xi64>) -> i64
  %p = llvm.inttoptr %number : i64 to !llvm.ptr
  call @allocate() : () -> ()
  %x = llvm.load %p : !llvm.ptr -> i64
  return %x : i64
}

// Both exist at the same time.
// IR-LABEL: func.func @compared(
//       IR:   arith.cmpi
//       IR:   memref.dealloc
//       IR:   memref.dealloc
func.func @compared() -> i64 {
  %c0 = arith.constant 0 : index
  %forty = arith.constant 42 : i64
  %a = memref.alloc() : memref<4xi64>
  memref.store %forty, %a[%c0] : memref<4xi64>
  %p = memref.extract_aligned_pointer_as_index %a : memref<4xi64> -> index
  %b = memref.alloc() : memref<4xi64>
  memref.store %forty, %b[%c0] : memref<4xi64>
  %q = memref.extract_aligned_pointer_as_index %b : memref<4xi64> -> index
  %isEqual = arith.cmpi eq, %p, %q : index
  %x = arith.extui %isEqual : i1 to i64
  return %x : i64
}

// Gets what was freed last.
func.func private @allocate() {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<4xi64>
  memref.store %seven, %a[%c0] : memref<4xi64>
  %x = memref.load %a[%c0] : memref<4xi64>
  vector.print %x : i64
  return
}

func.func @main() {
  %true = arith.constant true
  %0 = call @converted() : () -> i64
  vector.print %0 : i64
  %1 = call @stored() : () -> i64
  vector.print %1 : i64
  %2 = call @inBranch(%true) : (i1) -> i64
  vector.print %2 : i64
  %3 = call @fromCallee() : () -> i64
  vector.print %3 : i64
  %4 = call @compared() : () -> i64
  vector.print %4 : i64
  return
}
