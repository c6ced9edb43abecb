// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge))' | FileCheck %s --check-prefix=ALONE

// Calls that are not in place because of what is said of the callee, or because
// its body is not known: test/Execution/in-place-calls.mlir has the other ones.

!m = memref<16xf32>

// One memory for both.
//    CHECK-LABEL: func.func @known(
//          CHECK:   memref.alloc() {{.*}} : memref<64xi8>
//          CHECK:   call @f(%[[AT:.*]], %[[AT]])
// A pass on a function must not look at others.
//    ALONE-LABEL: func.func @known(
//  ALONE-COUNT-2:   memref.alloc() : memref<16xf32>
func.func private @f(%x: !m, %y: !m) {
  linalg.exp ins(%x : !m) outs(%y : !m)
  return
}
func.func @known(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// As many bytes, however many there are.
//    CHECK-LABEL: func.func @dynamic(
//  CHECK-COUNT-1:   memref.alloc(
//      CHECK-NOT:   memref.alloc(
//          CHECK:   call @f_dynamic(%[[AT:.*]], %[[AT]])
func.func private @f_dynamic(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func @dynamic(%in: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %in, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  call @f_dynamic(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  return
}

// It says that no argument shares bytes with another one.
//    CHECK-LABEL: func.func @noalias(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_noalias(%x: !m, %y: !m {llvm.noalias}) {
  linalg.exp ins(%x : !m) outs(%y : !m)
  return
}
func.func @noalias(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_noalias(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// The call says so, other calls of the function do not.
//    CHECK-LABEL: func.func @noalias_call(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func @noalias_call(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f(%a, %b) {arg_attrs = [{llvm.noalias}, {}]} : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// What the innermost function says counts.
//    CHECK-LABEL: func.func @inner(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_inner(%x: !m, %y: !m) {
  call @f_noalias(%x, %y) : (!m, !m) -> ()
  return
}
func.func @inner(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_inner(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// Nothing writes there, it says.
//    CHECK-LABEL: func.func @readonly(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_readonly(%x: !m {llvm.readonly}, %y: !m) {
  linalg.exp ins(%x : !m) outs(%y : !m)
  return
}
func.func @readonly(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_readonly(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// It says that it may hold buffers.
//    CHECK-LABEL: func.func @output(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_output(%x: !m, %y: !m {buffer_merge.output}) {
  linalg.exp ins(%x : !m) outs(%y : !m)
  return
}
func.func @output(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_output(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// Another body may be linked.
//    CHECK-LABEL: func.func @weak(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func @f_weak(%x: !m, %y: !m) attributes {llvm.linkage = #llvm.linkage<weak>} {
  linalg.exp ins(%x : !m) outs(%y : !m)
  return
}
func.func @weak(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_weak(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// There is no body.
//    CHECK-LABEL: func.func @external(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_external(%x: !m, %y: !m)
func.func @external(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_external(%a, %b) : (!m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}

// It compares their addresses.
//    CHECK-LABEL: func.func @address(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_address(%x: !m, %y: !m) -> i1 {
  %p = memref.extract_aligned_pointer_as_index %x : !m -> index
  %q = memref.extract_aligned_pointer_as_index %y : !m -> index
  linalg.exp ins(%x : !m) outs(%y : !m)
  %same = arith.cmpi eq, %p, %q : index
  return %same : i1
}
func.func @address(%in: !m, %out: !m) -> i1 {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  %same = call @f_address(%a, %b) : (!m, !m) -> i1
  memref.copy %b, %out : !m to !m
  return %same : i1
}

// Work that goes on after it returns.
//    CHECK-LABEL: func.func @asynchronous(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_async(%x: !m, %y: !m) -> !async.token {
  %token = async.execute {
    linalg.exp ins(%x : !m) outs(%y : !m)
    async.yield
  }
  return %token : !async.token
}
func.func @asynchronous(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  %token = call @f_async(%a, %b) : (!m, !m) -> !async.token
  async.await %token : !async.token
  memref.copy %b, %out : !m to !m
  return
}

// Read by a task while it is written.
//    CHECK-LABEL: func.func @task(
//  CHECK-COUNT-2:   memref.alloc() : memref<16xf32>
//          CHECK:   return
func.func private @f_task(%x: !m, %y: !m, %z: !m) {
  %token = async.execute {
    linalg.exp ins(%x : !m) outs(%z : !m)
    async.yield
  }
  linalg.exp ins(%z : !m) outs(%y : !m)
  async.await %token : !async.token
  return
}
func.func @task(%in: !m, %out: !m) {
  %a = memref.alloc() : !m
  memref.copy %in, %a : !m to !m
  %b = memref.alloc() : !m
  call @f_task(%a, %b, %in) : (!m, !m, !m) -> ()
  memref.copy %b, %out : !m to !m
  return
}
