// UNSUPPORTED: sanitizer
// RUN: buffer-merge-opt %s | %bare_compiled_execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge='limit-peak=none min-gain=0' -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %bare_compiled_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge | %bare_compiled_execute | diff %t.before -

// REQUIRES: clang

// An optimizer may move accesses to an argument that is only read, so that no buffer
// must be there.

//      CHECK: 20
// CHECK-NEXT: 32
// CHECK-NEXT: 32
// CHECK-NEXT: 16
// CHECK-NEXT: 16

!m = memref<64xi64>
#reads = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>

func.func private @printI64(i64)
func.func private @printNewline()
memref.global "private" constant @weights : !m = dense<4>

func.func private @mul(%x: i64, %y: i64) -> i64 attributes {no_inline} {
  %q = arith.muli %x, %y : i64
  return %q : i64
}

// IR-LABEL: func.func @readonly(
//   IR-NOT:   reinterpret_cast
func.func @readonly(%in: !m {buffer_merge.donated, llvm.noalias, llvm.readonly}, %out: !m {llvm.noalias}) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : !m
  linalg.add ins(%in, %in : !m, !m) outs(%a : !m)
  %x = memref.load %in[%c3] : !m
  %d = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%d : !m)
  %y = memref.load %d[%c3] : !m
  %s = arith.addi %x, %y : i64
  memref.store %s, %out[%c3] : !m
  memref.dealloc %a : !m
  memref.dealloc %d : !m
  return %s : i64
}

// IR-LABEL: func.func @of_a_caller(
//   IR-NOT:   reinterpret_cast
func.func @of_a_caller(%in: !m {buffer_merge.donated}) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : !m
  linalg.add ins(%in, %in : !m, !m) outs(%a : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%d : !m)
  %y = memref.load %d[%c3] : !m
  memref.dealloc %a : !m
  memref.dealloc %d : !m
  return %y : i64
}
func.func @caller(%in: !m {llvm.noalias, llvm.readonly}) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : i64
  %x = memref.load %in[%c3] : !m
  %y = func.call @of_a_caller(%in) : (!m) -> i64
  %c = arith.cmpi sgt, %y, %c4 : i64
  %r = scf.if %c -> i64 {
    %q = func.call @mul(%x, %c4) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %y : i64
  }
  %s = arith.addi %r, %y : i64
  return %s : i64
}

// IR-LABEL: func.func @of_a_call(
//   IR-NOT:   reinterpret_cast
func.func @of_a_call(%in: !m {buffer_merge.donated}) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : !m
  linalg.add ins(%in, %in : !m, !m) outs(%a : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%d : !m)
  %y = memref.load %d[%c3] : !m
  memref.dealloc %a : !m
  memref.dealloc %d : !m
  return %y : i64
}
func.func @with_a_call(%in: !m) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : i64
  %x = memref.load %in[%c3] : !m
  %y = func.call @of_a_call(%in) {memory_effects = #reads} : (!m) -> i64
  %c = arith.cmpi sgt, %y, %c4 : i64
  %r = scf.if %c -> i64 {
    %q = func.call @mul(%x, %c4) : (i64, i64) -> i64
    scf.yield %q : i64
  } else {
    scf.yield %y : i64
  }
  %s = arith.addi %r, %y : i64
  return %s : i64
}

// IR-LABEL: func.func @of_a_constant(
//   IR-NOT:   reinterpret_cast
func.func @of_a_constant(%in: !m {buffer_merge.donated}) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : !m
  linalg.add ins(%in, %in : !m, !m) outs(%a : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%d : !m)
  %y = memref.load %d[%c3] : !m
  memref.dealloc %a : !m
  memref.dealloc %d : !m
  return %y : i64
}

// Nothing is said that would become false.
// IR-LABEL: func.func @donated(
//       IR:   reinterpret_cast %arg0
func.func @donated(%in: !m {buffer_merge.donated, llvm.noalias, llvm.nonnull}) -> i64 attributes {no_inline} {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : !m
  linalg.add ins(%in, %in : !m, !m) outs(%a : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%d : !m)
  %y = memref.load %d[%c3] : !m
  memref.dealloc %a : !m
  memref.dealloc %d : !m
  return %y : i64
}

func.func private @print(%x: i64) {
  call @printI64(%x) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() -> i32 {
  %c4 = arith.constant 4 : i64
  %in = memref.alloc() : !m
  %out = memref.alloc() : !m
  linalg.fill ins(%c4 : i64) outs(%in : !m)
  linalg.fill ins(%c4 : i64) outs(%out : !m)
  %0 = call @readonly(%in, %out) : (!m, !m) -> i64
  call @print(%0) : (i64) -> ()
  linalg.fill ins(%c4 : i64) outs(%in : !m)
  %1 = call @caller(%in) : (!m) -> i64
  call @print(%1) : (i64) -> ()
  linalg.fill ins(%c4 : i64) outs(%in : !m)
  %2 = call @with_a_call(%in) : (!m) -> i64
  call @print(%2) : (i64) -> ()
  %w = memref.get_global @weights : !m
  %3 = call @of_a_constant(%w) : (!m) -> i64
  call @print(%3) : (i64) -> ()
  linalg.fill ins(%c4 : i64) outs(%in : !m)
  %4 = call @donated(%in) : (!m) -> i64
  call @print(%4) : (i64) -> ()
  memref.dealloc %in : !m
  memref.dealloc %out : !m
  %zero = arith.constant 0 : i32
  return %zero : i32
}
