// RUN: not buffer-merge-opt %s --buffer-merge=scheduler=magic 2>&1 | FileCheck %s --check-prefix=SCHEDULER
// RUN: not buffer-merge-opt %s --buffer-lifetimes=scheduler=magic 2>&1 | FileCheck %s --check-prefix=SCHEDULER
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=3 2>&1 | FileCheck %s --check-prefix=ALIGNMENT -DVALUE=3
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=0 2>&1 | FileCheck %s --check-prefix=ALIGNMENT -DVALUE=0
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=-64 2>&1 | FileCheck %s --check-prefix=ALIGNMENT -DVALUE=-64
// RUN: not buffer-merge-opt %s --buffer-merge=effort=10 2>&1 | FileCheck %s --check-prefix=EFFORT
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=big 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not buffer-merge-opt %s --buffer-merge=calls=sometimes 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: not buffer-merge-opt %s --buffer-merge=color=red 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(buffer-merge{scheduler})' 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not buffer-merge-opt %s --pass-pipeline='func.func(buffer-merge)' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not buffer-merge-opt %s --allow-unregistered-dialect=false --verify-each -o %t.none --buffer-merge=alignment=12
// RUN: not ls %t.none
// RUN: echo 'func.func @f(' | not buffer-merge-opt --buffer-merge 2>&1 | FileCheck %s --check-prefix=PARSE
// RUN: echo '"unknown.op"() : () -> ()' | not buffer-merge-opt --buffer-merge 2>&1 | FileCheck %s --check-prefix=UNREGISTERED

// One diagnostic that says what was expected, and no output.

// SCHEDULER: error: unknown scheduler 'magic', expected one of: {{.*}}best-fit{{.*}}bump
// SCHEDULER-NOT: error
// ALIGNMENT: error: alignment [[VALUE]] is not a power of two
// ALIGNMENT-NOT: error
// EFFORT: error: effort 10 is not in 0 to 9
// NUMBER: error: alignment 'big' is neither a number of bytes nor SPACE:BYTES
// CALLS: there is no value 'sometimes'; the nearest is '{{[a-z-]+}}'
// OPTION: no such option color
// EMPTY: for the --scheduler option: requires a value!
// PIPELINE: can't run 'func.func' pass manager on 'builtin.module' op
// PARSE: error: expected
// UNREGISTERED: error: {{.*}}unregistered dialect
func.func @f() {
  return
}
