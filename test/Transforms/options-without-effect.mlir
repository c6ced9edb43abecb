// RUN: not buffer-merge-opt %s --buffer-merge='target=' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not buffer-merge-opt %s --buffer-merge='target={}' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not buffer-merge-opt %s --buffer-lifetimes='alignment=' 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=' 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: not buffer-merge-opt %s --buffer-merge='emit-header=' 2>&1 | FileCheck %s --check-prefix=HEADER
// RUN: not buffer-merge-opt %s --buffer-merge='report=' 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not buffer-merge-opt %s --hoist-parallel-pools='target={"workgroup": {"spaces": [""]}}' 2>&1 | FileCheck %s --check-prefix=SPACES
// RUN: not buffer-merge-opt %s --split-buffers='target={"workgroup": {"barrierOps": [""]}}' 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not buffer-merge-opt %s --buffer-merge='target={"globals": {"entries": "exclusive"}}' 2>&1 | FileCheck %s --check-prefix=ENTRIES
// RUN: not buffer-merge-opt %s --buffer-merge='target={"preset": "sm_80", "globals": {"entries": "exclusive"}}' 2>&1 | FileCheck %s --check-prefix=ENTRIES
// RUN: not buffer-merge-opt %s --buffer-merge='reuse=as-needed capacity=default:1KiB pool=arena' 2>&1 | FileCheck %s --check-prefix=REUSE
// RUN: buffer-merge-opt %s --buffer-merge='reuse=as-needed capacity=mat:1KiB pool=arena' -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge='reuse=as-needed target={"preset": "stm32h743", "globals": {"entries": "exclusive"}} pool=global' -o /dev/null

// An option that is given, but cannot have an effect, is one error.

// TARGET: error: the option 'target' has no value
// TARGET-NOT: error: {{.}}
// ALIGNMENT: error: the option 'alignment' has no value
// ALIGNMENT-NOT: error: {{.}}
// CAPACITY: error: the option 'capacity' has no value
// CAPACITY-NOT: error: {{.}}
// HEADER: error: the option 'emit-header' has no value
// HEADER-NOT: error: {{.}}
// REPORT: error: the option 'report' has no value
// REPORT-NOT: error: {{.}}
// SPACES: error: target:1:27: expected a text that is not empty
// SPACES-NOT: error: {{.}}
// OPS: error: target:1:31: expected a text that is not empty
// OPS-NOT: error: {{.}}
// ENTRIES: error: exclusive entries of the target need pool=global or regions
// ENTRIES-NOT: error: {{.}}
// REUSE: error: reuse=as-needed has no effect on pool=arena, whose pools are as small as possible
// REUSE-NOT: error: {{.}}
func.func @f(%x: f32, %out: memref<4xf32>, %m: memref<4xf32, "mat">) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  return
}
