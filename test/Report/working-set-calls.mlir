// RUN: buffer-merge-opt %s --buffer-merge='report=summary limit-peak=none' -o /dev/null 2>&1 | FileCheck %s

// What a call accesses is there while its callee runs: 256 bytes of each of two
// callers, and 512 of the operation in the innermost callee.

// CHECK: 1024 as planned ({{.*}}); only fusing or tiling linalg.add at working-set-calls.mlir:[[#@LINE+7]]:3, which needs 1024, can go below{{$}}
!m = memref<64xf32>
func.func private @inner(%in: !m) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%in : !m) outs(%b : !m)
  linalg.add ins(%a, %b : !m, !m) outs(%in : !m)
  return
}

func.func private @middle(%in: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  func.call @inner(%a) : (!m) -> ()
  linalg.exp ins(%a : !m) outs(%in : !m)
  return
}

func.func @outer(%in: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  func.call @middle(%a) : (!m) -> ()
  linalg.exp ins(%a : !m) outs(%in : !m)
  return
}

