// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-lifetimes=calls=escape -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHOW
// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge=calls=escape | FileCheck %s

// What an operation that is not understood is promised to do with the memrefs that it is
// given. The tick after the last one of a lifetime is printed.

// CHECK-LABEL: @promises
//       CHECK: memref.alloc() {{.*}} : memref<128xi8>
//   CHECK-NOT: memref.alloc
//       CHECK: return
func.func private @ext(memref<16xf32>) -> memref<16xf32>
func.func private @start(memref<16xf32>)
func.func private @wait()
// SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} pool: 5 buffers of 320 bytes, 128 alive at tick 8, pool of 128 bytes
func.func @promises(%x: f32, %out: memref<16xf32>) {
  // Neither kept nor returned: its memory effects do not matter.
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [1, 2), 64 bytes
  %a = memref.alloc() : memref<16xf32>
  "my.op"(%a) {buffer_merge.no_capture} : (memref<16xf32>) -> ()
  // What the call returns is something else.
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [3, 4), 64 bytes
  %b = memref.alloc() : memref<16xf32>
  %r = func.call @ext(%b) {buffer_merge.no_capture} : (memref<16xf32>) -> memref<16xf32>
  memref.copy %r, %out : memref<16xf32> to memref<16xf32>
  // In use until the wait.
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [6, 12), 64 bytes
  %c = memref.alloc() : memref<16xf32>
  func.call @start(%c) {buffer_merge.until = "dma"} : (memref<16xf32>) -> ()
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [8, 11), 64 bytes
  %d = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<16xf32>)
  func.call @wait() {buffer_merge.wait = "dma"} : () -> ()
  // There is no wait: until the end of the function.
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [13, 18), 64 bytes
  %e = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%e : memref<16xf32>)
  "my.start"(%e) {buffer_merge.until = "never"} : (memref<16xf32>) -> ()
  return
}

// A wait that some path does not reach, one that comes before, and one for several
// executions.

func.func @waits(%x: f32, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [3, 18), 64 bytes
  %a = memref.alloc() : memref<16xf32>
  func.call @start(%a) {buffer_merge.until = "a"} : (memref<16xf32>) -> ()
  scf.if %c {
    func.call @wait() {buffer_merge.wait = "a"} : () -> ()
  }
  func.call @wait() {buffer_merge.wait = "b"} : () -> ()
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [10, 18), 64 bytes
  %b = memref.alloc() : memref<16xf32>
  func.call @start(%b) {buffer_merge.until = "b"} : (memref<16xf32>) -> ()
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [12, 17), 64 bytes
  %d = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    func.call @start(%d) {buffer_merge.until = "d"} : (memref<16xf32>) -> ()
  }
  func.call @wait() {buffer_merge.wait = "d"} : () -> ()
  return
}

// What is understood may have an end, too: a copy that a call waits for.

func.func @understood(%x: f32, %out: memref<16xf32>) {
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [1, 6), 64 bytes
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  memref.copy %a, %out {buffer_merge.until = "copy"} : memref<16xf32> to memref<16xf32>
  func.call @wait() {buffer_merge.wait = "copy"} : () -> ()
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} lifetime [7, 11), 64 bytes
  %b = memref.alloc() : memref<16xf32>
  linalg.fill {buffer_merge.until = "fill"} ins(%x : f32) outs(%b : memref<16xf32>)
  func.call @wait() {buffer_merge.wait = "fill"} : () -> ()
  return
}

// A promise does not count against what is seen: the callee keeps it, the operation frees
// it. Nor does one that nobody has given.

func.func @callee(%a: memref<16xf32>, %b: memref<1xmemref<16xf32>>) {
  %c0 = arith.constant 0 : index
  memref.store %a, %b[%c0] : memref<1xmemref<16xf32>>
  return
}
func.func @not_believed(%slot: memref<1xmemref<16xf32>>) {
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} not mergeable: stored-as-value
  %a = memref.alloc() : memref<16xf32>
  func.call @callee(%a, %slot) {buffer_merge.no_capture} : (memref<16xf32>, memref<1xmemref<16xf32>>) -> ()
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} not mergeable: conditional-dealloc
  %b = memref.alloc() : memref<16xf32>
  gpu.dealloc %b {buffer_merge.no_capture} : memref<16xf32>
  // SHOW-DAG: mlir:[[#@LINE+1]]:{{.*}} not mergeable: passed-to-call
  %c = memref.alloc() : memref<16xf32>
  func.call @start(%c) : (memref<16xf32>) -> ()
  return
}
