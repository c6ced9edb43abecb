// RUN: not buffer-merge-opt %s --hoist-parallel-pools=max-slots=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not buffer-merge-opt %s --hoist-parallel-pools=alignment=3 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not buffer-merge-opt %s --hoist-parallel-pools=scheduler=magic 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: buffer-merge-opt %s --hoist-parallel-pools=calls=escape -o %t.mlir
// RUN: buffer-merge-opt %s | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge-pipeline='parallel-slots=4 merge={pool=stack left=error}' | FileCheck %s --check-prefix=PIPELINE
// RUN: buffer-merge-opt %s --buffer-merge-pipeline='merge={pool=stack}' | FileCheck %s --check-prefix=BODY
// RUN: not buffer-merge-opt %s --buffer-merge-pipeline='parallel-slots=-1' 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// ZERO: error: max-slots 0 is not 1 or more
// ZERO-NOT: {{.}}
// NEGATIVE: error: max-slots -1 is not 1 or more
// ALIGNMENT: error: alignment 3 is not a power of two
// MAGIC: error: unknown scheduler 'magic'

// The stack, where the pool of a parallel body cannot be.
// PIPELINE: memref.alloca() {{.*}} : memref<208xi8>
// PIPELINE: scf.forall
//     BODY: scf.forall
//     BODY:   memref.alloc()
func.func @f(%x: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<4xf32>
    func.call @use(%a) : (memref<4xf32>) -> ()
  }
  return
}
func.func private @use(memref<4xf32>)
