// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit --remarks-filter=buffer-merge \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: buffer-merge-opt %s --buffer-merge --remarks-filter=canonicalize \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: buffer-merge-opt %s --buffer-merge -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty

// What the rewrite has done and what it has not, through the remark engine, for
// who asks for it.

// SILENT-NOT: remark:

// CHECK-DAG: :[[#@LINE+2]]:1: remark: [Analysis] Pool | Category:buffer-merge | Function=merged | AllocatedBytes=120, BaselineBytes=120, Buffers=2, LowerBound=60, PoolBytes=60
// CHECK-DAG: :[[#@LINE+2]]:8: remark: [Passed] Merged | Category:buffer-merge | Function=merged | Begin=1, Bytes=60, End=2, Offset=0
func.func @merged(%x: f32, %i: index) -> memref<3xf32> {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: [Passed] Merged | Category:buffer-merge | Function=merged | Begin=3, Bytes=60, End=4, Offset=0
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: [Missed] NotMerged | Category:buffer-merge | Function=merged | Bytes=12, Reason="returned, {{.*}}('func.return')"
  %c = memref.alloc() : memref<3xf32>
  return %c : memref<3xf32>
}

// Left alone, for what a pool would be worth.
func.func @no_partner(%x: f32, %i: index) {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: [Missed] NotMerged | Category:buffer-merge | Function=no_partner | Bytes=60, Reason="no-partner, {{.*}}"
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}

// A scope inside of a function.
func.func @inner(%n: index, %x: f32) {
  // CHECK-DAG: :[[#@LINE+1]]:3: remark: [Analysis] Pool | Category:buffer-merge | Function=inner | AllocatedBytes=120, BaselineBytes=120, Buffers=2, LowerBound=60, PoolBytes=60
  scf.forall (%i) in (%n) {
    // CHECK-DAG: :[[#@LINE+1]]:10: remark: [Passed] Merged | Category:buffer-merge | Function=inner | {{.*}}Offset=0
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    // CHECK-DAG: :[[#@LINE+1]]:10: remark: [Passed] Merged | Category:buffer-merge | Function=inner | {{.*}}Offset=0
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  return
}
