// REQUIRES: plugin

// The passes in the stock mlir-opt: on a module, on functions one by one, and
// from the transform dialect. Their flags do not exist there.

// What a tool loads exports nothing but what the tool looks for, and variables that
// MLIR shares.
// RUN: llvm-nm --dynamic --defined-only --extern-only --demangle %plugin \
// RUN:   | grep -v 'mlir::detail::TypeIDResolver<.*>::resolveTypeID()::id' \
// RUN:   | FileCheck %s --check-prefix=EXPORTS
// EXPORTS-COUNT-1: mlirGetPassPluginInfo
// EXPORTS-NOT:     {{.}}

// RUN: mlir-opt %s --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(buffer-merge)' | FileCheck %s
// RUN: mlir-opt %s --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(func.func(buffer-merge{alignment=16}))' | FileCheck %s
// RUN: mlir-opt %s --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(transform-interpreter)' | FileCheck %s

// CHECK-LABEL: func.func @two
//       CHECK:   memref.alloc() {{.*}} : memref<256xi8>
//       CHECK:   memref.view
//       CHECK:   memref.view
//   CHECK-NOT:   memref.alloc
func.func @two(%out: memref<64xf32>, %x: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %merged = transform.apply_registered_pass "buffer-merge"
        with options = { "scheduler" = "first-fit" } to %functions
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
