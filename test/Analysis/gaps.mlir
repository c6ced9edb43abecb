// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// Ticks within a lifetime at which nobody needs what the buffer holds.

!m = memref<16xf32>

// Each iteration reads what the last one wrote, and overwrites it later.
func.func @state(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{lifetime [3, 16) without [8, 11), 64 bytes}}
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.for %i = %c0 to %n step %c1 {
    %y = memref.load %a[%i] : !m
    // expected-remark @below {{lifetime [9, 11), 64 bytes}}
    %b = memref.alloc() : !m
    memref.store %y, %b[%i] : !m
    %z = memref.load %b[%i] : !m
    linalg.fill ins(%z : f32) outs(%a : !m)
  }
  return
}

// Nothing overwrites all of it: what is not overwritten is read later.
func.func @part(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{lifetime [3, 14), 64 bytes}}
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.for %i = %c0 to %n step %c1 {
    %y = memref.load %a[%i] : !m
    // expected-remark @below {{lifetime [9, 11), 64 bytes}}
    %b = memref.alloc() : !m
    memref.store %y, %b[%i] : !m
    %z = memref.load %b[%i] : !m
    memref.store %z, %a[%i] : !m
  }
  return
}

// One of two buffers is read, so that both keep their place: they are dead in between.
func.func @selected(%x: f32, %c: i1, %i: index) {
  // expected-remark @below {{lifetime [3, 22) without [12, 15), 64 bytes}}
  %a = memref.alloc() : !m
  // expected-remark @below {{lifetime [6, 22) without [12, 18), 64 bytes}}
  %b = memref.alloc() : !m
  %s = arith.select %c, %a, %b : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  linalg.fill ins(%x : f32) outs(%b : !m)
  %y = memref.load %s[%i] : !m
  memref.store %y, %s[%i] : !m
  %w = memref.load %s[%i] : !m
  // expected-remark @below {{lifetime [13, 15), 64 bytes}}
  %d = memref.alloc() : !m
  memref.store %y, %d[%i] : !m
  %z = memref.load %d[%i] : !m
  linalg.fill ins(%z : f32) outs(%a : !m)
  linalg.fill ins(%z : f32) outs(%b : !m)
  %v = memref.load %s[%i] : !m
  return
}

// It is read after the branch if it was not overwritten in it: in one branch only there is
// nothing to keep.
func.func @branches(%x: f32, %c: i1, %i: index) {
  // expected-remark @below {{lifetime [1, 17) without [5, 8), 64 bytes}}
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.if %c {
    // expected-remark @below {{lifetime [6, 8), 64 bytes}}
    %b = memref.alloc() : !m
    memref.store %x, %b[%i] : !m
    %y = memref.load %b[%i] : !m
    linalg.fill ins(%y : f32) outs(%a : !m)
  } else {
    // expected-remark @below {{lifetime [13, 14), 64 bytes}}
    %b = memref.alloc() : !m
    memref.store %x, %b[%i] : !m
  }
  %z = memref.load %a[%i] : !m
  return
}

// The same in blocks.
func.func @blocks(%x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{lifetime [3, 18) without [8, 12), 64 bytes}}
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  cf.br ^loop(%c0 : index)
^loop(%k: index):
  %y = memref.load %a[%i] : !m
  cf.br ^body
^body:
  // expected-remark @below {{lifetime [10, 12), 64 bytes}}
  %b = memref.alloc() : !m
  memref.store %y, %b[%i] : !m
  %z = memref.load %b[%i] : !m
  linalg.fill ins(%z : f32) outs(%a : !m)
  %next = arith.addi %k, %c1 : index
  %again = arith.cmpi ult, %next, %i : index
  cf.cond_br %again, ^loop(%next : index), ^exit
^exit:
  return
}

// Iterations that may run at the same time are one access.
func.func @parallel(%x: f32, %n: index, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{lifetime [3, 15), 64 bytes}}
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %y = memref.load %a[%i] : !m
    // expected-remark @below {{lifetime [9, 10), 64 bytes}}
    %b = memref.alloc() : !m
    memref.store %y, %b[%i] : !m
    linalg.fill ins(%y : f32) outs(%a : !m)
  }
  return
}

// What has left the region of its allocation is not followed.
func.func @result(%x: f32, %c: i1, %other: !m, %i: index) {
  %r = scf.if %c -> !m {
    // expected-remark @below {{lifetime [2, 15), 64 bytes}}
    %a = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
    %s = arith.select %c, %a, %other : !m
    %y = memref.load %s[%i] : !m
    %w = arith.addf %y, %y : f32
    linalg.fill ins(%w : f32) outs(%a : !m)
    scf.yield %s : !m
  } else {
    scf.yield %other : !m
  }
  %z = memref.load %r[%i] : !m
  return
}
