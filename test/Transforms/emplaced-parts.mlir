// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=alignment=16 | FileCheck %s --check-prefix=ALIGNED
// RUN: buffer-merge-opt %s --buffer-merge=report=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.json | FileCheck %s

// Which buffers become parts of those that they are copied into.

!a = memref<64xf32>
!c = memref<128xf32>

// REPORT: "allocations": 3

// CHECK-LABEL: func.func @rows(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
//       CHECK:   %[[A:.*]] = memref.view %[[POOL]][%c0
//       CHECK:   linalg.exp {{.*}} outs(%[[A]]
//       CHECK:   %[[B:.*]] = memref.view %[[POOL]][%c256
//       CHECK:   linalg.sqrt {{.*}} outs(%[[B]]
//       CHECK:   %[[C:.*]] = memref.view %[[POOL]][%c0{{.*}} to memref<128xf32>
//   CHECK-NOT:   memref.copy
//       CHECK:   linalg.exp ins(%[[C]]
func.func @rows(%in: !a, %out: !c) {
  %a = memref.alloc() : !a
  linalg.exp ins(%in : !a) outs(%a : !a)
  %b = memref.alloc() : !a
  linalg.sqrt ins(%in : !a) outs(%b : !a)
  %c = memref.alloc() : !c
  %low = memref.subview %c[0] [64] [1] : !c to memref<64xf32, strided<[1]>>
  %high = memref.subview %c[64] [64] [1] : !c to memref<64xf32, strided<[1], offset: 64>>
  memref.copy %a, %low : !a to memref<64xf32, strided<[1]>>
  memref.copy %b, %high : !a to memref<64xf32, strided<[1], offset: 64>>
  linalg.exp ins(%c : !c) outs(%out : !c)
  return
}

// A part is aligned as it would be by itself.
// CHECK-LABEL: func.func @alignment(
//       CHECK:   memref.copy
// ALIGNED-LABEL: func.func @alignment(
//   ALIGNED-NOT:   memref.copy
//       ALIGNED:   return
func.func @alignment(%in: memref<12xf32>, %out: !a) {
  %a = memref.alloc() : memref<12xf32>
  linalg.exp ins(%in : memref<12xf32>) outs(%a : memref<12xf32>)
  %c = memref.alloc() : !a
  %part = memref.subview %c[4] [12] [1] : !a to memref<12xf32, strided<[1], offset: 4>>
  memref.copy %a, %part : memref<12xf32> to memref<12xf32, strided<[1], offset: 4>>
  linalg.exp ins(%c : !a) outs(%out : !a)
  return
}

// The large buffer would be alive beside the other large one.
// CHECK-LABEL: func.func @longer(
// CHECK-COUNT-2: memref.copy
func.func @longer(%in: memref<16xf32>, %out: !c) {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%in : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : !c
  linalg.sqrt ins(%out : !c) outs(%b : !c)
  linalg.exp ins(%b : !c) outs(%out : !c)
  %c = memref.alloc() : !c
  %in_high = memref.subview %out[16] [112] [1] : !c to memref<112xf32, strided<[1], offset: 16>>
  %high = memref.subview %c[16] [112] [1] : !c to memref<112xf32, strided<[1], offset: 16>>
  memref.copy %in_high, %high : memref<112xf32, strided<[1], offset: 16>> to memref<112xf32, strided<[1], offset: 16>>
  %low = memref.subview %c[0] [16] [1] : !c to memref<16xf32, strided<[1]>>
  memref.copy %a, %low : memref<16xf32> to memref<16xf32, strided<[1]>>
  linalg.exp ins(%c : !c) outs(%out : !c)
  return
}
