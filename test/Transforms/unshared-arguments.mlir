// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge))' | FileCheck %s --check-prefix=ALONE

// Outputs of functions whose callers are not all known, or do not show that nothing
// else accesses what they pass.

// ALONE-NOT: memref.reinterpret_cast

!m = memref<4xi32>

// Both calls pass an allocation that is aligned to 32 bytes at least.
// CHECK-LABEL: func private @aligned(
//       CHECK: memref.reinterpret_cast %arg1
//       CHECK: return
func.func private @aligned(%x: !m, %out: !m) {
  %a = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// One call passes one that is aligned to 16.
// CHECK-LABEL: func private @unaligned(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func private @unaligned(%x: !m, %out: !m) {
  %a = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() {alignment = 32 : i64} : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// Others may call it.
// CHECK-LABEL: func @public(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func @public(%x: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// CHECK-LABEL: func private @interface(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func private @interface(%x: !m, %out: !m) attributes {llvm.emit_c_interface} {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// Nobody calls it.
// CHECK-LABEL: func private @unused(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func private @unused(%x: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// Iterations call it at the same time.
// CHECK-LABEL: func private @parallel(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func private @parallel(%x: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// Each iteration has an allocation of its own.
// CHECK-LABEL: func private @own(
//       CHECK: memref.reinterpret_cast %arg1
//       CHECK: return
func.func private @own(%x: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// A task may access it.
// CHECK-LABEL: func private @task(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func private @task(%x: !m, %out: !m, %token: !async.token) {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%c, %x : !m, !m) outs(%d : !m)
  async.await %token : !async.token
  linalg.add ins(%d, %d : !m, !m) outs(%out : !m)
  return
}

// Each of them calls the other one with it.
// CHECK-LABEL: func private @recursive(
//   CHECK-NOT: memref.reinterpret_cast
//       CHECK: return
func.func private @recursive(%x: !m, %out: !m, %n: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  linalg.fill ins(%zero : i32) outs(%out : !m)
  linalg.add ins(%c, %out : !m, !m) outs(%out : !m)
  %m = arith.subi %n, %c1 : index
  %more = arith.cmpi ugt, %m, %c1 : index
  scf.if %more {
    func.call @recursive(%x, %out, %m) : (!m, !m, index) -> ()
  }
  return
}

func.func @main(%x: !m, %y: memref<8x4xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() {alignment = 64 : i64} : !m
  call @aligned(%x, %p) : (!m, !m) -> ()
  memref.copy %p, %x : !m to !m
  %q = memref.alloc() {alignment = 32 : i64} : !m
  call @aligned(%x, %q) : (!m, !m) -> ()
  call @unaligned(%x, %q) : (!m, !m) -> ()
  memref.copy %q, %x : !m to !m
  %r = memref.alloc() {alignment = 16 : i64} : !m
  call @unaligned(%x, %r) : (!m, !m) -> ()
  memref.copy %r, %x : !m to !m
  %u = memref.alloc() : !m
  call @public(%x, %u) : (!m, !m) -> ()
  call @interface(%x, %u) : (!m, !m) -> ()
  memref.copy %u, %x : !m to !m
  %v = memref.alloc() : !m
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @parallel(%x, %v) : (!m, !m) -> ()
    %own = memref.alloc() : !m
    func.call @own(%x, %own) : (!m, !m) -> ()
    memref.copy %own, %x : !m to !m
  }
  memref.copy %v, %x : !m to !m
  %s = memref.alloc() : !m
  memref.copy %x, %s : !m to !m
  %token = async.execute {
    memref.copy %s, %x : !m to !m
    async.yield
  }
  call @task(%x, %s, %token) : (!m, !m, !async.token) -> ()
  memref.copy %s, %x : !m to !m
  %t = memref.alloc() : !m
  call @recursive(%x, %t, %n) : (!m, !m, index) -> ()
  memref.copy %t, %x : !m to !m
  return
}
