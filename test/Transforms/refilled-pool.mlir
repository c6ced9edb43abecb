// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s

// A pool is freed where its last copy was, which becomes a fill.

!m = memref<1024xi64>
// CHECK-LABEL: func.func @fill_of_what_is_freed(
// CHECK:         } else {
// CHECK:           %[[POOL:.*]] = memref.alloc() {{.*}} : memref<8192xi8>
// CHECK:           %[[VIEW:.*]] = memref.view %[[POOL]]
// CHECK:           linalg.add ins(%[[VIEW]]
// CHECK:           linalg.fill
// CHECK-NEXT:      memref.dealloc %[[POOL]]
// CHECK:           scf.yield
func.func @fill_of_what_is_freed(%c: i1, %x: i64, %y: i64, %in: !m, %out: !m) {
  %r:2 = scf.if %c -> (!m, !m) {
    %a = memref.alloc() : !m
    memref.copy %in, %a : !m to !m
    %b = memref.alloc() : !m
    linalg.fill ins(%x : i64) outs(%b : !m)
    %d = memref.alloc() : !m
    linalg.add ins(%a, %b : !m, !m) outs(%d : !m)
    scf.yield %b, %d : !m, !m
  } else {
    %a = memref.alloc() : !m
    linalg.fill ins(%x : i64) outs(%a : !m)
    %b = memref.alloc() : !m
    linalg.add ins(%a, %in : !m, !m) outs(%b : !m)
    %d = memref.alloc() : !m
    memref.copy %a, %d : !m to !m
    linalg.fill ins(%y : i64) outs(%b : !m)
    %e = memref.alloc() : !m
    linalg.add ins(%b, %in : !m, !m) outs(%e : !m)
    memref.dealloc %a : !m
    memref.dealloc %d : !m
    scf.yield %b, %e : !m, !m
  }
  linalg.add ins(%r#0, %r#1 : !m, !m) outs(%out : !m)
  memref.dealloc %r#0 : !m
  memref.dealloc %r#1 : !m
  return
}
