// RUN: not buffer-merge-opt %s --buffer-merge='target=' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not buffer-merge-opt %s --buffer-merge='target={}' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not buffer-merge-opt %s --buffer-lifetimes='alignment=' 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=' 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: not buffer-merge-opt %s --buffer-merge='pool=global global-name=' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not buffer-merge-opt %s --buffer-merge='report=' 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not buffer-merge-opt %s --hoist-parallel-pools='workgroup-spaces=' 2>&1 | FileCheck %s --check-prefix=SPACES
// RUN: not buffer-merge-opt %s --refill-copies='barrier-ops=' 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not buffer-merge-opt %s --buffer-merge='hand-down pool=stack' 2>&1 | FileCheck %s --check-prefix=HAND-DOWN
// RUN: not buffer-merge-opt %s --buffer-merge='entries=exclusive' 2>&1 | FileCheck %s --check-prefix=ENTRIES
// RUN: not buffer-merge-opt %s --buffer-merge='entries=exclusive target=sm_80' 2>&1 | FileCheck %s --check-prefix=ENTRIES
// RUN: not buffer-merge-opt %s --buffer-merge='reuse=as-needed capacity=default:1KiB pool=arena' 2>&1 | FileCheck %s --check-prefix=REUSE
// RUN: buffer-merge-opt %s --buffer-merge='reuse=as-needed capacity=mat:1KiB pool=arena' -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge='reuse=as-needed target=stm32h743 pool=global entries=exclusive' -o /dev/null

// An option that is given, but cannot have an effect, is one error.

// TARGET: error: the option 'target' has no value
// TARGET-NOT: error: {{.}}
// ALIGNMENT: error: the option 'alignment' has no value
// ALIGNMENT-NOT: error: {{.}}
// CAPACITY: error: the option 'capacity' has no value
// CAPACITY-NOT: error: {{.}}
// NAME: error: the option 'global-name' has no value
// NAME-NOT: error: {{.}}
// REPORT: error: the option 'report' has no value
// REPORT-NOT: error: {{.}}
// SPACES: error: the option 'workgroup-spaces' has no value
// SPACES-NOT: error: {{.}}
// OPS: error: the option 'barrier-ops' has no value
// OPS-NOT: error: {{.}}
// HAND-DOWN: error: hand-down needs pool=alloc: only allocated pools are handed down
// HAND-DOWN-NOT: error: {{.}}
// ENTRIES: error: entries=exclusive needs pool=global or a target with regions
// ENTRIES-NOT: error: {{.}}
// REUSE: error: reuse=as-needed has no effect on pool=arena, whose pools are as small as possible
// REUSE-NOT: error: {{.}}
func.func @f(%x: f32, %out: memref<4xf32>, %m: memref<4xf32, "mat">) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  return
}
