// RUN: buffer-merge-opt %s --split-buffers | FileCheck %s
// RUN: buffer-merge-opt %s --split-buffers -o %t.once
// RUN: buffer-merge-opt %t.once --split-buffers | diff %t.once -

// buffer-lifetimes splits as well, and leaves no trace.
// RUN: buffer-merge-opt %s -o %t.before
// RUN: buffer-merge-opt %s --buffer-lifetimes -o %t.after 2> /dev/null
// RUN: diff %t.before %t.after

// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefix=MERGE
// RUN: buffer-merge-opt %s --buffer-merge=split-buffers=false | FileCheck %s --check-prefix=WHOLE

!m = memref<64xf32>

// CHECK-LABEL: func.func @three(
//  CHECK-SAME:   %[[IN:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<64xf32>)
//       CHECK:   %[[A0:.*]] = memref.alloc() {alignment = 128 : i64} : memref<64xf32>
//  CHECK-NEXT:   %[[A1:.*]] = memref.alloc() {alignment = 128 : i64} : memref<64xf32>
//  CHECK-NEXT:   %[[A2:.*]] = memref.alloc() {alignment = 128 : i64} : memref<64xf32>
//  CHECK-NEXT:   linalg.exp ins(%[[IN]] : {{.*}}) outs(%[[A0]]
//  CHECK-NEXT:   linalg.exp ins(%[[A0]] : {{.*}}) outs(%[[OUT]]
//  CHECK-NEXT:   memref.copy %[[IN]], %[[A1]]
//  CHECK-NEXT:   linalg.exp ins(%[[A1]] : {{.*}}) outs(%[[A1]]
//  CHECK-NEXT:   linalg.exp ins(%[[A1]] : {{.*}}) outs(%[[OUT]]
//  CHECK-NEXT:   linalg.exp ins(%[[IN]] : {{.*}}) outs(%[[A2]]
//  CHECK-NEXT:   linalg.exp ins(%[[A2]] : {{.*}}) outs(%[[OUT]]
//  CHECK-NEXT:   return

// One slot for all of them saves nothing.
// MERGE-LABEL: func.func @three(
//       MERGE:   memref.alloc() {alignment = 128 : i64} : memref<64xf32>
//   MERGE-NOT:   memref.alloc
//   MERGE-NOT:   memref.view
//       MERGE:   return
func.func @three(%in: !m, %out: !m) {
  %a = memref.alloc() {alignment = 128 : i64} : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  memref.copy %in, %a : !m to !m
  linalg.exp ins(%a : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// %b takes the bytes between two values of %a.
// CHECK-LABEL: func.func @between(
// CHECK-COUNT-3: memref.alloc
// MERGE-LABEL: func.func @between(
//       MERGE:   memref.alloc() {{.*}} : memref<256xi8>
// WHOLE-LABEL: func.func @between(
// WHOLE-COUNT-2: memref.alloc() : memref<64xf32>
func.func @between(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  linalg.exp ins(%in : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%out : !m)
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// Views are cloned where a value needs them; deallocations are, where they are.
// CHECK-LABEL: func.func @views(
//       CHECK:   %[[A0:.*]] = memref.alloc()
//  CHECK-NEXT:   %[[A1:.*]] = memref.alloc()
//  CHECK-NEXT:   %[[ROWS0:.*]] = memref.expand_shape %[[A0]]
//  CHECK-NEXT:   %[[ROWS1:.*]] = memref.expand_shape %[[A1]]
//  CHECK-NEXT:   %[[PART:.*]] = memref.subview %[[ROWS1]][1, 0]
//  CHECK-NEXT:   linalg.exp {{.*}} outs(%[[A0]] :
//  CHECK-NEXT:   memref.load %[[ROWS0]]
//  CHECK-NEXT:   memref.copy %{{.*}}, %[[ROWS1]]
//  CHECK-NEXT:   memref.load %[[PART]]
//       CHECK:   memref.dealloc %[[A0]]
//  CHECK-NEXT:   memref.dealloc %[[A1]]
//  CHECK-NEXT:   return
func.func @views(%in: !m, %other: memref<8x8xf32>, %i: index) -> (f32, f32) {
  %a = memref.alloc() : !m
  %rows = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : !m into memref<8x8xf32>
  %part = memref.subview %rows[1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.exp ins(%in : !m) outs(%a : !m)
  %x = memref.load %rows[%i, %i] : memref<8x8xf32>
  memref.copy %other, %rows : memref<8x8xf32> to memref<8x8xf32>
  %y = memref.load %part[%i] : memref<8xf32, strided<[1], offset: 8>>
  memref.dealloc %a : !m
  return %x, %y : f32, f32
}

// Through branches: what the arms write is one value, and so is what they leave.
// CHECK-LABEL: func.func @branches(
//       CHECK:   %[[A0:.*]] = memref.alloc()
//  CHECK-NEXT:   %[[A1:.*]] = memref.alloc()
//   CHECK-NOT:   memref.alloc
//       CHECK:   linalg.exp {{.*}} outs(%[[A0]] :
//       CHECK:   linalg.exp ins(%[[A0]]
//       CHECK:   scf.if
//       CHECK:     linalg.exp {{.*}} outs(%[[A1]] :
//       CHECK:   else
//       CHECK:     linalg.log {{.*}} outs(%[[A1]] :
//       CHECK:   linalg.exp ins(%[[A1]]
func.func @branches(%in: !m, %out: !m, %c: i1) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  scf.if %c {
    linalg.exp ins(%in : !m) outs(%a : !m)
  } else {
    linalg.log ins(%in : !m) outs(%a : !m)
  }
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// Between blocks.
// CHECK-LABEL: func.func @blocks(
//       CHECK:   %[[A0:.*]] = memref.alloc()
//  CHECK-NEXT:   %[[A1:.*]] = memref.alloc()
//   CHECK-NOT:   memref.alloc
//       CHECK:   linalg.exp {{.*}} outs(%[[A0]] :
//       CHECK: ^bb1:
//       CHECK:   linalg.exp ins(%[[A0]]
//       CHECK:   linalg.log {{.*}} outs(%[[A1]] :
//       CHECK: ^bb2:
//       CHECK:   linalg.exp {{.*}} outs(%[[A1]] :
//       CHECK: ^bb3:
//       CHECK:   linalg.exp ins(%[[A1]]
func.func @blocks(%in: !m, %out: !m, %c: i1) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  cf.cond_br %c, ^one, ^other
^one:
  linalg.exp ins(%a : !m) outs(%out : !m)
  linalg.log ins(%in : !m) outs(%a : !m)
  cf.br ^end
^other:
  linalg.exp ins(%in : !m) outs(%a : !m)
  cf.br ^end
^end:
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// A callee may read what is there.
// CHECK-LABEL: func.func @call(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   return
func.func @call(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  func.call @callee(%a) : (!m) -> ()
  func.call @callee(%a) : (!m) -> ()
  return
}
func.func private @callee(!m)

// A result of the branch may be any value of %a after it; the value before it is
// another one.
// CHECK-LABEL: func.func @result(
//       CHECK:   %[[A0:.*]] = memref.alloc()
//  CHECK-NEXT:   %[[A1:.*]] = memref.alloc()
//   CHECK-NOT:   memref.alloc
//       CHECK:   linalg.exp {{.*}} outs(%[[A0]] :
//       CHECK:   linalg.exp ins(%[[A0]]
//       CHECK:   linalg.log {{.*}} outs(%[[A1]] :
//       CHECK:     scf.yield %[[A1]]
//       CHECK:   linalg.exp {{.*}} outs(%[[A1]] :
func.func @result(%in: !m, %out: !m, %c: i1) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  linalg.log ins(%in : !m) outs(%a : !m)
  %r = scf.if %c -> (!m) {
    scf.yield %a : !m
  } else {
    scf.yield %out : !m
  }
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%r : !m) outs(%out : !m)
  return
}

// A buffer that is returned stays one allocation.
// CHECK-LABEL: func.func @returned(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   return
func.func @returned(%in: !m, %out: !m) -> !m {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  linalg.exp ins(%out : !m) outs(%a : !m)
  return %a : !m
}

// An iteration runs while another one does.
// CHECK-LABEL: func.func @parallel(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   return
func.func @parallel(%in: !m, %out: !m, %n: index) {
  %a = memref.alloc() : !m
  scf.forall (%i) in (%n) {
    linalg.exp ins(%in : !m) outs(%a : !m)
    linalg.exp ins(%a : !m) outs(%out : !m)
    linalg.exp ins(%in : !m) outs(%a : !m)
    linalg.exp ins(%a : !m) outs(%out : !m)
  }
  return
}

// The task may read %a later than the program says.
// CHECK-LABEL: func.func @task(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   return
func.func @task(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  %token = async.execute {
    linalg.exp ins(%a : !m) outs(%out : !m)
    async.yield
  }
  linalg.log ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// So may an asynchronous operation.
// CHECK-LABEL: func.func @deferred(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   return
func.func @deferred(%in: !m, %out: !m, %tag: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  memref.dma_start %a[%c0], %out[%c0], %n, %tag[%c0] : !m, !m, memref<1xi32>
  linalg.log ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// A coroutine is resumed anywhere.
// CHECK-LABEL: func.func @coroutine(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   return
func.func @coroutine(%in: !m, %out: !m) -> !async.token {
  %token = async.runtime.create : !async.token
  %id = async.coro.id
  %handle = async.coro.begin %id
  %a = memref.alloc() : !m
  linalg.exp ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  %state = async.coro.save %handle
  async.coro.suspend %state, ^suspend, ^resume, ^cleanup
^resume:
  linalg.log ins(%in : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  async.runtime.set_available %token : !async.token
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %handle
  cf.br ^suspend
^suspend:
  async.coro.end %handle
  return %token : !async.token
}

// Other threads may still read what one of them overwrites.
// CHECK-LABEL: gpu.func @kernel(
//       CHECK:   memref.alloc()
//   CHECK-NOT:   memref.alloc()
//       CHECK:   gpu.return
!w = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @kernel(%in: !m, %out: !m) kernel {
    %a = memref.alloc() : !w
    linalg.exp ins(%in : !m) outs(%a : !w)
    linalg.exp ins(%a : !w) outs(%out : !m)
    linalg.exp ins(%in : !m) outs(%a : !w)
    linalg.exp ins(%a : !w) outs(%out : !m)
    gpu.return
  }
}
