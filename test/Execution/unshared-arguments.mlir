// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}}' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge --buffer-deallocation-pipeline | %execute | diff %t.before -

// Outputs of private functions hold buffers before they are overwritten, if every
// caller shows that nothing else accesses them meanwhile. Each function reads %x
// after it has computed other buffers, and overwrites %out at the end.

// CHECK-COUNT-2: [14,  28,  42,  56]
// CHECK-COUNT-8: [14,  14,  14,  14]

!m = memref<4xi32>

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

// Both callers pass allocations.
// IR-LABEL: func private @proven(
//       IR: memref.reinterpret_cast %arg1
//       IR: return
func.func private @proven(%x: !m, %out: !m) {
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

// What an argument is to its caller, which is one of those.
// IR-LABEL: func private @inner(
//       IR: memref.reinterpret_cast %arg1
//       IR: return
func.func private @inner(%x: !m, %out: !m) {
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
func.func private @outer(%x: !m, %out: !m) {
  call @inner(%x, %out) : (!m, !m) -> ()
  return
}

// The argument of the caller is two of its arguments.
// IR-LABEL: func private @inner_of_same(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @inner_of_same(%x: !m, %out: !m) {
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
func.func private @outer_of_same(%x: !m, %out: !m) {
  call @inner_of_same(%x, %out) : (!m, !m) -> ()
  return
}

// One memref is passed as both.
// IR-LABEL: func private @same(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @same(%x: !m, %out: !m) {
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

// It may be.
// IR-LABEL: func private @selected(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @selected(%x: !m, %out: !m) {
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

// One caller of two does so.
// IR-LABEL: func private @one_of_two(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @one_of_two(%x: !m, %out: !m) {
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

// A caller that is not known does so.
// IR-LABEL: func private @pointer(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @pointer(%x: !m, %out: !m) {
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

// The function loads it.
// IR-LABEL: func private @stored(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @stored(%box: memref<memref<4xi32>>, %out: !m) {
  %x = memref.load %box[] : memref<memref<4xi32>>
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

func.func private @print(%m: !m) {
  %cast = memref.cast %m : !m to memref<*xi32>
  call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %one = arith.constant 1 : i32
  %x = memref.alloc() : !m
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : !m) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %sum = arith.addi %j, %one : i32
    linalg.yield %sum : i32
  }
  %p = memref.alloc() : !m
  call @proven(%x, %p) : (!m, !m) -> ()
  call @print(%p) : (!m) -> ()
  %q = memref.alloc() : !m
  call @outer(%x, %q) : (!m, !m) -> ()
  call @print(%q) : (!m) -> ()
  %other = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%other : !m)
  call @proven(%other, %p) : (!m, !m) -> ()
  call @print(%p) : (!m) -> ()
  %r = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%r : !m)
  call @outer_of_same(%r, %r) : (!m, !m) -> ()
  call @print(%r) : (!m) -> ()
  %s = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%s : !m)
  call @same(%s, %s) : (!m, !m) -> ()
  call @print(%s) : (!m) -> ()
  %t = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%t : !m)
  %either = arith.select %true, %t, %x : !m
  call @selected(%either, %t) : (!m, !m) -> ()
  call @print(%t) : (!m) -> ()
  %u = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%u : !m)
  call @one_of_two(%other, %u) : (!m, !m) -> ()
  call @print(%u) : (!m) -> ()
  %v = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%v : !m)
  call @one_of_two(%v, %v) : (!m, !m) -> ()
  call @print(%v) : (!m) -> ()
  %w = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%w : !m)
  call @pointer(%other, %p) : (!m, !m) -> ()
  %function = func.constant @pointer : (!m, !m) -> ()
  func.call_indirect %function(%w, %w) : (!m, !m) -> ()
  call @print(%w) : (!m) -> ()
  %z = memref.alloc() : !m
  linalg.fill ins(%one : i32) outs(%z : !m)
  %box = memref.alloc() : memref<memref<4xi32>>
  memref.store %z, %box[] : memref<memref<4xi32>>
  call @stored(%box, %z) : (memref<memref<4xi32>>, !m) -> ()
  call @print(%z) : (!m) -> ()
  return
}
