// RUN: buffer-merge-opt %s --hoist-parallel-pools -split-input-file -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --hoist-parallel-pools -split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %s --hoist-parallel-pools="max-slots=5 scheduler=bump alignment=128" -split-input-file | FileCheck %s --check-prefix=FIVE
// RUN: buffer-merge-opt %s --hoist-parallel-pools -split-input-file -o %t.mlir \
// RUN:   --remark-format=emitRemark --remarks-filter=buffer-merge 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: buffer-merge-opt %s -split-input-file --hoist-parallel-pools --buffer-merge="report=- pool=global" -o %t.global 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.global

// The number of the iteration: the last induction variable counts fastest. 320 is 260
// rounded up to the alignment, and nothing is behind the last slot.

// CHECK-LABEL: func.func @f(
//       CHECK:   %[[SLOTS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4740xi8>
//  CHECK-NEXT:   scf.parallel (%[[I:.*]], %[[J:.*]], %[[K:.*]]) =
//   CHECK-DAG:     %[[C5:.*]] = arith.constant 5 : index
//   CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
//   CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
//   CHECK-DAG:     %[[FROM0:.*]] = arith.subi %[[I]], %[[C5]]
//   CHECK-DAG:     %[[ROW:.*]] = arith.divui %[[FROM0]], %[[C2]]
//   CHECK-DAG:     %[[ROWS:.*]] = arith.muli %[[ROW]], %[[C3]]
//       CHECK:     %[[NUMBER:.*]] = arith.addi %[[ROWS]], %[[K]]
//       CHECK:     %[[C320:.*]] = arith.constant 320 : index
//       CHECK:     %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %[[C320]]
//       CHECK:     %[[SLOT:.*]] = memref.view %[[SLOTS]][%[[OFFSET]]][] : memref<4740xi8> to memref<260xi8>
//       CHECK:     memref.view %[[SLOT]]
//       CHECK:     memref.view %[[SLOT]]
//   CHECK-NOT:   memref.alloc
//       CHECK:   return

// FIVE-LABEL: func.func @f(
//       FIVE:   scf.parallel
//       FIVE:     memref.alloc() : memref<65xf32>
//       FIVE:     memref.alloc() : memref<65xf32>

// The slots have the bytes of what is idle during the loop.
// REPORT: pool 1 of 1: @f {{.*}} pool=global
// REPORT: before 12992 bytes, pool 8192 bytes
// GLOBAL: memref.global "private" @f_pool : memref<8192xi8>

// REMARK: [[@LINE+11]]:3: remark: [Passed] Slots | {{.*}} | Function=f | Buffers=2, {{.*}}SlotBytes=260, Slots=15
func.func @f(%out: memref<8192xi8>, %x: f32, %y: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c14 = arith.constant 14 : index
  %t = memref.alloc() : memref<8192xi8>
  linalg.fill ins(%y : i8) outs(%t : memref<8192xi8>)
  linalg.add ins(%t, %t : memref<8192xi8>, memref<8192xi8>) outs(%out : memref<8192xi8>)
  scf.parallel (%i, %j, %k) = (%c5, %c1, %c0) to (%c14, %c2, %c3) step (%c2, %c1, %c1) {
    %a = memref.alloc() : memref<65xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<65xf32>)
    %v = memref.load %a[%i] : memref<65xf32>
    %b = memref.alloc() : memref<65xf32>
    linalg.fill ins(%v : f32) outs(%b : memref<65xf32>)
    func.call @use(%b) : (memref<65xf32>) -> ()
  }
  return
}
func.func private @use(memref<65xf32>)

// -----

// A single buffer that saves nothing, in a body in a sequential loop. The slots are new in
// each iteration of it.

// CHECK-LABEL: func.func @in_a_loop(
//       CHECK:   scf.for
//       CHECK:     memref.alloc() {{.*}} : memref<{{.*}}xi8, 1>
//       CHECK:     scf.forall
//   CHECK-NOT:       memref.alloc
//       CHECK:   return
//  FIVE-LABEL: func.func @in_a_loop(
//        FIVE:   memref.alloc() {alignment = 128 : i64} : memref<272xi8, 1>
func.func @in_a_loop(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.forall (%i) in (3) {
      %a = memref.alloc() : memref<4xf32, 1>
      memref.store %x, %a[%i] : memref<4xf32, 1>
    }
  }
  return
}

// -----

// Bodies that are left alone, with the reason, and what is in others.

// CHECK-LABEL: func.func @left(
//   CHECK-NOT:   memref.alloc() {{.*}}xi8>
//       CHECK:   return
func.func @left(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c65 = arith.constant 65 : index
  // REMARK: [[@LINE+1]]:3: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="how often the body is executed is not known"
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
  }
  // REMARK: [[@LINE+1]]:3: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="there are more iterations than max-slots"
  scf.parallel (%i) = (%c0) to (%c65) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
  }
  // REMARK: [[@LINE+1]]:3: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="the body is never executed"
  scf.parallel (%i) = (%c1) to (%c0) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
  }
  // REMARK: [[@LINE+1]]:3: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="how often the body is executed is not known"
  omp.parallel {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
    omp.terminator
  }
  // The sizes exceed what is left for an index.
  // REMARK: [[@LINE+1]]:3: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="the slots take more bytes than an index counts"
  scf.forall (%i) in (64) {
    %a = memref.alloc() : memref<268435456x134217728xf32>
    memref.store %x, %a[%c0, %c0] : memref<268435456x134217728xf32>
  }
  // What leaves the body is no part of a pool.
  %held = memref.alloc() : memref<memref<4xf32>>
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<4xf32>
    memref.store %a, %held[] : memref<memref<4xf32>>
  }
  return
}

// -----

// Nothing says what a section may allocate.

// CHECK-LABEL: func.func @section(
//   CHECK-NOT:   memref.alloc() {{.*}}xi8>
//       CHECK:   return
func.func @section(%x: f32) {
  %c0 = arith.constant 0 : index
  omp.parallel {
    omp.sections {
      omp.section {
        // REMARK: [[@LINE+1]]:9: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="the loop is in no alloc scope"
        scf.forall (%i) in (4) {
          %a = memref.alloc() : memref<4xf32>
          memref.store %x, %a[%c0] : memref<4xf32>
        }
        omp.terminator
      }
      omp.terminator
    }
    omp.terminator
  }
  return
}

// -----

// A region of blocks in a function that frees nothing: later passes take the slot for
// the owner of the memory.

// CHECK-LABEL: func.func @blocks(
//   CHECK-NOT:   memref.alloc() {{.*}}xi8>
//       CHECK:   return
func.func @blocks(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  // REMARK: [[@LINE+1]]:3: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="the body has blocks, and frees nothing"
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<4xf32>
    scf.execute_region {
      cf.cond_br %c, ^one, ^two
    ^one:
      memref.store %x, %a[%c0] : memref<4xf32>
      cf.br ^two
    ^two:
      scf.yield
    }
  }
  return
}

// -----

// Code of a device, and memory of its threads.

// CHECK-LABEL: func.func @device(
//   CHECK-NOT:   memref.alloc() {{.*}}xi8
//       CHECK:   return
func.func @device(%x: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
  } {mapping = [#gpu.block<x>]}
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<4xf32, #gpu.address_space<private>>
    memref.store %x, %a[%c0] : memref<4xf32, #gpu.address_space<private>>
    %b = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

// 1 and 4294967297 are the same in 32 bits.

// CHECK-LABEL: func.func @narrow(
//   CHECK-NOT:   memref.alloc() {{.*}}xi8
//       CHECK:   return
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32>} {
  func.func @narrow(%x: f32) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %step = arith.constant 4294967297 : index
    // REMARK: [[@LINE+1]]:5: remark: [Missed] NoSlots | {{.*}} | Buffers=1, Reason="how often the body is executed is not known"
    scf.parallel (%i) = (%c0) to (%c4) step (%step) {
      %a = memref.alloc() : memref<4xf32>
      memref.store %x, %a[%c0] : memref<4xf32>
    }
    return
  }
}
