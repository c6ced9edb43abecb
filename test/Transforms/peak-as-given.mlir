// RUN: buffer-merge-opt %s --buffer-merge --split-input-file | FileCheck %s

// A merged program never needs more than the program that was given (R7), in which
// what is never freed stays.

// @large frees what it holds: a pool at the front would be held beside it.

// CHECK-LABEL: func.func @begins_later(
//   CHECK-NOT:   memref.alloc
//       CHECK:   call @large()
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @begins_later(%x: memref<1024xf32>) {
  call @large() : () -> ()
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<4096xf32>)
  memref.dealloc %l : memref<4096xf32>
  return
}

// -----

// The same beside a callee that leaves behind what it allocates: that is there at
// the end, too, and the pool is no more than what it replaces.

// CHECK-LABEL: func.func @beside_what_stays(
//  CHECK-NEXT:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @beside_what_stays(%x: memref<1024xf32>) {
  call @leaves() : () -> ()
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @leaves() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<4096xf32>)
  return
}

// -----

// Where the branch is not taken, the program leaves nothing behind, however often it
// calls this, and neither does the merged one.

// CHECK-LABEL: func.func @branch(
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.if
//       CHECK:     memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @branch(%x: memref<1024xf32>, %c: i1) {
  scf.if %c {
    %a = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
    memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
    memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  }
  return
}

// -----

// A callee holds more for a while than a path around the branch leaves behind: so
// there is room for the pool of all at its peak, but not in the end.

// CHECK-LABEL: func.func @left_behind(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.if
//       CHECK:     memref.alloc() : memref<2048xf32>
//       CHECK:   return

// With no more than is left behind anyway, the branch is in the pool.

// CHECK-LABEL: func.func @with_branch(
//       CHECK:   memref.alloc() {{.*}} : memref<8192xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @left_behind(%x: memref<1024xf32>, %f: f32, %i: index, %c: i1) {
  call @large() : () -> ()
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  scf.if %c {
    %d = memref.alloc() : memref<2048xf32>
    linalg.fill ins(%f : f32) outs(%d : memref<2048xf32>)
    %e = memref.load %d[%i] : memref<2048xf32>
    memref.store %e, %b[%i] : memref<1024xf32>
  }
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func @with_branch(%x: memref<1024xf32>, %c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  scf.if %c {
    %d = memref.alloc() : memref<1024xf32>
    linalg.powf ins(%b, %x : memref<1024xf32>, memref<1024xf32>) outs(%d : memref<1024xf32>)
    linalg.add ins(%d, %b : memref<1024xf32>, memref<1024xf32>) outs(%b : memref<1024xf32>)
  }
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<4096xf32>)
  memref.dealloc %l : memref<4096xf32>
  return
}

// -----

// Freed on one path only: the pool, which is freed at the end, would be held beside
// %large on the path that has freed %a.

// CHECK-LABEL: func.func @freed_on_one_path(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @freed_on_one_path(%x: memref<1024xf32>, %c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  scf.if %c {
    memref.dealloc %a : memref<1024xf32>
    %f = arith.constant 1.0 : f32
    %large = memref.alloc() : memref<2048xf32>
    linalg.fill ins(%f : f32) outs(%large : memref<2048xf32>)
    func.call @use(%large) : (memref<2048xf32>) -> ()
    memref.dealloc %large : memref<2048xf32>
  } else {
    memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %a : memref<1024xf32>
  }
  return
}
func.func private @use(memref<2048xf32>)

// -----

// The values of one allocation are held as it is, and not twice: a pool of two
// of %a has no gain, because %a is there once without it.

// CHECK-LABEL: func.func @values(
//       CHECK:   memref.alloc() {{.*}} : memref<250xf32>
//       CHECK:   memref.alloc() {{.*}} : memref<250xf32>
//       CHECK:   memref.alloc() {{.*}} : memref<250xf32>
//       CHECK:   return
func.func @values(%in: memref<250xf32>, %in2: memref<250xf32>) -> memref<250xf32> {
  %a = memref.alloc() {alignment = 64 : i64} : memref<250xf32>
  linalg.exp ins(%in : memref<250xf32>) outs(%a : memref<250xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<250xf32>
  linalg.exp ins(%a : memref<250xf32>) outs(%b : memref<250xf32>)
  linalg.exp ins(%in2 : memref<250xf32>) outs(%a : memref<250xf32>)
  linalg.add ins(%a, %b : memref<250xf32>, memref<250xf32>) outs(%a : memref<250xf32>)
  memref.dealloc %b : memref<250xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<250xf32>
  linalg.exp ins(%a : memref<250xf32>) outs(%c : memref<250xf32>)
  memref.dealloc %a : memref<250xf32>
  return %c : memref<250xf32>
}

// -----

// A free of one of two leaves the other one: a pool of %p and %q would be held
// beside it and what @large holds.

// CHECK-LABEL: func.func @one_of_two(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @one_of_two(%x: memref<2048xf32>, %y: memref<1024xf32>, %c: i1) {
  %a = call @make(%x) : (memref<2048xf32>) -> memref<2048xf32>
  %b = call @make(%x) : (memref<2048xf32>) -> memref<2048xf32>
  %s = arith.select %c, %a, %b : memref<2048xf32>
  memref.dealloc %s : memref<2048xf32>
  %p = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
  memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %p : memref<1024xf32>
  call @large() : () -> ()
  %q = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
  memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %q : memref<1024xf32>
  return
}

// The same for a free with other operands than what it frees.

// CHECK-LABEL: func.func @one_of_two_gpu(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @one_of_two_gpu(%y: memref<1024xf32>, %c: i1) {
  %a = gpu.alloc() : memref<2048xf32>
  %b = gpu.alloc() : memref<2048xf32>
  %s = arith.select %c, %a, %b : memref<2048xf32>
  %begin = gpu.wait async
  %end = gpu.dealloc async [%begin] %s : memref<2048xf32>
  gpu.wait [%end]
  %p = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
  memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %p : memref<1024xf32>
  call @large() : () -> ()
  %q = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
  memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %q : memref<1024xf32>
  return
}
func.func private @make(%x: memref<2048xf32>) -> memref<2048xf32> {
  %a = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%x : memref<2048xf32>) outs(%a : memref<2048xf32>)
  return %a : memref<2048xf32>
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  memref.dealloc %l : memref<2048xf32>
  return
}

// -----

// Freed on all paths through the branch: there is nothing beside @small.

// CHECK-LABEL: func.func @freed_on_both_paths(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @freed_on_both_paths(%x: memref<2048xf32>, %y: memref<1024xf32>, %c: i1) {
  %a = call @make(%x) : (memref<2048xf32>) -> memref<2048xf32>
  scf.if %c {
    memref.copy %a, %x : memref<2048xf32> to memref<2048xf32>
    memref.dealloc %a : memref<2048xf32>
  } else {
    memref.dealloc %a : memref<2048xf32>
  }
  %p = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
  memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %p : memref<1024xf32>
  call @small() : () -> ()
  %q = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
  memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %q : memref<1024xf32>
  return
}
func.func private @make(%x: memref<2048xf32>) -> memref<2048xf32> {
  %a = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%x : memref<2048xf32>) outs(%a : memref<2048xf32>)
  return %a : memref<2048xf32>
}
func.func private @small() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<1024xf32>)
  memref.dealloc %l : memref<1024xf32>
  return
}

// -----

// Every iteration but the last one frees %a: it is there beside @small.

// CHECK-LABEL: func.func @left_by_last_iteration(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @left_by_last_iteration(%x: memref<2048xf32>, %y: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @large() : () -> ()
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %a = call @make(%x) : (memref<2048xf32>) -> memref<2048xf32>
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^body, ^exit
^body:
  memref.copy %a, %x : memref<2048xf32> to memref<2048xf32>
  memref.dealloc %a : memref<2048xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^loop(%j : index)
^exit:
  %p = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
  memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %p : memref<1024xf32>
  call @small() : () -> ()
  %q = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
  memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %q : memref<1024xf32>
  return
}
func.func private @make(%x: memref<2048xf32>) -> memref<2048xf32> {
  %a = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%x : memref<2048xf32>) outs(%a : memref<2048xf32>)
  return %a : memref<2048xf32>
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<4096xf32>)
  memref.dealloc %l : memref<4096xf32>
  return
}
func.func private @small() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  memref.dealloc %l : memref<2048xf32>
  return
}

// -----

// What an iteration leaves behind is there at the front of the next one, beside
// @small.

// CHECK-LABEL: func.func @left_by_iterations(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @left_by_iterations(%y: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @large() : () -> ()
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
    memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %p : memref<1024xf32>
    func.call @small() : () -> ()
    %q = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
    memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %q : memref<1024xf32>
    func.call @leaves() : () -> ()
  }
  return
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<4096xf32>)
  memref.dealloc %l : memref<4096xf32>
  return
}
func.func private @small() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  memref.dealloc %l : memref<2048xf32>
  return
}
func.func private @leaves() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  return
}

// -----

// What the iteration before has allocated is there beside %new and @small.

// CHECK-LABEL: func.func @handed_over(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @handed_over(%x: memref<2048xf32>, %y: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @large() : () -> ()
  %r:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%one = %x, %two = %x) -> (memref<2048xf32>, memref<2048xf32>) {
    %later = arith.cmpi ugt, %i, %c1 : index
    scf.if %later {
      memref.dealloc %two : memref<2048xf32>
    }
    %new = func.call @make(%one) : (memref<2048xf32>) -> memref<2048xf32>
    %p = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
    memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %p : memref<1024xf32>
    func.call @small() : () -> ()
    %q = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
    memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %q : memref<1024xf32>
    scf.yield %new, %one : memref<2048xf32>, memref<2048xf32>
  }
  return
}

// The same if a free comes after it.

// CHECK-LABEL: func.func @handed_over_and_freed(
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @handed_over_and_freed(%x: memref<2048xf32>, %y: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @large() : () -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%one = %x) -> memref<2048xf32> {
    %new = func.call @make(%one) : (memref<2048xf32>) -> memref<2048xf32>
    %p = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%p : memref<1024xf32>)
    memref.copy %p, %y : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %p : memref<1024xf32>
    func.call @small() : () -> ()
    %q = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%q : memref<1024xf32>)
    memref.copy %q, %y : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %q : memref<1024xf32>
    %later = arith.cmpi ugt, %i, %c0 : index
    scf.if %later {
      memref.dealloc %one : memref<2048xf32>
    }
    scf.yield %new : memref<2048xf32>
  }
  return
}
func.func private @make(%x: memref<2048xf32>) -> memref<2048xf32> {
  %a = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%x : memref<2048xf32>) outs(%a : memref<2048xf32>)
  return %a : memref<2048xf32>
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<5120xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<5120xf32>)
  memref.dealloc %l : memref<5120xf32>
  return
}
func.func private @small() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<1024xf32>)
  memref.dealloc %l : memref<1024xf32>
  return
}
