// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge=barriers=insert | FileCheck %s
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-lifetimes=barriers=insert -o /dev/null --verify-diagnostics=only-expected
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge=barriers=insert --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// An inserted barrier is one of all threads. Beside a barrier of some of them with the
// same number it would be counted with theirs.

// REMARK: [Missed] NoBarrierInserted{{.*}}Function=partial{{.*}}At="nvvm.barrier at {{.*}}", Reason="an operation may use the same hardware barrier for some threads"

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {

  // CHECK-LABEL: gpu.func @partial(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @partial(%x: f32, %i: index, %c: i1) kernel {
    %id = arith.constant 0 : i32
    %n = arith.constant 64 : i32
    scf.if %c {
      // expected-remark @below {{no barrier is inserted into the kernel: this operation may use the same hardware barrier for some threads}}
      nvvm.barrier id = %id number_of_threads = %n
    }
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @default_number(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @default_number(%x: f32, %i: index, %n: i32) kernel {
    // expected-remark @below {{no barrier is inserted}}
    nvvm.barrier.arrive number_of_threads = %n
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unknown_number(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @unknown_number(%x: f32, %i: index, %id: i32, %n: i32) kernel {
    // expected-remark @below {{no barrier is inserted}}
    nvvm.barrier.arrive id = %id number_of_threads = %n
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @other_number(
  //  CHECK-SAME:     memref<256xi8
  //       CHECK:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @other_number(%x: f32, %i: index, %n: i32) kernel {
    %id = llvm.mlir.constant(1 : i32) : i32
    nvvm.barrier.arrive id = %id number_of_threads = %n
    nvvm.barrier id = %id number_of_threads = %n
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @assembly(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @assembly(%x: f32, %i: index) kernel {
    // expected-remark @below {{no barrier is inserted}}
    llvm.inline_asm has_side_effects "bar.sync 0, 64;", "" : () -> ()
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @other_assembly(
  //  CHECK-SAME:     memref<256xi8
  //       CHECK:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @other_assembly(%x: f32, %i: index) kernel {
    llvm.inline_asm has_side_effects "cp.async.commit_group;", "" : () -> ()
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @split(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @split(%x: f32, %i: index) kernel {
    // expected-remark @below {{no barrier is inserted}}
    rocdl.s.barrier.signal id = -1
    rocdl.s.barrier.wait id = -1
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @whole(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @whole(%x: f32, %i: index) kernel {
    // expected-remark @below {{no barrier is inserted}}
    rocdl.s.barrier
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @callee(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @callee(%x: f32, %i: index) kernel {
    func.call @device() : () -> ()
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @no_body(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @no_body(%x: f32, %i: index) kernel {
    // expected-remark @below {{no barrier is inserted}}
    func.call @external() : () -> ()
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @math(
  //  CHECK-SAME:     memref<256xi8
  //       CHECK:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @math(%x: f32, %i: index) kernel {
    %y = func.call @__nv_expf(%x) : (f32) -> f32
    func.call @barrier() : () -> ()
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @not_registered(
  //  CHECK-SAME:     memref<512xi8
  //   CHECK-NOT:   gpu.barrier
  //       CHECK:   gpu.return
  gpu.func @not_registered(%x: f32, %i: index) kernel {
    // expected-remark @below {{no barrier is inserted}}
    "my.sync"() : () -> ()
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  func.func private @external()
  func.func private @__nv_expf(%x: f32) -> f32
  func.func private @barrier() {
    gpu.barrier
    return
  }
  func.func private @device() {
    func.call @indirect() : () -> ()
    return
  }
  func.func private @indirect() {
    %c0 = arith.constant 0 : i32
    // expected-remark @below {{no barrier is inserted}}
    llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%c0) : (i32) -> ()
    return
  }
}
