// RUN: buffer-merge-opt %s --unshare-empty-tensors | FileCheck %s

#id = affine_map<(d0) -> (d0)>
!t = tensor<16xf32>

// CHECK-LABEL: func.func @shared(
// CHECK-NEXT:    %[[E0:.*]] = tensor.empty()
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E0]] :
// CHECK-NEXT:    %[[E1:.*]] = tensor.empty()
// CHECK-NEXT:    linalg.abs {{.*}} outs(%[[E1]] :
func.func @shared(%x: !t) -> (!t, !t) {
  %e = tensor.empty() : !t
  %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %b = linalg.abs ins(%x : !t) outs(%e : !t) -> !t
  return %a, %b : !t, !t
}

// One after the other: they may be in place of each other, also if others are between
// them. The last one reads what something else reads as well.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    %[[E0:.*]] = tensor.empty()
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E0]] :
// CHECK-NEXT:    %[[E1:.*]] = tensor.empty()
// CHECK-NEXT:    linalg.abs {{.*}} outs(%[[E1]] :
// CHECK-NEXT:    linalg.floor {{.*}} outs(%[[E0]] :
// CHECK-NEXT:    linalg.add {{.*}} outs(%[[E0]] :
// CHECK-NEXT:    %[[E2:.*]] = tensor.empty()
// CHECK-NEXT:    linalg.ceil {{.*}} outs(%[[E2]] :
func.func @chain(%x: !t) -> (!t, !t, !t) {
  %e = tensor.empty() : !t
  %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %b = linalg.abs ins(%x : !t) outs(%e : !t) -> !t
  %c = linalg.floor ins(%a : !t) outs(%e : !t) -> !t
  %d = linalg.add ins(%c, %c : !t, !t) outs(%e : !t) -> !t
  %f = linalg.ceil ins(%d : !t) outs(%e : !t) -> !t
  return %b, %d, %f : !t, !t, !t
}

// Not from the inside of a loop.
// CHECK-LABEL: func.func @outside(
// CHECK:         %[[E0:.*]] = tensor.empty()
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E0]] :
// CHECK:         scf.for
// CHECK-NEXT:      %[[E1:.*]] = tensor.empty()
// CHECK-NEXT:      linalg.abs {{.*}} outs(%[[E1]] :
func.func @outside(%x: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : !t
  %a = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> !t {
    %b = linalg.abs ins(%a : !t) outs(%e : !t) -> !t
    scf.yield %b : !t
  }
  return %r : !t
}

// Two operands of one operation.
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2: tensor.empty()
// CHECK-NOT:     tensor.empty()
// CHECK:         return
func.func @twice() -> (!t, !t) {
  %e = tensor.empty() : !t
  return %e, %e : !t, !t
}

// One that is used once stays where it is, and so does one without a use.
// CHECK-LABEL: func.func @once(
// CHECK-NEXT:    %[[E0:.*]] = tensor.empty()
// CHECK-NEXT:    tensor.empty()
// CHECK-NEXT:    linalg.abs
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E0]] :
func.func @once(%x: !t, %y: !t) -> !t {
  %e = tensor.empty() : !t
  %f = tensor.empty() : !t
  %a = linalg.abs ins(%x : !t) outs(%y : !t) -> !t
  %b = linalg.exp ins(%a : !t) outs(%e : !t) -> !t
  return %b : !t
}

// What is used in a loop is allocated there, with the sizes from outside.
// CHECK-LABEL: func.func @loop(
//       CHECK:   %[[E0:.*]] = tensor.empty(%arg1)
//  CHECK-NEXT:   %[[INIT:.*]] = linalg.exp {{.*}} outs(%[[E0]] :
//       CHECK:   scf.for
//       CHECK:     %[[E1:.*]] = tensor.empty(%arg1)
//  CHECK-NEXT:     linalg.abs {{.*}} outs(%[[E1]] :
func.func @loop(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> tensor<?xf32> {
    %b = linalg.abs ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// What is never executed may use its own results.
// CHECK-LABEL: func.func @unreachable(
// CHECK:         tensor.empty()
// CHECK:         tensor.empty()
func.func @unreachable(%x: f32) {
  %e = tensor.empty() : !t
  return
^cycle:
  %a = linalg.fill ins(%x : f32) outs(%b#0 : !t) -> !t
  %b:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      outs(%a, %e : !t, !t) {
  ^bb0(%y: f32, %z: f32):
    linalg.yield %z, %y : f32, f32
  } -> (!t, !t)
  %c = linalg.fill ins(%x : f32) outs(%e : !t) -> !t
  cf.br ^cycle
}
