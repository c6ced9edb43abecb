// RUN: buffer-merge-opt %s --allow-unregistered-dialect -o %t.mlir
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(reorder-for-peak))' | diff %t.mlir -
// RUN: sed '/FENCE/d' %s > %t.open.mlir
// RUN: buffer-merge-opt %t.open.mlir --pass-pipeline='builtin.module(func.func(reorder-for-peak))' --remark-format=emitRemark --remarks-filter=buffer-merge -o /dev/null 2>&1 | grep -c Reordered | FileCheck %s
// CHECK: 17

// What nothing crosses (T2): without the lines with FENCE, each function changes. The
// last ones stay as they are: other threads may execute them (T1).

!m = memref<1024xf32>
!s = memref<f32>

func.func private @opaque()

func.func @call(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  func.call @opaque() : () -> () // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @in_a_branch(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %c: i1) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  scf.if %c { // FENCE
    func.call @opaque() : () -> () // FENCE
  } // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

// Another thread may see what was written before it.
func.func @atomic(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %q: memref<f32> {llvm.noalias}, %f: f32) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  %old = memref.atomic_rmw addf %f, %q[] : (f32, memref<f32>) -> f32 // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

// What follows is not executed if it fails.
func.func @assertion(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %c: i1) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  cf.assert %c, "no" // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @may_not_end(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  scf.while : () -> () { // FENCE
    %r = arith.constant true // FENCE
    scf.condition(%r) // FENCE
  } do { // FENCE
    scf.yield // FENCE
  } // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @unknown_step(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %n: index, %q: memref<f32> {llvm.noalias}, %f: f32) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  scf.for %i = %n to %n step %n { // FENCE
    memref.store %f, %q[] : memref<f32> // FENCE
  } // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @blocks(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %c: i1) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  scf.execute_region { // FENCE
    cf.br ^loop // FENCE
  ^loop: // FENCE
    cf.cond_br %c, ^loop, ^end // FENCE
  ^end: // FENCE
    scf.yield // FENCE
  } // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @address(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  %address = memref.extract_aligned_pointer_as_index %a : !m -> index // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

// It waits for something.
func.func @promise(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %q: memref<f32> {llvm.noalias}, %f: f32) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  memref.store %f, %q[] {buffer_merge.wait = "dma"} : memref<f32> // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

// It may be more than all that is saved.
func.func @dynamic_allocation(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %n: index) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  %d = memref.alloc(%n) : memref<?xf32> // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @dynamic_access(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %d = memref.alloc(%n) : memref<?xf32>
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  memref.store %f, %d[%c0] : memref<?xf32> // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @unknown_origin(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %p: memref<memref<f32>>, %f: f32) {
  %q = memref.load %p[] : memref<memref<f32>>
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  memref.store %f, %q[] : memref<f32> // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @handle(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %p: index) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  %q = builtin.unrealized_conversion_cast %p : index to !llvm.ptr // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @unknown_effects(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  "test.unknown"() : () -> () // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @clone(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %q: memref<f32>) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  %clone = bufferization.clone %q : memref<f32> to memref<f32> // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @task(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  %token = async.execute { // FENCE
    async.yield // FENCE
  } // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @output(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %f: f32) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  vector.print %f : f32 // FENCE
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @in_a_task(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %token = async.execute {
    %a = memref.alloc() : !m
    %b = memref.alloc() : !m
    linalg.exp ins(%x : !m) outs(%a : !m)
    linalg.abs ins(%x : !m) outs(%b : !m)
    linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
    linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
    async.yield
  }
  async.await %token : !async.token
  return
}

func.func @kernel(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%nx = %c1, %ny = %c1, %nz = %c1)
             threads(%tx, %ty, %tz) in (%mx = %c1, %my = %c1, %mz = %c1) {
    %a = memref.alloc() : !m
    %b = memref.alloc() : !m
    linalg.exp ins(%x : !m) outs(%a : !m)
    linalg.abs ins(%x : !m) outs(%b : !m)
    linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
    linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
    gpu.terminator
  }
  return
}
