// RUN: not buffer-merge-opt %s --buffer-merge="in-place=false capacity=default:16" --mlir-pass-pipeline-crash-reproducer=%t.error.mlir
// RUN: not buffer-merge-opt %t.error.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: buffer-merge-opt %s --mlir-generate-reproducer=%t.plan.mlir --buffer-merge="in-place=false scheduler=bump" -o %t.mlir
// RUN: buffer-merge-opt %t.plan.mlir --run-reproducer | diff %t.mlir -
// RUN: buffer-merge-opt %s --mlir-generate-reproducer=%t.all.mlir --unshare-empty-tensors --split-buffers --emplace-buffers --hoist-parallel-pools --rotate-carried-buffers --buffer-lifetimes=in-place=false --check-workgroup-races --place-globals -o /dev/null 2>/dev/null
// RUN: buffer-merge-opt %t.all.mlir --run-reproducer -o /dev/null
// RUN: buffer-merge-opt %s --mlir-generate-reproducer=%t.pipeline.mlir --buffer-merge-pipeline='merge={pool=stack}' | FileCheck %s
// RUN: buffer-merge-opt %t.pipeline.mlir --run-reproducer | FileCheck %s
// RUN: buffer-merge-opt %s --mlir-generate-reproducer=%t.target.mlir --buffer-merge='pool=stack target={"stack": {"limit": 0}, "threads": 2}' | FileCheck %s --check-prefix=HEAP
// RUN: buffer-merge-opt %t.target.mlir --run-reproducer | FileCheck %s --check-prefix=HEAP

// A pipeline that MLIR has printed gives every option, those without a value too.

// ERROR: error: pool of 'func.func' needs 32 bytes, its capacity is 16
// CHECK: memref.alloca
// HEAP-NOT: memref.alloca
// HEAP: memref.alloc(){{.*}}i8>
func.func @f(%x: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  return
}
