// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="split-buffers=false limit-peak=none" | FileCheck %s --check-prefix=APART
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=none | FileCheck %s --check-prefix=UNLIMITED
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated | FileCheck %s --check-prefix=FREED
// RUN: buffer-merge-opt %s --buffer-merge=report=summary -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: buffer-merge-opt %s --emit-bytecode -o %t.before
// RUN: buffer-merge-opt %t.before --emit-bytecode --buffer-lifetimes -o %t.after 2>/dev/null
// RUN: buffer-merge-opt %t.before --emit-bytecode -o %t.again
// RUN: cmp %t.again %t.after
// RUN: buffer-merge-opt %s --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTE

// Buffers of exclusive branches that leave as one result share their bytes. All
// allocations count.
// COUNT: 46 allocations merged into 11 pools, 8 left alone; 20160 bytes allocated

!m = memref<16xf32>

// APART-LABEL: func.func @results(
// APART:         memref.alloc() {{.*}} : memref<192xi8>
// CHECK-LABEL: func.func @results(
// CHECK:         %[[POOL:.*]] = memref.alloc() {{.*}} : memref<128xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[A:.*]] = memref.view %[[POOL]][%c64][]
// CHECK:         scf.if
// CHECK:           linalg.fill ins(%{{.*}}) outs(%[[A]] :
// CHECK:           scf.yield %[[A]]
// CHECK:         } else {
// CHECK:           memref.copy %{{.*}}, %[[A]]
// CHECK:           scf.yield %[[A]]
// CHECK:         }
// CHECK-NOT:     memref.alloc
// CHECK:         return
// NOTE:      :[[#@LINE+6]]:{{.*}} remark: lifetime
// NOTE:      :[[#@LINE+9]]:{{.*}} note: the same bytes, in another branch
func.func @results(%x: f32, %c: i1, %i: index) -> f32 {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  %r = scf.if %c -> !m {
    %a = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    memref.copy %d, %b : !m to !m
    scf.yield %b : !m
  }
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  %z = memref.load %d[%i] : !m
  %w = arith.addf %y, %z : f32
  return %w : f32
}

// Through a view, in three cases, and in branches inside of branches.
// CHECK-LABEL: func.func @cases(
// CHECK:         memref.alloc() {{.*}} : memref<128xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @cases(%x: f32, %c: i1, %k: index, %i: index) {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  %r = scf.index_switch %k -> memref<4x4xf32>
  case 0 {
    %s = scf.if %c -> !m {
      %a = memref.alloc() : !m
      linalg.fill ins(%x : f32) outs(%a : !m)
      scf.yield %a : !m
    } else {
      %a = memref.alloc() : !m
      memref.copy %d, %a : !m to !m
      scf.yield %a : !m
    }
    %v = memref.expand_shape %s [[0, 1]] output_shape [4, 4] : !m into memref<4x4xf32>
    scf.yield %v : memref<4x4xf32>
  }
  case 1 {
    %b = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%b : !m)
    %v = memref.expand_shape %b [[0, 1]] output_shape [4, 4] : !m into memref<4x4xf32>
    scf.yield %v : memref<4x4xf32>
  }
  default {
    %b = memref.alloc() : !m
    memref.copy %d, %b : !m to !m
    %v = memref.expand_shape %b [[0, 1]] output_shape [4, 4] : !m into memref<4x4xf32>
    scf.yield %v : memref<4x4xf32>
  }
  %c0 = arith.constant 0 : index
  %y = memref.load %r[%c0, %c0] : memref<4x4xf32>
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  %z = memref.load %d[%i] : !m
  return
}

// CHECK-LABEL: func.func @affine(
// CHECK:         memref.alloc() {{.*}} : memref<128xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @affine(%x: f32, %n: index, %i: index) {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  %r = affine.if affine_set<(j) : (j - 3 >= 0)>(%n) -> !m {
    %a = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
    affine.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    memref.copy %d, %b : !m to !m
    affine.yield %b : !m
  }
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  %z = memref.load %d[%i] : !m
  return
}

// CHECK-LABEL: func.func @blocks(
// CHECK:         memref.alloc() {{.*}} : memref<128xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @blocks(%x: f32, %c: i1, %i: index) {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  cf.cond_br %c, ^left, ^right
^left:
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  cf.br ^exit(%a : !m)
^right:
  %b = memref.alloc() : !m
  memref.copy %d, %b : !m to !m
  cf.br ^exit(%b : !m)
^exit(%r: !m):
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  %z = memref.load %d[%i] : !m
  return
}

// Something else is held in front of %a only: %a is not held with it.
// CHECK-LABEL: func.func @allocated_before(
// CHECK:         scf.if
// CHECK-COUNT-2:   memref.alloc
// CHECK:         } else {
// CHECK:           memref.alloc
// CHECK:         return
func.func @allocated_before(%x: f32, %c: i1, %i: index) {
  %r = scf.if %c -> !m {
    %t = memref.alloc() : memref<64xf32>
    memref.store %x, %t[%i] : memref<64xf32>
    memref.dealloc %t : memref<64xf32>
    %a = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%b : !m)
    scf.yield %b : !m
  }
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  return
}

// Without a deallocation it is held with %a, so that a pool for %a and %b may
// begin in front of it.
// CHECK-LABEL: func.func @used_before(
// CHECK:         memref.alloc() {{.*}} : memref<64xi8>
// CHECK:         scf.if
// CHECK-COUNT-1:   memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @used_before(%x: f32, %c: i1, %i: index) {
  %r = scf.if %c -> !m {
    %t = memref.alloc() : memref<64xf32>
    memref.store %x, %t[%i] : memref<64xf32>
    %a = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%b : !m)
    scf.yield %b : !m
  }
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  return
}

// In front of %a and %s are a loop, and an allocation that is held with them. %b
// and %d are yielded the other way round.
// CHECK-LABEL: func.func @held_in_front(
// CHECK:         memref.alloc() {{.*}} : memref<192xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @held_in_front(%x: f32, %out: !m, %i: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.if %c -> (!m, !m) {
    scf.for %j = %c0 to %i step %c1 {
      memref.store %x, %out[%j] : !m
    }
    %t = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%t : !m)
    %v = memref.expand_shape %t [[0, 1]] output_shape [4, 4] : !m into memref<4x4xf32>
    %a = memref.alloc() : !m
    %w = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : !m into memref<4x4xf32>
    linalg.exp ins(%v : memref<4x4xf32>) outs(%w : memref<4x4xf32>)
    %s = memref.alloc() : !m
    linalg.add ins(%t, %a : !m, !m) outs(%s : !m)
    scf.yield %a, %s : !m, !m
  } else {
    %b = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%b : !m)
    %d = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%d : !m)
    scf.yield %d, %b : !m, !m
  }
  %e = memref.alloc() : !m
  linalg.add ins(%r#0, %r#1 : !m, !m) outs(%e : !m)
  %f = memref.alloc() : !m
  linalg.add ins(%e, %r#0 : !m, !m) outs(%f : !m)
  memref.copy %f, %out : !m to !m
  return
}

// What is needed last in the branches is held there with %a or with %b. In front
// of the branches, where a pool for both would be held, there is less.
// FREED-LABEL: func.func @last_use_inside(
// FREED-COUNT-4: memref.alloc() : memref<16xf32>
// FREED:         return
func.func @last_use_inside(%x: f32, %c: i1, %i: index) -> f32 {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  %r = scf.if %c -> !m {
    %a = memref.alloc() : !m
    linalg.add ins(%d, %d : !m, !m) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    memref.copy %d, %b : !m to !m
    scf.yield %b : !m
  }
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  return %v : f32
}

// The same between blocks.
// FREED-LABEL: func.func @last_use_in_blocks(
// FREED-COUNT-4: memref.alloc() : memref<16xf32>
// FREED:         return
func.func @last_use_in_blocks(%x: f32, %c: i1, %i: index) -> f32 {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  cf.cond_br %c, ^left, ^right
^left:
  %a = memref.alloc() : !m
  linalg.add ins(%d, %d : !m, !m) outs(%a : !m)
  cf.br ^exit(%a : !m)
^right:
  %b = memref.alloc() : !m
  memref.copy %d, %b : !m to !m
  cf.br ^exit(%b : !m)
^exit(%r: !m):
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  return %v : f32
}

// By default, nothing is held beside %d: a pool for %a and %b would hold more.
// FREED-LABEL: func.func @other_way(
// FREED-COUNT-4: memref.alloc() : memref<16xf32>
// FREED:         return
func.func @other_way(%x: f32, %k: index, %i: index, %out: !m) -> f32 {
  %d = memref.alloc() : !m
  memref.store %x, %d[%i] : !m
  %r = scf.index_switch %k -> !m
  case 0 {
    %a = memref.alloc() : !m
    linalg.add ins(%d, %d : !m, !m) outs(%a : !m)
    scf.yield %a : !m
  }
  case 1 {
    %b = memref.alloc() : !m
    memref.copy %d, %b : !m to !m
    scf.yield %b : !m
  }
  default {
    scf.yield %out : !m
  }
  %y = memref.load %r[%i] : !m
  %z = memref.load %d[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  %w = arith.addf %v, %z : f32
  return %w : f32
}

// One buffer for %a and %b saves too little for a pool with %t. Two are more.
// UNLIMITED-LABEL: func.func @little_gain(
// UNLIMITED:         memref.alloc() {{.*}} : memref<16384xi8>
// UNLIMITED-NOT:     memref.alloc
// UNLIMITED:         return
func.func @little_gain(%x: f32, %c: i1, %i: index) -> f32 {
  %r = scf.if %c -> !m {
    %a = memref.alloc() : !m
    %t = memref.alloc() : memref<4096xf32>
    memref.store %x, %t[%i] : memref<4096xf32>
    %y = memref.load %t[%i] : memref<4096xf32>
    linalg.fill ins(%y : f32) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%b : !m)
    scf.yield %b : !m
  }
  %y = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  memref.store %y, %e[%i] : !m
  %v = memref.load %e[%i] : !m
  return %v : f32
}

// It is returned, so that nothing is changed.
// CHECK-LABEL: func.func @returned(
// CHECK:         scf.if
// CHECK:           memref.alloc
// CHECK:         } else {
// CHECK:           memref.alloc
func.func @returned(%x: f32, %c: i1) -> !m {
  %r = scf.if %c -> !m {
    %a = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    linalg.fill ins(%x : f32) outs(%b : !m)
    scf.yield %b : !m
  }
  return %r : !m
}

// Threads may be in both branches at a time.
// CHECK-LABEL: gpu.func @threads(
// CHECK:         scf.if
// CHECK:           memref.view
// CHECK:         } else {
// CHECK:           memref.view
gpu.module @kernels {
  gpu.func @threads(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %c = arith.cmpi eq, %t, %c0 : index
    %r = scf.if %c -> !m {
      %a = memref.alloc() : !m
      memref.store %x, %a[%i] : !m
      scf.yield %a : !m
    } else {
      %b = memref.alloc() : !m
      memref.store %x, %b[%i] : !m
      scf.yield %b : !m
    }
    %y = memref.load %r[%i] : !m
    %e = memref.alloc() : !m
    memref.store %y, %e[%i] : !m
    %v = memref.load %e[%i] : !m
    gpu.return
  }
}
