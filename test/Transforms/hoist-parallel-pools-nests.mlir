// RUN: buffer-merge-opt %s --hoist-parallel-pools -split-input-file -o %t.mlir \
// RUN:   --remark-format=emitRemark --remarks-filter=buffer-merge 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --hoist-parallel-pools -split-input-file | diff %t.mlir -
// RUN: %python -c "n = 1000; print('func.func private @use(memref<64xf32>) func.func @f() { %%c0 = arith.constant 0 : index %%c1 = arith.constant 1 : index ' + ''.join('scf.parallel (%%i' + str(i) + ') = (%%c0) to (%%c1) step (%%c1) { ' for i in range(n)) + '%%m = memref.alloc() : memref<64xf32> func.call @use(%%m) : (memref<64xf32>) -> () ' + 'scf.reduce } ' * n + 'return }')" > %t.deep.mlir
// RUN: buffer-merge-opt %t.deep.mlir --hoist-parallel-pools | FileCheck %s --check-prefix=DEEP

// Slots that are alone in a body go to the front of the next loop as they are, without
// a plan: a nest of a thousand loops takes no longer than its size asks for.

// DEEP-LABEL: func.func @f(
//       DEEP:   memref.alloc() {{.*}} : memref<256xi8>
//   DEEP-NOT:   memref.alloc

// Freed behind the loop that they are in front of.
// CHECK-LABEL: func.func @nest(
//       CHECK:   %[[SLOTS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<768xi8>
//  CHECK-NEXT:   scf.parallel
//       CHECK:     %[[ROW:.*]] = memref.view %[[SLOTS]][%{{.*}}][] : memref<768xi8> to memref<384xi8>
//       CHECK:     scf.parallel
//       CHECK:       %[[SLOT:.*]] = memref.view %[[ROW]][%{{.*}}][] : memref<384xi8> to memref<64xi8>
//       CHECK:       memref.view %[[SLOT]][
//   CHECK-NOT:   memref.dealloc
//       CHECK:     scf.reduce
//   CHECK-NOT:   memref.dealloc
//       CHECK:     scf.reduce
//  CHECK-NEXT:   }
//  CHECK-NEXT:   memref.dealloc %[[SLOTS]]
// REMARK: :[[#@LINE+9]]:5: remark: [Passed] Slots | {{.*}} | Function=nest | Buffers=1, {{.*}}SlotBytes=64, Slots=6
// REMARK: :[[#@LINE+6]]:3: remark: [Passed] Slots | {{.*}} | Function=nest | Buffers=1, {{.*}}SlotBytes=384, Slots=2
func.func private @use(memref<16xf32>)
func.func @nest() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
    %c11 = arith.constant 11 : index
    scf.parallel (%j) = (%c0) to (%c11) step (%c2) {
      %a = memref.alloc() : memref<16xf32>
      func.call @use(%a) : (memref<16xf32>) -> ()
      memref.dealloc %a : memref<16xf32>
    }
  }
  return
}

// -----

// Those of two loops in one body are two buffers, and share their bytes.
// CHECK-LABEL: func.func @two(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<256xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func private @use(memref<16xf32>)
func.func @two() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
    scf.parallel (%j) = (%c0) to (%c2) step (%c1) {
      %a = memref.alloc() : memref<16xf32>
      func.call @use(%a) : (memref<16xf32>) -> ()
    }
    scf.parallel (%j) = (%c0) to (%c2) step (%c1) {
      %a = memref.alloc() : memref<16xf32>
      func.call @use(%a) : (memref<16xf32>) -> ()
    }
  }
  return
}

// -----

// A loop of unknown length around them: they stay in front of the inner one.
// CHECK-LABEL: func.func @unknown(
//       CHECK:   scf.parallel
//  CHECK-NEXT:     memref.alloc() {alignment = 64 : i64} : memref<128xi8>
//  CHECK-NEXT:     scf.parallel
// REMARK: :[[#@LINE+6]]:3: remark: [Missed] NoSlots | {{.*}} | Function=unknown | Buffers=1, Reason="how often the body is executed is not known"
func.func private @use(memref<16xf32>)
func.func @unknown(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%c2) step (%c1) {
      %a = memref.alloc() : memref<16xf32>
      func.call @use(%a) : (memref<16xf32>) -> ()
    }
  }
  return
}
