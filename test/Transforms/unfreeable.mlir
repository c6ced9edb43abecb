// RUN: buffer-merge-opt %s --split-input-file --buffer-merge="in-place=false limit-peak=none" --remarks-filter='buffer-merge' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %s --split-input-file --buffer-merge='in-place=false pool=global limit-peak=none' | FileCheck %s --check-prefix=GLOBAL

// In a function of several blocks a pool is freed by the pass, which nothing lowers
// in another memory space.

// REMARK-COUNT-3: [Missed] NotMerged {{.*}}Function=number {{.*}}"unfreeable, its pool would have to be freed, which is not lowered in its memory space", {{.*}}Suggestion="run the pass before --convert-scf-to-cf, or use pool=global"

// CHECK-LABEL: func.func @number(
//   CHECK-NOT:   i8
//   CHECK-NOT:   dealloc
// GLOBAL-LABEL: func.func @number(
//       GLOBAL:   memref.get_global @number_pool : memref<512xi8, 1 : i32>
//   GLOBAL-NOT:   dealloc
func.func @number(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32, 1 : i32>)
  cf.br ^next
^next:
  %b = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%a : memref<64xf32, 1 : i32>) outs(%b : memref<64xf32, 1 : i32>)
  %d = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%b : memref<64xf32, 1 : i32>) outs(%d : memref<64xf32, 1 : i32>)
  linalg.exp ins(%d : memref<64xf32, 1 : i32>) outs(%out : memref<64xf32>)
  return
}

// -----

// The pool is not freed.
// CHECK-LABEL: func.func @one_block(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8, 1 : i32>
//   CHECK-NOT:   dealloc
func.func @one_block(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32, 1 : i32>)
  %b = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%a : memref<64xf32, 1 : i32>) outs(%b : memref<64xf32, 1 : i32>)
  %d = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%b : memref<64xf32, 1 : i32>) outs(%d : memref<64xf32, 1 : i32>)
  linalg.exp ins(%d : memref<64xf32, 1 : i32>) outs(%out : memref<64xf32>)
  return
}

// -----

// Whoever frees in the memory space can lower that.
// CHECK-LABEL: func.func @freed(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8, 1 : i32>
//       CHECK:   dealloc
func.func @freed(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32, 1 : i32>)
  cf.br ^next
^next:
  %b = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%a : memref<64xf32, 1 : i32>) outs(%b : memref<64xf32, 1 : i32>)
  memref.dealloc %a : memref<64xf32, 1 : i32>
  %d = memref.alloc() : memref<64xf32, 1 : i32>
  linalg.exp ins(%b : memref<64xf32, 1 : i32>) outs(%d : memref<64xf32, 1 : i32>)
  memref.dealloc %b : memref<64xf32, 1 : i32>
  linalg.exp ins(%d : memref<64xf32, 1 : i32>) outs(%out : memref<64xf32>)
  memref.dealloc %d : memref<64xf32, 1 : i32>
  return
}

// -----

// The default memory space.
// CHECK-LABEL: func.func @default(
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8>
//       CHECK:   dealloc
func.func @default(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  cf.br ^next
^next:
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.exp ins(%d : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
