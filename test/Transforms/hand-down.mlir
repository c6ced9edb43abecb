// RUN: buffer-merge-opt %s --buffer-merge='hand-down limit-peak=deallocated' --split-input-file -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge='hand-down limit-peak=deallocated' --split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge='hand-down limit-peak=none' --split-input-file | FileCheck %s --check-prefix=NOLIMIT
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated --split-input-file | FileCheck %s --check-prefix=APART
// RUN: not buffer-merge-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(buffer-merge{hand-down}))' 2>&1 | FileCheck %s --check-prefix=ROOT

// APART-NOT: buffer_merge.arena
// ROOT: error: hand-down changes the module, so the pass must run on the top-level module, not on 'func.func'

// Both callees have their pools inside of the one that @top allocates, where its own
// buffers were; the one between them has nothing of its own.

// CHECK-LABEL: func.func private @leaf(
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//  CHECK-SAME:   buffer_merge.arena = {alignment = 64 : i64, bytes = 512 : i64}
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.view %[[ARENA]]
func.func private @leaf(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func private @between(
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//       CHECK:   memref.view %[[ARENA]]
func.func private @between(%in: memref<64xf32>, %out: memref<64xf32>) {
  call @leaf(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @top(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   %[[PART:.*]] = memref.view %[[POOL]][%{{.*}}][] : memref<512xi8> to memref<512xi8>
//  CHECK-NEXT:   %[[CAST:.*]] = memref.cast %[[PART]] : memref<512xi8> to memref<?xi8>
//  CHECK-NEXT:   call @between(%{{.*}}, %{{.*}}, %[[CAST]])
//       CHECK:   call @leaf(
//   CHECK-NOT:   memref.dealloc
func.func @top(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  call @between(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  call @leaf(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// The program frees the buffers of the callee, and so the pool that they are in.

// CHECK-LABEL: func.func private @frees(
//   CHECK-NOT:   memref.dealloc
func.func private @frees(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  return
}

// CHECK-LABEL: func.func @caller_of_frees(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}}: memref<256xi8>
//       CHECK:   call @frees(
//       CHECK:   memref.dealloc %[[POOL]]
func.func @caller_of_frees(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @frees(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Nothing of the caller is idle during the call: nothing would be saved.

// CHECK-LABEL: func.func private @unsaved(
//   CHECK-NOT:   buffer_merge.arena
//       CHECK:   memref.alloc
func.func private @unsaved(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

func.func @caller_of_unsaved(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  call @unsaved(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// The pool would be held beside what is returned.

//   CHECK-LABEL: func.func private @raises(
//     CHECK-NOT:   buffer_merge.arena
//         CHECK:   memref.alloc
// NOLIMIT-LABEL: func.func private @raises(
//  NOLIMIT-SAME:   buffer_merge.arena
func.func private @raises(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

func.func @caller_of_raises(%in: memref<64xf32>, %out: memref<64xf32>) -> memref<128xf32> {
  %zero = arith.constant 0.0 : f32
  call @raises(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  %returned = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%returned : memref<128xf32>)
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return %returned : memref<128xf32>
}

// -----

// Who may be called by somebody else, by itself or several times at the same time
// has a pool of its own, and may hand that down.

func.func private @inside(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func private @referred(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) {
//       CHECK:   memref.alloc
//       CHECK:   call @inside(%{{.*}}, %{{.*}}, %{{.*}})
func.func private @referred(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @inside(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @caller_of_referred(
//       CHECK:   call @referred(%{{[^,]*}}, %{{[^,]*}}) :
func.func @caller_of_referred(%in: memref<64xf32>, %out: memref<64xf32>)
    -> ((memref<64xf32>, memref<64xf32>) -> ()) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @referred(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  %f = func.constant @referred : (memref<64xf32>, memref<64xf32>) -> ()
  return %f : (memref<64xf32>, memref<64xf32>) -> ()
}

// -----

//   CHECK-LABEL: func.func private @recursive(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: i1) {
//         CHECK:   memref.alloc
// NOLIMIT-LABEL: func.func private @recursive(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: i1) {
//       NOLIMIT:   memref.alloc
func.func private @recursive(%in: memref<64xf32>, %out: memref<64xf32>, %again: i1) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.if %again {
    %false = arith.constant false
    func.call @recursive(%in, %out, %false) : (memref<64xf32>, memref<64xf32>, i1) -> ()
  }
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

func.func @caller_of_recursive(%in: memref<64xf32>, %out: memref<64xf32>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @recursive(%in, %out, %true) : (memref<64xf32>, memref<64xf32>, i1) -> ()
  return
}

// -----

// CHECK-LABEL: func.func private @concurrent(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) {
//       CHECK:   memref.alloc
func.func private @concurrent(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @caller_of_concurrent(
//       CHECK:   call @concurrent(%{{[^,]*}}, %{{[^,]*}}) :
func.func @caller_of_concurrent(%in: memref<64xf32>, %out: memref<64xf32>, %outs: memref<4x64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  scf.forall (%i) in (4) {
    %row = memref.subview %outs[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %cast = builtin.unrealized_conversion_cast %row : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32>
    func.call @concurrent(%in, %cast) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  return
}

// -----

// The C interface keeps its signature: others may call it. So does a function that the linker may replace.

// CHECK-LABEL: func.func private @interface(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) attributes {llvm.emit_c_interface} {
//       CHECK:   memref.alloc
func.func private @interface(%in: memref<64xf32>, %out: memref<64xf32>) attributes {llvm.emit_c_interface} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @caller_of_interface(
//       CHECK:   call @interface(%{{[^,]*}}, %{{[^,]*}}) :
func.func @caller_of_interface(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @interface(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @weak(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) attributes {llvm.linkage = #llvm.linkage<weak>} {
//       CHECK:   memref.alloc
func.func private @weak(%in: memref<64xf32>, %out: memref<64xf32>) attributes {llvm.linkage = #llvm.linkage<weak>} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @caller_of_weak(
//       CHECK:   call @weak(%{{[^,]*}}, %{{[^,]*}}) :
func.func @caller_of_weak(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @weak(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
