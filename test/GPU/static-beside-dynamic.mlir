// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: buffer-merge-opt %s --buffer-merge=merge-attributions | FileCheck %s --check-prefix=KEPT
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(buffer-merge)))' | FileCheck %s --check-prefix=NESTED

// On NVIDIA, gpu.dynamic_shared_memory is lowered to a static variable of one byte, and
// any other static memory may be put over what follows it. So a kernel that uses it gets
// no attribution. A public global without bytes and value is right beside static memory.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#wg = #gpu.address_space<workgroup>

gpu.module @kernels {
  memref.global @right : memref<0xf32, #wg> {alignment = 16}
  memref.global "private" @overlaps : memref<0xf32, #wg> {alignment = 16}
  llvm.mlir.global external @llvm_right() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @llvm_overlaps() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

  // WHY: [[#@LINE+5]]:3: remark: pool {{.*}} no pool: dynamic-memory (it uses dynamic memory, which static memory may overlap)
  // CHECK-LABEL: gpu.func @itself(
  //  CHECK-SAME:     index) kernel
  //       CHECK:   memref.alloc() : memref<64xf32
  //       CHECK:   memref.alloc() : memref<64xf32
  gpu.func @itself(%x: f32, %i: index) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #wg>
    %v = memref.view %d[%i][] : memref<?xi8, #wg> to !wg
    memref.store %x, %v[%i] : !wg
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    %b = memref.alloc() : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  func.func @callee(%i: index) -> i8 {
    %c = call @callee_of_callee(%i) : (index) -> i8
    return %c : i8
  }
  func.func @callee_of_callee(%i: index) -> i8 {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #wg>
    %v = memref.load %d[%i] : memref<?xi8, #wg>
    return %v : i8
  }
  // A pass on the kernel alone does not see what it calls.
  // WHY: [[#@LINE+5]]:3: remark: pool {{.*}} no pool: dynamic-memory (it uses dynamic memory, which static memory may overlap)
  //  CHECK-LABEL: gpu.func @in_callee(
  //        CHECK:   memref.alloc() : memref<64xf32
  // NESTED-LABEL: gpu.func @in_callee(
  //       NESTED:   memref.alloc() : memref<64xf32
  gpu.func @in_callee(%x: f32, %i: index) kernel {
    %v = func.call @callee(%i) : (index) -> i8
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }

  //  CHECK-LABEL: gpu.func @by_global(
  // NESTED-LABEL: gpu.func @by_global(
  //   CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8,
  gpu.func @by_global(%x: f32, %i: index) kernel {
    %d = memref.get_global @right : memref<0xf32, #wg>
    %p = memref.reinterpret_cast %d to offset: [0], sizes: [64], strides: [1] : memref<0xf32, #wg> to !wg
    memref.store %x, %p[%i] : !wg
    %e = llvm.mlir.addressof @llvm_right : !llvm.ptr<3>
    llvm.store %x, %e : f32, !llvm.ptr<3>
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @by_private_global(
  //       CHECK:   memref.alloc() : memref<64xf32
  gpu.func @by_private_global(%x: f32, %i: index) kernel {
    %d = memref.get_global @overlaps : memref<0xf32, #wg>
    %p = memref.reinterpret_cast %d to offset: [0], sizes: [64], strides: [1] : memref<0xf32, #wg> to !wg
    memref.store %x, %p[%i] : !wg
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @lowered(
  //       CHECK:   memref.alloc() : memref<64xf32
  gpu.func @lowered(%x: f32, %i: index) kernel {
    %d = llvm.mlir.addressof @llvm_overlaps : !llvm.ptr<3>
    llvm.store %x, %d : f32, !llvm.ptr<3>
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }

  // Attributions that are there stay as they are.
  // KEPT-LABEL: gpu.func @attributions(
  //  KEPT-SAME:     workgroup(%{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>)
  gpu.func @attributions(%x: f32, %i: index) workgroup(%a: !wg, %b: !wg) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #wg>
    %v = memref.view %d[%i][] : memref<?xi8, #wg> to !wg
    memref.store %x, %v[%i] : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
