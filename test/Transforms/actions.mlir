// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump --mlir-disable-threading --log-actions-to=%t.log | FileCheck %s --check-prefix=ALL
// RUN: FileCheck %s --check-prefix=LOG < %t.log
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump --mlir-disable-threading \
// RUN:   -mlir-debug-counter=buffer-merge-skip=0,buffer-merge-count=0 > %t.none
// RUN: buffer-merge-opt %s | diff - %t.none
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump --mlir-disable-threading \
// RUN:   -mlir-debug-counter=buffer-merge-skip=1,buffer-merge-count=1 | FileCheck %s --check-prefix=SECOND

// Each merge is an action: it can be logged, and left out. What is left out keeps its
// allocation and its deallocations; the offsets of the others do not change. Buffers
// that share a deallocation are one merge.

// ALL-LABEL: func.func @three
//       ALL:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<192xi8>
//   ALL-NOT:   memref.alloc
//       ALL:   memref.dealloc %[[POOL]]

// LOG: begins {{.*}}Action `buffer-merge` of '{{.*}} : memref<16xf32>' at loc("{{.*}}":[[#THREE:]]:8)
// LOG: begins {{.*}}Action `buffer-merge` of '{{.*}} : memref<16xf32>' at loc("{{.*}}":[[#THREE + 2]]:8)
// LOG: begins {{.*}}Action `buffer-merge` of '{{.*}} : memref<16xf32>' at loc("{{.*}}":[[#THREE + 4]]:8)
// LOG: begins {{.*}}Action `buffer-merge` of '{{.*}} : memref<16xf32>' at loc({{.*}}), '{{.*}} : memref<8xf32>' at loc({{.*}})
// LOG-NOT: begins {{.*}}Action `buffer-merge`

// SECOND-LABEL: func.func @three
//       SECOND:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<192xi8>
//  SECOND-NEXT:   %[[OFFSET:.*]] = arith.constant 64 : index
//       SECOND:   %[[A:.*]] = memref.alloc() : memref<16xf32>
//       SECOND:   memref.view %[[POOL]][%[[OFFSET]]][]
//       SECOND:   %[[C:.*]] = memref.alloc() : memref<16xf32>
//       SECOND:   memref.dealloc %[[A]]
//       SECOND:   memref.dealloc %[[C]]
//       SECOND:   memref.dealloc %[[POOL]]
//   SECOND-NOT:   memref.dealloc
// SECOND-LABEL: func.func @group
//   SECOND-NOT:   memref<128xi8>
//   SECOND-NOT:   memref.view
func.func @three(%x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}

func.func @group(%x: f32, %i: index, %c: i1) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%i] : memref<8xf32>
  %v = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %w = memref.cast %b : memref<8xf32> to memref<8xf32, strided<[1]>>
  %s = arith.select %c, %v, %w : memref<8xf32, strided<[1]>>
  memref.dealloc %s : memref<8xf32, strided<[1]>>
  return
}
