// RUN: buffer-merge-opt %s | %counted_execute > %t.before
// RUN: FileCheck %s --check-prefixes=CHECK,BEFORE < %t.before
// RUN: buffer-merge-opt %s --rotate-carried-buffers=slots=scope | %counted_execute > %t.after
// RUN: FileCheck %s --check-prefixes=CHECK,AFTER < %t.after
// RUN: grep '\[' %t.before > %t.values
// RUN: buffer-merge-opt %s --rotate-carried-buffers | %counted_execute | grep '\[' | diff %t.values -
// RUN: buffer-merge-opt %s --rotate-carried-buffers --buffer-merge="scheduler=bump erase-copies=false" | %counted_execute | grep '\[' | diff %t.values -
// RUN: buffer-merge-opt %s --rotate-carried-buffers --buffer-merge="scheduler=best-fit erase-copies=false" | %counted_execute | grep '\[' | diff %t.values -
// RUN: buffer-merge-opt %s --rotate-carried-buffers --buffer-merge="scheduler=first-fit erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %counted_execute > %t.merged
// RUN: FileCheck %s --check-prefixes=CHECK,MERGED < %t.merged

// Loop-carried buffers are counted as they are allocated. A loop that runs n times
// makes n; given slots, there are as many as are in use at once, for any n, and
// merged with the other buffers of the function, one pool is all. The values are the
// same: @mix reads its operands backwards, so that an instance that is
// overwritten too early shows.

func.func private @mix(%p: memref<8xi64>, %q: memref<8xi64>, %new: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %three = arith.constant 3 : i64
  scf.for %i = %c0 to %c8 step %c1 {
    %j = arith.subi %c7, %i : index
    %x = memref.load %p[%j] : memref<8xi64>
    %y = memref.load %q[%i] : memref<8xi64>
    %v = arith.index_cast %i : index to i64
    %s = arith.muli %x, %three : i64
    %t = arith.addi %s, %y : i64
    %u = arith.addi %t, %v : i64
    memref.store %u, %new[%i] : memref<8xi64>
  }
  return
}

// A plain carry. Type II: the first one comes from elsewhere.
func.func @plain(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in) -> memref<8xi64> {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    scf.yield %a : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  return
}

// The old one is gone when the next one is made.
func.func @gone(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in) -> memref<8xi64> {
    %x = memref.load %old[%c1] : memref<8xi64>
    %y = arith.addi %x, %five : i64
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%y : i64) outs(%a : memref<8xi64>)
    scf.yield %a : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  return
}

// A chain of three: the new one, and the two before.
func.func @chain(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %in, %q = %in) -> (memref<8xi64>, memref<8xi64>) {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%p, %q, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    func.call @mix(%q, %p, %out) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    scf.yield %q, %a : memref<8xi64>, memref<8xi64>
  }
  func.call @mix(%r#0, %r#1, %out) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
  return
}

// Two that change places.
func.func @swap(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %in, %q = %in) -> (memref<8xi64>, memref<8xi64>) {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%p, %q, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    %b = memref.alloc() : memref<8xi64>
    func.call @mix(%q, %p, %b) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    scf.yield %b, %a : memref<8xi64>, memref<8xi64>
  }
  func.call @mix(%r#0, %r#1, %out) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
  return
}

// Carried through two loops; the inner one runs 0, 1, 2, ... times.
func.func @nest(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %in) -> memref<8xi64> {
    %s = scf.for %i = %c0 to %k step %c1 iter_args(%old = %x) -> memref<8xi64> {
      %a = memref.alloc() : memref<8xi64>
      func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
      scf.yield %a : memref<8xi64>
    }
    scf.yield %s : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  return
}

// Carried by the inner loop, whose result the outer one uses.
func.func @inner(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  scf.for %k = %c0 to %n step %c1 {
    %s = scf.for %i = %c0 to %k step %c1 iter_args(%old = %in) -> memref<8xi64> {
      %a = memref.alloc() : memref<8xi64>
      func.call @mix(%old, %out, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
      scf.yield %a : memref<8xi64>
    }
    memref.copy %s, %out : memref<8xi64> to memref<8xi64>
  }
  return
}

// In a branch that need not be taken: what nothing frees is not allocated then.
func.func @branch(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %isTaken = arith.cmpi ne, %n, %c0 : index
  scf.if %isTaken {
    scf.for %k = %c0 to %n step %c1 {
      %s = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in) -> memref<8xi64> {
        %a = memref.alloc() : memref<8xi64>
        func.call @mix(%old, %out, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
        scf.yield %a : memref<8xi64>
      }
      memref.copy %s, %out : memref<8xi64> to memref<8xi64>
    }
  }
  return
}

// Of scf.while, in the second region.
func.func @while(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r:3 = scf.while (%i = %c0, %p = %in, %q = %in) : (index, memref<8xi64>, memref<8xi64>) -> (index, memref<8xi64>, memref<8xi64>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %p, %q : index, memref<8xi64>, memref<8xi64>
  } do {
  ^bb0(%i: index, %p: memref<8xi64>, %q: memref<8xi64>):
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%p, %q, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %q, %a : index, memref<8xi64>, memref<8xi64>
  }
  func.call @mix(%r#1, %r#2, %out) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
  return
}

// In the first, which is executed once more; the second still sees the old one.
func.func @while_before(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r:3 = scf.while (%i = %c0, %old = %in) : (index, memref<8xi64>) -> (index, memref<8xi64>, memref<8xi64>) {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %old, %a : index, memref<8xi64>, memref<8xi64>
  } do {
  ^bb0(%i: index, %old: memref<8xi64>, %new: memref<8xi64>):
    func.call @mix(%old, %new, %out) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %new : index, memref<8xi64>
  }
  func.call @mix(%r#1, %r#2, %out) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
  return
}

// In the one branch or the other.
func.func @either(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in) -> memref<8xi64> {
    %c2 = arith.constant 2 : index
    %even = arith.remui %i, %c2 : index
    %c = arith.cmpi eq, %even, %c0 : index
    %new = scf.if %c -> memref<8xi64> {
      %a = memref.alloc() : memref<8xi64>
      func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
      scf.yield %a : memref<8xi64>
    } else {
      %b = memref.alloc() : memref<8xi64>
      func.call @mix(%in, %old, %b) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
      scf.yield %b : memref<8xi64>
    }
    scf.yield %new : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  return
}

// With deallocations, of the first one as well.
func.func @freed(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  memref.dealloc %before : memref<8xi64>
  %first = memref.alloc() : memref<8xi64>
  memref.copy %in, %first : memref<8xi64> to memref<8xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> memref<8xi64> {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    memref.dealloc %old : memref<8xi64>
    scf.yield %a : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  memref.dealloc %r : memref<8xi64>
  return
}

// With a flag that says whether there is something to free.
func.func @owned(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %true = arith.constant true
  %false = arith.constant false
  memref.dealloc %before : memref<8xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in, %owned = %false) -> (memref<8xi64>, i1) {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    scf.if %owned {
      memref.dealloc %old : memref<8xi64>
    }
    scf.yield %a, %true : memref<8xi64>, i1
  }
  memref.copy %r#0, %out : memref<8xi64> to memref<8xi64>
  scf.if %r#1 {
    memref.dealloc %r#0 : memref<8xi64>
  }
  return
}

// The one of iteration 1 is kept: left alone.
func.func @kept(%n: index, %in: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  // Gone before the loop, so that merging has something to do.
  %before = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%before : memref<8xi64>)
  memref.copy %before, %out : memref<8xi64> to memref<8xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in) -> memref<8xi64> {
    %a = memref.alloc() : memref<8xi64>
    func.call @mix(%old, %in, %a) : (memref<8xi64>, memref<8xi64>, memref<8xi64>) -> ()
    %new = arith.cmpi ule, %i, %c1 : index
    %next = arith.select %new, %a, %old : memref<8xi64>
    scf.yield %next : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  return
}

// What allocations and frees become with use-generic-functions.
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.mlir.global internal @allocations(0 : i64) : i64
llvm.mlir.global internal @frees(0 : i64) : i64
llvm.func @_mlir_memref_to_llvm_alloc(%size: i64) -> !llvm.ptr {
  %counter = llvm.mlir.addressof @allocations : !llvm.ptr
  %one = llvm.mlir.constant(1 : i64) : i64
  %old = llvm.load %counter : !llvm.ptr -> i64
  %new = llvm.add %old, %one : i64
  llvm.store %new, %counter : i64, !llvm.ptr
  %result = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.return %result : !llvm.ptr
}
llvm.func @_mlir_memref_to_llvm_free(%pointer: !llvm.ptr) {
  %counter = llvm.mlir.addressof @frees : !llvm.ptr
  %one = llvm.mlir.constant(1 : i64) : i64
  %old = llvm.load %counter : !llvm.ptr -> i64
  %new = llvm.add %old, %one : i64
  llvm.store %new, %counter : i64, !llvm.ptr
  llvm.call @free(%pointer) : (!llvm.ptr) -> ()
  llvm.return
}
// Returns a counter and sets it to zero.
llvm.func @take(%counter: !llvm.ptr) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %value = llvm.load %counter : !llvm.ptr -> i64
  llvm.store %zero, %counter : i64, !llvm.ptr
  llvm.return %value : i64
}
func.func @report(%out: memref<8xi64>) {
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  %allocations = llvm.mlir.addressof @allocations : !llvm.ptr
  %n = llvm.call @take(%allocations) : (!llvm.ptr) -> i64
  %frees = llvm.mlir.addressof @frees : !llvm.ptr
  %m = llvm.call @take(%frees) : (!llvm.ptr) -> i64
  vector.print str "allocations "
  vector.print %n : i64
  vector.print str "frees "
  vector.print %m : i64
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %in = memref.alloc() : memref<8xi64>
  %out = memref.alloc() : memref<8xi64>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %in[%i] : memref<8xi64>
    memref.store %v, %out[%i] : memref<8xi64>
  }
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // CHECK-NEXT: allocations 2
  // CHECK-NEXT: frees 0
  call @report(%out) : (memref<8xi64>) -> ()

  call @plain(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @plain(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @plain(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  47,  52,  57,  62,  67,  72,  77]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @plain(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [19131,  18038,  16945,  15852,  14759,  13666,  12573,  11480]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @gone(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 2
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @gone(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [6,  6,  6,  6,  6,  6,  6,  6]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 2
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @gone(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [11,  11,  11,  11,  11,  11,  11,  11]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 2
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @gone(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [36,  36,  36,  36,  36,  36,  36,  36]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 2
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @chain(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @chain(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  39,  36,  33,  30,  27,  24,  21]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @chain(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [84,  85,  86,  87,  88,  89,  90,  91]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @chain(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [5334,  5355,  5376,  5397,  5418,  5439,  5460,  5481]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @swap(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @swap(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [63,  66,  69,  72,  75,  78,  81,  84]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @swap(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [315,  310,  305,  300,  295,  290,  285,  280]
  // BEFORE-NEXT: allocations 5
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @swap(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [305235,  305406,  305577,  305748,  305919,  306090,  306261,  306432]
  // BEFORE-NEXT: allocations 15
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @nest(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @nest(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @nest(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @nest(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [91528090521,  86297913920,  81067737319,  75837560718,  70607384117,  65377207516,  60147030915,  54916854314]
  // BEFORE-NEXT: allocations 22
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @branch(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: {{^}}[{{.*}}]
  // BEFORE-NEXT: allocations 0
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 0
  //  AFTER-NEXT: frees 0

  call @inner(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [5,  5,  5,  5,  5,  5,  5,  5]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @inner(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @inner(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @inner(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [2879884644,  2888788813,  2897692982,  2906597151,  2915501320,  2924405489,  2933309658,  2942213827]
  // BEFORE-NEXT: allocations 22
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  39,  36,  33,  30,  27,  24,  21]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [84,  85,  86,  87,  88,  89,  90,  91]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [5334,  5355,  5376,  5397,  5418,  5439,  5460,  5481]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while_before(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  39,  36,  33,  30,  27,  24,  21]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while_before(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [84,  93,  102,  111,  120,  129,  138,  147]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while_before(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [462,  435,  408,  381,  354,  327,  300,  273]
  // BEFORE-NEXT: allocations 4
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @while_before(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [68880,  75441,  82002,  88563,  95124,  101685,  108246,  114807]
  // BEFORE-NEXT: allocations 9
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @either(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @either(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @either(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  39,  36,  33,  30,  27,  24,  21]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @either(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [819,  902,  985,  1068,  1151,  1234,  1317,  1400]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 5
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @freed(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 2
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 4
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @freed(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 3
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 4
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @freed(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  47,  52,  57,  62,  67,  72,  77]
  // BEFORE-NEXT: allocations 4
  // BEFORE-NEXT: frees 4
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 4
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @freed(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [19131,  18038,  16945,  15852,  14759,  13666,  12573,  11480]
  // BEFORE-NEXT: allocations 9
  // BEFORE-NEXT: frees 9
  //  AFTER-NEXT: allocations 4
  //  AFTER-NEXT: frees 4
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @owned(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 1
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 3
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @owned(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 2
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 3
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @owned(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  47,  52,  57,  62,  67,  72,  77]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 3
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 3
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @owned(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [19131,  18038,  16945,  15852,  14759,  13666,  12573,  11480]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 8
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 3
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 1

  call @kept(%c0, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  // BEFORE-NEXT: allocations 1
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 1
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 1
  // MERGED-NEXT: frees 0

  call @kept(%c1, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [21,  20,  19,  18,  17,  16,  15,  14]
  // BEFORE-NEXT: allocations 2
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 2
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 2
  // MERGED-NEXT: frees 0

  call @kept(%c2, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  47,  52,  57,  62,  67,  72,  77]
  // BEFORE-NEXT: allocations 3
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 3
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 3
  // MERGED-NEXT: frees 0

  call @kept(%c7, %in, %out) : (index, memref<8xi64>, memref<8xi64>) -> ()
  call @report(%out) : (memref<8xi64>) -> ()
  //      CHECK: [42,  47,  52,  57,  62,  67,  72,  77]
  // BEFORE-NEXT: allocations 8
  // BEFORE-NEXT: frees 0
  //  AFTER-NEXT: allocations 8
  //  AFTER-NEXT: frees 0
  // MERGED-NEXT: allocations 8
  // MERGED-NEXT: frees 0

  memref.dealloc %in : memref<8xi64>
  memref.dealloc %out : memref<8xi64>
  return
}
