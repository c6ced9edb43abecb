// RUN: buffer-merge-opt %s --allow-unregistered-dialect --propagate-copies=generalize --split-input-file | FileCheck %s

// Copies that are read all the same, because nothing else would be right.

!w = memref<8x8xf32>
#id = affine_map<(i, j) -> (i, j)>

// The source is written before the last reader, by an operation or by the
// reader itself.
// CHECK-LABEL: func.func @written(
//       CHECK:   linalg.transpose
func.func @written(%w: !w, %x: !w) -> !w {
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  linalg.exp ins(%y : !w) outs(%w : !w)
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}

// CHECK-LABEL: func.func @written_by_reader(
//       CHECK:   linalg.transpose
func.func @written_by_reader(%w: !w, %x: !w) {
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !w, !w) outs(%w : !w)
  return
}

// CHECK-LABEL: func.func @written_through_view(
//       CHECK:   linalg.transpose
func.func @written_through_view(%x: !w) -> !w {
  %w = memref.alloc() : !w
  linalg.exp ins(%x : !w) outs(%w : !w)
  %part = memref.subview %w[0, 0] [1, 8] [1, 1] : !w to memref<8xf32, strided<[1]>>
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%part : memref<8xf32, strided<[1]>>)
  %y = memref.alloc() : !w
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}

// After the reader, but in a loop.
// CHECK-LABEL: func.func @written_in_loop(
//       CHECK:   linalg.transpose
func.func @written_in_loop(%w: !w, %x: !w, %n: index) -> !w {
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  scf.for %i = %n to %n step %n {
    linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
    linalg.exp ins(%y : !w) outs(%w : !w)
  }
  return %y : !w
}

// One of two is written.
// CHECK-LABEL: func.func @one_of_two_sources(
//       CHECK:   linalg.transpose
func.func @one_of_two_sources(%w: !w, %x: !w, %c: i1) -> !w {
  %v = memref.alloc() : !w
  linalg.exp ins(%x : !w) outs(%v : !w)
  %s = arith.select %c, %w, %v : !w
  %t = memref.alloc() : !w
  linalg.transpose ins(%s : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  linalg.exp ins(%x : !w) outs(%v : !w)
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}

// CHECK-LABEL: func.func @freed(
//       CHECK:   linalg.transpose
func.func @freed(%x: !w) -> !w {
  %w = memref.alloc() : !w
  linalg.exp ins(%x : !w) outs(%w : !w)
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  memref.dealloc %w : !w
  %y = memref.alloc() : !w
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}

// What a call does is not known, nor what memory it returns.
// CHECK-LABEL: func.func @call(
//       CHECK:   linalg.transpose
func.func @call(%w: !w, %x: !w) -> !w {
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  call @external() : () -> ()
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}
func.func private @external()

// CHECK-LABEL: func.func @result_of_call(
//       CHECK:   linalg.transpose
func.func @result_of_call(%x: !w) -> !w {
  %w = call @memory() : () -> !w
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}
func.func private @memory() -> !w

// A global that is not constant is memory that an argument may be, too.
memref.global "private" @state : !w = dense<1.0>
// CHECK-LABEL: func.func @global(
//       CHECK:   linalg.transpose
func.func @global(%x: !w, %y: !w) {
  %w = memref.get_global @state : !w
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return
}

// Tensors may become buffers that are written.
// CHECK-LABEL: func.func @tensors(
//       CHECK:   linalg.transpose
func.func @tensors(%w: !w, %x: !w) -> (!w, tensor<8x8xf32>) {
  %tensor = bufferization.to_tensor %w restrict writable : !w to tensor<8x8xf32>
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %r = linalg.exp ins(%tensor : tensor<8x8xf32>) outs(%tensor : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = memref.alloc() : !w
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y, %r : !w, tensor<8x8xf32>
}

// The task may read later than what follows it.
// CHECK-LABEL: func.func @task(
//       CHECK:   linalg.transpose
memref.global "private" constant @weights : !w = dense<1.0>
func.func @task(%x: !w) -> !w {
  %w = memref.get_global @weights : !w
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  %token = async.execute {
    linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
    async.yield
  }
  async.await %token : !async.token
  return %y : !w
}

// The first reader gets what was there before, or what another iteration has
// moved.
// CHECK-LABEL: func.func @in_front(
//       CHECK:   linalg.transpose
func.func @in_front(%w: !w, %x: !w, %n: index) -> !w {
  %t = memref.alloc() : !w
  %y = memref.alloc() : !w
  scf.for %i = %n to %n step %n {
    linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
    linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  }
  return %y : !w
}

// CHECK-LABEL: func.func @in_a_branch(
//       CHECK:   linalg.transpose
func.func @in_a_branch(%w: !w, %x: !w, %c: i1) -> !w {
  %t = memref.alloc() : !w
  scf.if %c {
    linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  }
  %y = memref.alloc() : !w
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  return %y : !w
}

// Two writers; a reader that is not of linalg; a reader that writes as well.
// CHECK-LABEL: func.func @uses(
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
func.func @uses(%w: !w, %x: !w, %i: index) -> (!w, f32) {
  %y = memref.alloc() : !w
  %s = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%s : !w) permutation = [1, 0]
  linalg.transpose ins(%x : !w) outs(%s : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %s : !w, !w) outs(%y : !w)
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  %z = memref.load %t[%i, %i] : !w
  %u = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%u : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %u : !w, !w) outs(%u : !w)
  %v = memref.alloc() : !w
  linalg.transpose ins(%v : !w) outs(%v : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %v : !w, !w) outs(%y : !w)
  return %y, %z : !w, f32
}

// The payload does more than to convert, or is not one of each element.
// CHECK-LABEL: func.func @payloads(
//       CHECK:   linalg.exp
//       CHECK:   linalg.matmul
//       CHECK:   linalg.reduce
//       CHECK:   linalg.matmul
//       CHECK:   linalg.generic
//       CHECK:   linalg.matmul
func.func @payloads(%w: !w, %x: !w, %v: memref<8x8x2xf32>) -> !w {
  %y = memref.alloc() : !w
  %s = memref.alloc() : !w
  linalg.exp ins(%w : !w) outs(%s : !w)
  linalg.matmul ins(%x, %s : !w, !w) outs(%y : !w)
  %t = memref.alloc() : !w
  linalg.reduce ins(%v : memref<8x8x2xf32>) outs(%t : !w) dimensions = [2] (%in: f32, %init: f32) {
    linalg.yield %in : f32
  }
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  %u = memref.alloc() : !w
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : !w) outs(%u : !w) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %out : f32
  }
  linalg.matmul ins(%x, %u : !w, !w) outs(%y : !w)
  return %y : !w
}

// How often something is added up is known by the copy only.
// CHECK-LABEL: func.func @extent(
//       CHECK:   linalg.broadcast
//       CHECK:   linalg.reduce
func.func @extent(%b: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : !w
  linalg.broadcast ins(%b : memref<8xf32>) outs(%t : !w) dimensions = [0]
  %y = memref.alloc() : memref<8xf32>
  linalg.reduce { arith.addf } ins(%t : !w) outs(%y : memref<8xf32>) dimensions = [0]
  return %y : memref<8xf32>
}

// By either of the two operands, which both read the copy; or two copies, of
// which one may go.
// CHECK-LABEL: func.func @extent_of_both(
//       CHECK:   linalg.broadcast
//       CHECK:   linalg.generic
//       CHECK:   linalg.broadcast
//   CHECK-NOT:   linalg.broadcast
//       CHECK:   return
func.func @extent_of_both(%b: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : !w
  linalg.broadcast ins(%b : memref<8xf32>) outs(%t : !w) dimensions = [0]
  %y = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%t, %t : !w, !w) outs(%y : memref<8xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %p, %out : f32
    linalg.yield %q : f32
  }
  %u = memref.alloc() : !w
  linalg.broadcast ins(%b : memref<8xf32>) outs(%u : !w) dimensions = [0]
  %v = memref.alloc() : !w
  linalg.broadcast ins(%b : memref<8xf32>) outs(%v : !w) dimensions = [0]
  linalg.generic {indexing_maps = [#id, #id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%u, %v : !w, !w) outs(%y : memref<8xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %p, %out : f32
    linalg.yield %q : f32
  }
  return %y : memref<8xf32>
}

// What the library is called with has the shape of the copy.
// CHECK-LABEL: func.func @library(
//       CHECK:   linalg.transpose
func.func @library(%w: !w) -> !w {
  %t = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  %y = memref.alloc() : !w
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"], library_call = "f"} ins(%t : !w) outs(%y : !w) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.addf %in, %in : f32
    linalg.yield %d : f32
  }
  return %y : !w
}

// Other memory, where copies are on purpose; places and waits that the program
// asks for.
// CHECK-LABEL: func.func @on_purpose(
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
//       CHECK:   linalg.transpose
func.func @on_purpose(%w: !w, %x: !w) -> !w {
  %y = memref.alloc() : !w
  %s = memref.alloc() : memref<8x8xf32, 1>
  linalg.transpose ins(%w : !w) outs(%s : memref<8x8xf32, 1>) permutation = [1, 0]
  linalg.matmul ins(%x, %s : !w, memref<8x8xf32, 1>) outs(%y : !w)
  %t = memref.alloc() {buffer_merge.offset = 0 : i64} : !w
  linalg.transpose ins(%w : !w) outs(%t : !w) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !w, !w) outs(%y : !w)
  %u = memref.alloc() : !w
  linalg.transpose {buffer_merge.until = "u"} ins(%w : !w) outs(%u : !w) permutation = [1, 0]
  "test.wait"() {buffer_merge.wait = "u"} : () -> ()
  linalg.matmul ins(%x, %u : !w, !w) outs(%y : !w)
  %v = memref.alloc() : !w
  linalg.transpose ins(%w : !w) outs(%v : !w) permutation = [1, 0]
  linalg.matmul {buffer_merge.until = "v"} ins(%x, %v : !w, !w) outs(%y : !w)
  linalg.exp ins(%x : !w) outs(%w : !w)
  "test.wait"() {buffer_merge.wait = "v"} : () -> ()
  return %y : !w
}

// Threads of a workgroup may write the source before the next barrier.
// CHECK-LABEL: gpu.func @kernel(
//       CHECK:   linalg.transpose
gpu.module @device {
  gpu.func @kernel(%w: memref<8x8xf32>, %x: memref<8x8xf32>) kernel {
    %y = memref.alloc() : memref<8x8xf32>
    %t = memref.alloc() : memref<8x8xf32>
    linalg.transpose ins(%w : memref<8x8xf32>) outs(%t : memref<8x8xf32>) permutation = [1, 0]
    linalg.matmul ins(%x, %t : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
    gpu.return
  }
}
