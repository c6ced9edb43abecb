// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(reorder-for-peak))' -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge | %execute | diff %t.before -

// Guards the dependences that operations keep. In most functions %k could be dead
// before %z is computed, if the operation that reads it did not have to wait for one that
// reads %z. The results are the same to the last bit.

!m = memref<8x8xf32>
!h = memref<8x8xbf16>
!s = memref<f32>
#id = affine_map<(i, j) -> (i, j)>
#all = affine_map<(i, j) -> ()>

// %small is written before it is read.
//    IR-LABEL: func.func @read_after_write(
//          IR:   linalg.abs
//          IR:   linalg.reduce
//          IR:   linalg.square
//          IR:   linalg.generic
func.func @read_after_write(%x: !m {llvm.noalias}, %s: !s {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %k = memref.alloc() : !m
  %z = memref.alloc() : !m
  %small = memref.alloc() : !s
  linalg.fill ins(%zero : f32) outs(%small : !s)
  linalg.square ins(%x : !m) outs(%k : !m)
  linalg.abs ins(%x : !m) outs(%z : !m)
  linalg.reduce { arith.addf } ins(%z : !m) outs(%small : !s) dimensions = [0, 1]
  linalg.generic {indexing_maps = [#id, #all, #all], iterator_types = ["reduction", "reduction"]} ins(%k, %small : !m, !s) outs(%s : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %c : f32
    linalg.yield %q : f32
  }
  return
}

// What %small was is read before it is written, through a view.
//    IR-LABEL: func.func @write_after_read(
//          IR:   linalg.abs
//          IR:   linalg.generic
//          IR:   linalg.square
//          IR:   linalg.reduce
func.func @write_after_read(%x: !m {llvm.noalias}, %s: !s {llvm.noalias}) {
  %one = arith.constant 1.0 : f32
  %k = memref.alloc() : !m
  %z = memref.alloc() : !m
  %pair = memref.alloc() : memref<2xf32>
  linalg.fill ins(%one : f32) outs(%pair : memref<2xf32>)
  linalg.square ins(%x : !m) outs(%k : !m)
  linalg.abs ins(%x : !m) outs(%z : !m)
  %read = memref.subview %pair[1] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 1>>
  linalg.generic {indexing_maps = [#id, #all, #all], iterator_types = ["reduction", "reduction"]}
      ins(%z, %read : !m, memref<f32, strided<[], offset: 1>>) outs(%s : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %c : f32
    linalg.yield %q : f32
  }
  %written = memref.reinterpret_cast %pair to offset: [1], sizes: [], strides: [] : memref<2xf32> to memref<f32, strided<[], offset: 1>>
  linalg.reduce { arith.addf } ins(%k : !m) outs(%written : memref<f32, strided<[], offset: 1>>) dimensions = [0, 1]
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%pair : memref<2xf32>) outs(%s : !s) {
  ^bb0(%a: f32, %c: f32):
    %q = arith.addf %a, %c : f32
    linalg.yield %q : f32
  }
  return
}

// Both arguments are the same memory.
//    IR-LABEL: func.func @arguments(
//          IR:   linalg.abs
//          IR:   linalg.generic
//          IR:   linalg.square
//          IR:   linalg.reduce
func.func @arguments(%x: !m {llvm.noalias}, %p: !s, %q: !s, %s: !s {llvm.noalias}) {
  %k = memref.alloc() : !m
  %z = memref.alloc() : !m
  linalg.square ins(%x : !m) outs(%k : !m)
  linalg.abs ins(%x : !m) outs(%z : !m)
  linalg.generic {indexing_maps = [#id, #all, #all], iterator_types = ["reduction", "reduction"]} ins(%z, %p : !m, !s) outs(%s : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  }
  linalg.reduce { arith.addf } ins(%k : !m) outs(%q : !s) dimensions = [0, 1]
  return
}

// A value that is used inside of an operation.
//    IR-LABEL: func.func @inside(
//          IR:   linalg.abs
//          IR:   linalg.reduce
//          IR:   memref.load
//          IR:   linalg.square
//          IR:   linalg.generic
func.func @inside(%x: !m {llvm.noalias}, %s: !s {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %k = memref.alloc() : !m
  %z = memref.alloc() : !m
  %small = memref.alloc() : !s
  linalg.fill ins(%zero : f32) outs(%small : !s)
  linalg.square ins(%x : !m) outs(%k : !m)
  linalg.abs ins(%x : !m) outs(%z : !m)
  linalg.reduce { arith.addf } ins(%z : !m) outs(%small : !s) dimensions = [0, 1]
  %v = memref.load %small[] : !s
  linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]} ins(%k : !m) outs(%s : !s) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %v : f32
    %q = arith.addf %p, %c : f32
    linalg.yield %q : f32
  }
  return
}

// A loop that carries buffers, one of which it may be that is written behind it; and
// a branch that frees one.
//    IR-LABEL: func.func @carried(
//          IR:   linalg.abs
//          IR:   linalg.reduce
//          IR:   scf.for
//          IR:   linalg.square
//          IR:   linalg.generic
func.func @carried(%x: !m {llvm.noalias}, %s: !s {llvm.noalias}, %free: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %k = memref.alloc() : !m
  %z = memref.alloc() : !m
  %left = memref.alloc() : !s
  %right = memref.alloc() : !s
  linalg.fill ins(%zero : f32) outs(%left : !s)
  linalg.fill ins(%two : f32) outs(%right : !s)
  linalg.square ins(%x : !m) outs(%k : !m)
  linalg.abs ins(%x : !m) outs(%z : !m)
  linalg.reduce { arith.addf } ins(%z : !m) outs(%left : !s) dimensions = [0, 1]
  %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %left, %b = %right) -> (!s, !s) {
    linalg.add ins(%a, %b : !s, !s) outs(%b : !s)
    scf.yield %b, %a : !s, !s
  }
  linalg.generic {indexing_maps = [#id, #all, #all], iterator_types = ["reduction", "reduction"]} ins(%k, %last#1 : !m, !s) outs(%s : !s) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %c : f32
    linalg.yield %q : f32
  }
  scf.if %free {
    memref.dealloc %k : !m
  } else {
    memref.dealloc %k : !m
  }
  memref.dealloc %z : !m
  memref.dealloc %left : !s
  memref.dealloc %right : !s
  return
}

// A part of a training step: gradients are converted when all of them are there.
//    IR-LABEL: func.func @step(
//          IR:   linalg.matmul
//          IR:   linalg.matmul
//          IR:   arith.truncf
//          IR:   linalg.matmul
//          IR:   arith.truncf
//          IR:   arith.truncf
func.func @step(%x: !m) -> (!h, !h, !h) {
  %zero = arith.constant 0.0 : f32
  %g0 = memref.alloc() : !m
  %g1 = memref.alloc() : !m
  %g2 = memref.alloc() : !m
  linalg.fill ins(%zero : f32) outs(%g0 : !m)
  linalg.fill ins(%zero : f32) outs(%g1 : !m)
  linalg.fill ins(%zero : f32) outs(%g2 : !m)
  linalg.matmul ins(%x, %x : !m, !m) outs(%g2 : !m)
  linalg.matmul ins(%g2, %x : !m, !m) outs(%g1 : !m)
  linalg.matmul ins(%g1, %x : !m, !m) outs(%g0 : !m)
  %h0 = memref.alloc() : !h
  %h1 = memref.alloc() : !h
  %h2 = memref.alloc() : !h
  linalg.map { arith.truncf } ins(%g0 : !m) outs(%h0 : !h)
  linalg.map { arith.truncf } ins(%g1 : !m) outs(%h1 : !h)
  linalg.map { arith.truncf } ins(%g2 : !m) outs(%h2 : !h)
  return %h0, %h1, %h2 : !h, !h, !h
}

func.func @print_half(%h: !h) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = memref.alloca() : memref<i32>
  %zero = arith.constant 0 : i32
  %prime = arith.constant 31 : i32
  memref.store %zero, %sum[] : memref<i32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %0 = memref.load %h[%i, %j] : !h
      %1 = arith.bitcast %0 : bf16 to i16
      %2 = arith.extui %1 : i16 to i32
      %3 = memref.load %sum[] : memref<i32>
      %4 = arith.muli %3, %prime : i32
      %5 = arith.addi %4, %2 : i32
      memref.store %5, %sum[] : memref<i32>
    }
  }
  %6 = memref.load %sum[] : memref<i32>
  vector.print %6 : i32
  return
}

func.func @print(%s: !s) {
  %zero = arith.constant 0.0 : f32
  %0 = memref.load %s[] : !s
  %1 = arith.bitcast %0 : f32 to i32
  vector.print %1 : i32
  memref.store %zero, %s[] : !s
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %tenth = arith.constant 0.1 : f32
  %x = memref.alloc() : !m
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %0 = arith.muli %i, %j : index
      %1 = arith.index_cast %0 : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.mulf %2, %tenth : f32
      %4 = arith.subf %3, %one : f32
      memref.store %4, %x[%i, %j] : !m
    }
  }
  %s = memref.alloc() : !s
  %p = memref.alloc() : !s
  memref.store %zero, %s[] : !s
  memref.store %one, %p[] : !s
  %false = arith.constant false
  // CHECK: 1170985453
  // CHECK-NEXT: 1126721127
  // CHECK-NEXT: 1115475150
  // CHECK-NEXT: 1120953959
  // CHECK-NEXT: 1170985453
  // CHECK-NEXT: 1179585414
  // CHECK-NEXT: -1239375028
  // CHECK-NEXT: 1053391740
  // CHECK-NEXT: 1680527874
  call @read_after_write(%x, %s) : (!m, !s) -> ()
  call @print(%s) : (!s) -> ()
  call @write_after_read(%x, %s) : (!m, !s) -> ()
  call @print(%s) : (!s) -> ()
  call @arguments(%x, %p, %p, %s) : (!m, !s, !s, !s) -> ()
  call @print(%s) : (!s) -> ()
  call @print(%p) : (!s) -> ()
  call @inside(%x, %s) : (!m, !s) -> ()
  call @print(%s) : (!s) -> ()
  call @carried(%x, %s, %false) : (!m, !s, i1) -> ()
  call @print(%s) : (!s) -> ()
  %h:3 = call @step(%x) : (!m) -> (!h, !h, !h)
  call @print_half(%h#0) : (!h) -> ()
  call @print_half(%h#1) : (!h) -> ()
  call @print_half(%h#2) : (!h) -> ()
  memref.dealloc %h#0 : !h
  memref.dealloc %h#1 : !h
  memref.dealloc %h#2 : !h
  memref.dealloc %s : !s
  memref.dealloc %p : !s
  memref.dealloc %x : !m
  return
}
