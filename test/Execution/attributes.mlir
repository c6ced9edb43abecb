// UNSUPPORTED: sanitizer
// RUN: buffer-merge-opt %s | %compiled_execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge='pool=global limit-peak=none' -o %t.mlir
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.mlir
// RUN: cat %t.mlir | %compiled_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack limit-peak=none' | %compiled_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge | %compiled_execute | diff %t.before -

// REQUIRES: clang

// An optimizer may move accesses across the call of a function that says it touches
// no memory. So it must not, if it says so, get bytes of its caller.

// CHECK-COUNT-5: 110

#none = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>

func.func private @printI64(i64)
func.func private @printNewline()

func.func private @use(%m: memref<64xi64>) attributes {passthrough = ["noinline"]} {
  %c5 = arith.constant 5 : i64
  linalg.fill ins(%c5 : i64) outs(%m : memref<64xi64>)
  return
}

func.func private @mul(%x: i64, %y: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %q = arith.muli %x, %y : i64
  return %q : i64
}

// What becomes of a function that says nothing.
// GLOBAL-LABEL: func.func private @says_nothing(%arg0: i64, %{{.*}}: memref<?xi8>
func.func private @says_nothing(%x: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<64xi64>)
  %b = memref.alloc() : memref<64xi64>
  linalg.add ins(%a, %a : memref<64xi64>, memref<64xi64>) outs(%b : memref<64xi64>)
  %r = memref.load %b[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return %r : i64
}
func.func @call_says_nothing(%k: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : i64
  %c3 = arith.constant 3 : i64
  %a = memref.alloc() : memref<64xi64>
  call @use(%a) : (memref<64xi64>) -> ()
  %x = memref.load %a[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  %y = call @says_nothing(%k) : (i64) -> i64
  %c = arith.cmpi sgt, %y, %c3 : i64
  %r = scf.if %c -> (i64) {
    %q = func.call @mul(%x, %y) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %c9 : i64
  }
  return %r : i64
}

// GLOBAL-LABEL: func.func private @readnone(
//       GLOBAL:   memref.alloc()
func.func private @readnone(%x: i64) -> i64 attributes {llvm.readnone, passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<64xi64>)
  %b = memref.alloc() : memref<64xi64>
  linalg.add ins(%a, %a : memref<64xi64>, memref<64xi64>) outs(%b : memref<64xi64>)
  %r = memref.load %b[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return %r : i64
}
func.func @call_readnone(%k: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : i64
  %c3 = arith.constant 3 : i64
  %a = memref.alloc() : memref<64xi64>
  call @use(%a) : (memref<64xi64>) -> ()
  %x = memref.load %a[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  %y = call @readnone(%k) : (i64) -> i64
  %c = arith.cmpi sgt, %y, %c3 : i64
  %r = scf.if %c -> (i64) {
    %q = func.call @mul(%x, %y) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %c9 : i64
  }
  return %r : i64
}

// GLOBAL-LABEL: func.func private @memory_effects(
//       GLOBAL:   memref.alloc()
func.func private @memory_effects(%x: i64) -> i64 attributes {memory_effects = #none, no_inline} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<64xi64>)
  %b = memref.alloc() : memref<64xi64>
  linalg.add ins(%a, %a : memref<64xi64>, memref<64xi64>) outs(%b : memref<64xi64>)
  %r = memref.load %b[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return %r : i64
}
func.func @call_memory_effects(%k: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : i64
  %c3 = arith.constant 3 : i64
  %a = memref.alloc() : memref<64xi64>
  call @use(%a) : (memref<64xi64>) -> ()
  %x = memref.load %a[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  %y = call @memory_effects(%k) : (i64) -> i64
  %c = arith.cmpi sgt, %y, %c3 : i64
  %r = scf.if %c -> (i64) {
    %q = func.call @mul(%x, %y) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %c9 : i64
  }
  return %r : i64
}

// GLOBAL-LABEL: func.func private @passthrough(
//       GLOBAL:   memref.alloc()
func.func private @passthrough(%x: i64) -> i64 attributes {passthrough = ["noinline", ["memory", "0"]]} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<64xi64>)
  %b = memref.alloc() : memref<64xi64>
  linalg.add ins(%a, %a : memref<64xi64>, memref<64xi64>) outs(%b : memref<64xi64>)
  %r = memref.load %b[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return %r : i64
}
func.func @call_passthrough(%k: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : i64
  %c3 = arith.constant 3 : i64
  %a = memref.alloc() : memref<64xi64>
  call @use(%a) : (memref<64xi64>) -> ()
  %x = memref.load %a[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  %y = call @passthrough(%k) : (i64) -> i64
  %c = arith.cmpi sgt, %y, %c3 : i64
  %r = scf.if %c -> (i64) {
    %q = func.call @mul(%x, %y) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %c9 : i64
  }
  return %r : i64
}

// What its caller says counts for a global.
func.func private @fill(%x: i64, %m: memref<64xi64>) attributes {passthrough = ["noinline"]} {
  linalg.fill ins(%x : i64) outs(%m : memref<64xi64>)
  return
}
// GLOBAL-LABEL: func.func private @inner(
//       GLOBAL:   memref.alloc()
func.func private @inner(%x: i64) -> i64 attributes {passthrough = ["alwaysinline"]} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  call @fill(%x, %a) : (i64, memref<64xi64>) -> ()
  %y = memref.load %a[%c1] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  %b = memref.alloc() : memref<64xi64>
  call @fill(%y, %b) : (i64, memref<64xi64>) -> ()
  %r = memref.load %b[%c1] : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return %r : i64
}
// GLOBAL-LABEL: func.func private @outer(
//       GLOBAL:   memref.alloc()
func.func private @outer(%x: i64) -> i64 attributes {llvm.readnone, passthrough = ["noinline"]} {
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<64xi64>
  call @fill(%x, %m) : (i64, memref<64xi64>) -> ()
  %y = memref.load %m[%c1] : memref<64xi64>
  memref.dealloc %m : memref<64xi64>
  %r = call @inner(%y) : (i64) -> i64
  %s = arith.addi %r, %r : i64
  return %s : i64
}
func.func @call_outer(%k: i64) -> i64 attributes {passthrough = ["noinline"]} {
  %c5 = arith.constant 5 : i64
  %c9 = arith.constant 9 : i64
  %c3 = arith.constant 3 : i64
  %x = call @inner(%c5) : (i64) -> i64
  %y = call @outer(%k) : (i64) -> i64
  %c = arith.cmpi sgt, %y, %c3 : i64
  %r = scf.if %c -> (i64) {
    %q = func.call @mul(%x, %y) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %c9 : i64
  }
  return %r : i64
}

func.func @main() -> i32 {
  %k = arith.constant 11 : i64
  %says_nothing = call @call_says_nothing(%k) : (i64) -> i64
  call @printI64(%says_nothing) : (i64) -> ()
  call @printNewline() : () -> ()
  %readnone = call @call_readnone(%k) : (i64) -> i64
  call @printI64(%readnone) : (i64) -> ()
  call @printNewline() : () -> ()
  %memory_effects = call @call_memory_effects(%k) : (i64) -> i64
  call @printI64(%memory_effects) : (i64) -> ()
  call @printNewline() : () -> ()
  %passthrough = call @call_passthrough(%k) : (i64) -> i64
  call @printI64(%passthrough) : (i64) -> ()
  call @printNewline() : () -> ()
  %outer = call @call_outer(%k) : (i64) -> i64
  call @printI64(%outer) : (i64) -> ()
  call @printNewline() : () -> ()
  %zero = arith.constant 0 : i32
  return %zero : i32
}
