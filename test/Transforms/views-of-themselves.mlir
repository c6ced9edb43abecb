// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge=pool=stack | FileCheck %s
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-lifetimes=advise -o /dev/null 2>&1 | FileCheck %s --check-prefix=ADVISE
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --emplace-buffers=strided | FileCheck %s --check-prefix=EMPLACE

// In a block that is never executed, and in a region whose operations have no
// order, a value may be a view of itself, and a branch may yield it.  The
// passes come to an end, and do with the rest what they do without it.

!m = memref<16xf32>
!s = memref<16xf32, strided<[1]>>

// CHECK-LABEL: func.func @block(
// CHECK-NEXT:    memref.alloca() {{.*}} : memref<128xi8>
// EMPLACE-LABEL: func.func @block(
// EMPLACE:         memref.view
// ADVISE: pool of 128 bytes
func.func @block(%x: f32, %k: i1, %out: !m) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.copy %a, %out : !m to !m
  %b = memref.alloc() : memref<32xf32>
  %inner = memref.alloc() : !m
  linalg.exp ins(%out : !m) outs(%inner : !m)
  %part = memref.subview %b[0] [16] [1] : memref<32xf32> to !s
  memref.copy %inner, %part : !m to !s
  return
^never:
  %v = memref.subview %w[0] [16] [1] : !m to !s
  %w = memref.cast %v : !s to !m
  linalg.exp ins(%a : !m) outs(%w : !m)
  memref.copy %w, %a : !m to !m
  memref.copy %a, %w : !m to !m
  scf.if %k {
    memref.dealloc %w : !m
  }
  cf.br ^never
}

// CHECK-LABEL: func.func @region(
// CHECK-NEXT:    memref.alloca() {{.*}} : memref<64xi8>
func.func @region(%x: f32, %k: i1) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  "test.without_order"() ({
    %r = scf.if %k -> !m {
      scf.yield %r : !m
    } else {
      scf.yield %r : !m
    }
    %s = scf.if %k -> !m {
      scf.yield %r : !m
    } else {
      %b = memref.alloc() : !m
      scf.yield %b : !m
    }
    %v = memref.subview %w[0] [16] [1] : !m to !s
    %w = memref.cast %v : !s to !m
    memref.copy %w, %s : !m to !m
    memref.copy %s, %w : !m to !m
    "test.end"() : () -> ()
  }) : () -> ()
  return
}
