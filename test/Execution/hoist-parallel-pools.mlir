// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --hoist-parallel-pools=alignment=1 -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge=alignment=1 | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge="pool=global alignment=1 left=error scheduler=greedy-by-size" | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge="pool=global alignment=1 left=error" | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge="pool=stack alignment=1 left=error" | %execute | diff %t.before -

// The same with iterations that run at the same time.
// RUN: buffer-merge-opt %t.mlir --buffer-merge=alignment=1 --lower-affine --scf-forall-to-parallel --async-parallel-for=min-task-size=1 | %execute | diff %t.before -

// Guards the slots of parallel loops: each iteration has one of its own, inside of what is
// allocated for them. Each fills its buffer, takes its time, and reads what it has filled
// in; the buffers before and behind the slots have to be the same afterwards.

func.func private @busy(%x: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 2000000 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %last = scf.for %k = %c0 to %many step %c1 iter_args(%a = %x) -> i64 {
    %y = arith.addi %a, %two : i64
    %z = arith.muli %y, %five : i64
    %w = arith.remui %z, %seven : i64
    scf.yield %w : i64
  }
  %seventh = arith.divui %last, %seven : i64
  return %seventh : i64
}

// What an iteration does: 0, in two steps, plus %v.
func.func private @work(%a: memref<5xi64>, %v: i64) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  linalg.fill ins(%v : i64) outs(%a : memref<5xi64>)
  %zero = func.call @busy(%v) : (i64) -> i64
  %w = memref.load %a[%c3] : memref<5xi64>
  %sum = arith.addi %w, %zero : i64
  memref.store %sum, %a[%c0] : memref<5xi64>
  return
}

// From a negative bound on, in steps that go beyond the end, in two dimensions.
//    IR-LABEL: func.func @parallel(
//          IR:   %[[SLOTS:.*]] = memref.alloc() {{.*}} : memref<480xi8>
//          IR:   scf.parallel
//      IR-NOT:     memref.alloc
//          IR:   return
func.func @parallel(%out: memref<4x3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %cm2 = arith.constant -2 : index
  %cm3 = arith.constant -3 : index
  %cm5 = arith.constant -5 : index
  %below = arith.constant 1000 : i64
  %above = arith.constant 2000 : i64
  %four = arith.constant 4 : i64
  %first = memref.alloc() : memref<8xi64>
  linalg.fill ins(%below : i64) outs(%first : memref<8xi64>)
  %second = memref.alloc() : memref<8xi64>
  linalg.fill ins(%above : i64) outs(%second : memref<8xi64>)
  scf.parallel (%i, %j) = (%cm3, %cm5) to (%c7, %cm2) step (%c3, %c1) {
    %p = arith.addi %i, %c3 : index
    %row = arith.divui %p, %c3 : index
    %column = arith.addi %j, %c5 : index
    %scaled = arith.muli %row, %c3 : index
    %n = arith.addi %scaled, %column : index
    %v = arith.index_cast %n : index to i64
    %a = memref.alloc() : memref<5xi64>
    func.call @work(%a, %v) : (memref<5xi64>, i64) -> ()
    %b = memref.alloc() : memref<5xi64>
    %w = memref.load %a[%c0] : memref<5xi64>
    func.call @work(%b, %w) : (memref<5xi64>, i64) -> ()
    %r = memref.load %b[%c0] : memref<5xi64>
    memref.store %r, %out[%row, %column] : memref<4x3xi64>
  }
  call @sum(%first) : (memref<8xi64>) -> ()
  call @sum(%second) : (memref<8xi64>) -> ()
  return
}

func.func private @sum(%a: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> i64 {
    %x = memref.load %a[%i] : memref<8xi64>
    %t = arith.addi %s, %x : i64
    scf.yield %t : i64
  }
  vector.print %sum : i64
  return
}

// The slots are freed behind the loop.
//    IR-LABEL: func.func @forall(
//          IR:   %[[SLOTS:.*]] = memref.alloc() {{.*}} : memref<160xi8>
//          IR:   scf.forall
//      IR-NOT:     memref.alloc
//      IR-NOT:     memref.dealloc
//          IR:   }
//     IR-NEXT:   memref.dealloc %[[SLOTS]]
func.func @forall(%out: memref<4x3xi64>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) = (10) to (50) step (10) {
    %v = arith.index_cast %i : index to i64
    %a = memref.alloc() : memref<5xi64>
    func.call @work(%a, %v) : (memref<5xi64>, i64) -> ()
    %r = memref.load %a[%c0] : memref<5xi64>
    %c10 = arith.constant 10 : index
    %p = arith.subi %i, %c10 : index
    %row = arith.divui %p, %c10 : index
    memref.store %r, %out[%row, %c0] : memref<4x3xi64>
    memref.dealloc %a : memref<5xi64>
  }
  return
}

// The slots of an inner loop are buffers of the outer body: 2 x (3 x 40 + 40) bytes.
//    IR-LABEL: func.func @nested(
//          IR:   memref.alloc() {{.*}} : memref<320xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @nested(%out: memref<4x3xi64>) {
  %c0 = arith.constant 0 : index
  affine.parallel (%i) = (2) to (4) {
    %u = arith.index_cast %i : index to i64
    %a = memref.alloc() : memref<5xi64>
    func.call @work(%a, %u) : (memref<5xi64>, i64) -> ()
    affine.parallel (%j) = (1) to (4) {
      %v = arith.index_cast %j : index to i64
      %b = memref.alloc() : memref<5xi64>
      func.call @work(%b, %v) : (memref<5xi64>, i64) -> ()
      %x = memref.load %a[%c0] : memref<5xi64>
      %y = memref.load %b[%c0] : memref<5xi64>
      %z = arith.muli %x, %y : i64
      %c1 = arith.constant 1 : index
      %column = arith.subi %j, %c1 : index
      memref.store %z, %out[%i, %column] : memref<4x3xi64>
    }
  }
  return
}

// A vector is stored by an instruction that fails where the slot is not aligned: 20
// bytes, and the next one is 32 behind.
//    IR-LABEL: func.func @aligned(
//          IR:   memref.alloc() {alignment = 16 : i64} : memref<84xi8>
func.func @aligned(%out: memref<4x3xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant dense<7> : vector<4xi32>
  scf.forall (%i) in (3) {
    %a = memref.alloc() : memref<5xi32>
    %p = memref.assume_alignment %a, 16 : memref<5xi32>
    vector.store %x, %p[%c0] : memref<5xi32>, vector<4xi32>
    %w = memref.load %a[%c2] : memref<5xi32>
    %v = arith.extsi %w : i32 to i64
    memref.store %v, %out[%c0, %i] : memref<4x3xi64>
  }
  return
}

func.func private @print(%out: memref<4x3xi64>) {
  %any = memref.cast %out : memref<4x3xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<4x3xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<4x3xi64>)
  // CHECK: 8000
  // CHECK: 16000
  call @parallel(%out) : (memref<4x3xi64>) -> ()
  //      CHECK: {{\[\[}}0, 1, 2],
  // CHECK-NEXT:  [3, 4, 5],
  // CHECK-NEXT:  [6, 7, 8],
  // CHECK-NEXT:  [9, 10, 11]]
  call @print(%out) : (memref<4x3xi64>) -> ()
  call @forall(%out) : (memref<4x3xi64>) -> ()
  //      CHECK: {{\[\[}}10, 1, 2],
  // CHECK-NEXT:  [20, 4, 5],
  // CHECK-NEXT:  [30, 7, 8],
  // CHECK-NEXT:  [40, 10, 11]]
  call @print(%out) : (memref<4x3xi64>) -> ()
  call @nested(%out) : (memref<4x3xi64>) -> ()
  //      CHECK:  [2, 4, 6],
  // CHECK-NEXT:  [3, 6, 9]]
  call @print(%out) : (memref<4x3xi64>) -> ()
  call @aligned(%out) : (memref<4x3xi64>) -> ()
  // CHECK: {{\[\[}}7, 7, 7],
  call @print(%out) : (memref<4x3xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
