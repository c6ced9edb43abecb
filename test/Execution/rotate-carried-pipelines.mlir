// DEFINE: %{bufferize} = one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map},canonicalize,cse
// DEFINE: %{run} = buffer-merge-opt %s --pass-pipeline

// RUN: %{run}='builtin.module(%{bufferize},buffer-deallocation-pipeline)' | %counted_execute > %t.before
// RUN: FileCheck %s --check-prefixes=CHECK,BEFORE < %t.before
// RUN: %{run}='builtin.module(%{bufferize},rotate-carried-buffers,buffer-deallocation-pipeline)' | %counted_execute > %t.rotated
// RUN: FileCheck %s --check-prefixes=CHECK,ROTATED < %t.rotated
// RUN: %{run}='builtin.module(%{bufferize},rotate-carried-buffers,buffer-merge,buffer-deallocation-pipeline)' | %counted_execute > %t.merged
// RUN: FileCheck %s --check-prefixes=CHECK,MERGED < %t.merged
// RUN: %{run}='builtin.module(%{bufferize},buffer-deallocation-pipeline,rotate-carried-buffers,buffer-merge)' | %counted_execute > %t.behind
// RUN: FileCheck %s --check-prefixes=CHECK,BEHIND < %t.behind

// Tensors that loops carry and that bufferization does not find to be in place; the
// deallocations are those of the stock pipeline, before or behind. What is allocated
// is freed.

#mix = {
  indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

func.func @plain(%n: index, %in: tensor<8xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %in) -> tensor<8xi64> {
    %enew = tensor.empty() : tensor<8xi64>
    %new = linalg.generic #mix ins(%old, %in : tensor<8xi64>, tensor<8xi64>) outs(%enew : tensor<8xi64>) {
    ^bb0(%x: i64, %y: i64, %z: i64):
      %s = arith.muli %x, %three : i64
      %t = arith.addi %s, %y : i64
      linalg.yield %t : i64
    } -> tensor<8xi64>
    scf.yield %new : tensor<8xi64>
  }
  %first = tensor.extract %r[%c0] : tensor<8xi64>
  %second = tensor.extract %r[%c1] : tensor<8xi64>
  return %first, %second : i64, i64
}

func.func @chain(%n: index, %in: tensor<8xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %e0 = tensor.empty() : tensor<8xi64>
  %p0 = linalg.fill ins(%three : i64) outs(%e0 : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %q = %in) -> (tensor<8xi64>, tensor<8xi64>) {
    %enew = tensor.empty() : tensor<8xi64>
    %new = linalg.generic #mix ins(%p, %q : tensor<8xi64>, tensor<8xi64>) outs(%enew : tensor<8xi64>) {
    ^bb0(%x: i64, %y: i64, %z: i64):
      %s = arith.muli %x, %three : i64
      %t = arith.addi %s, %y : i64
      linalg.yield %t : i64
    } -> tensor<8xi64>
    scf.yield %q, %new : tensor<8xi64>, tensor<8xi64>
  }
  %first = tensor.extract %r#0[%c0] : tensor<8xi64>
  %second = tensor.extract %r#1[%c1] : tensor<8xi64>
  return %first, %second : i64, i64
}

func.func @nest(%n: index, %in: tensor<8xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%outer = %in) -> tensor<8xi64> {
    %s = scf.for %i = %c0 to %k step %c1 iter_args(%old = %outer) -> tensor<8xi64> {
    %enew = tensor.empty() : tensor<8xi64>
    %new = linalg.generic #mix ins(%old, %in : tensor<8xi64>, tensor<8xi64>) outs(%enew : tensor<8xi64>) {
    ^bb0(%x: i64, %y: i64, %z: i64):
      %s = arith.muli %x, %three : i64
      %t = arith.addi %s, %y : i64
      linalg.yield %t : i64
    } -> tensor<8xi64>
      scf.yield %new : tensor<8xi64>
    }
    scf.yield %s : tensor<8xi64>
  }
  %first = tensor.extract %r[%c0] : tensor<8xi64>
  %second = tensor.extract %r[%c1] : tensor<8xi64>
  return %first, %second : i64, i64
}

func.func @while(%n: index, %in: tensor<8xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %r:2 = scf.while (%i = %c0, %old = %in) : (index, tensor<8xi64>) -> (index, tensor<8xi64>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %old : index, tensor<8xi64>
  } do {
  ^bb0(%i: index, %old: tensor<8xi64>):
    %enew = tensor.empty() : tensor<8xi64>
    %new = linalg.generic #mix ins(%old, %in : tensor<8xi64>, tensor<8xi64>) outs(%enew : tensor<8xi64>) {
    ^bb0(%x: i64, %y: i64, %z: i64):
      %s = arith.muli %x, %three : i64
      %t = arith.addi %s, %y : i64
      linalg.yield %t : i64
    } -> tensor<8xi64>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %new : index, tensor<8xi64>
  }
  %first = tensor.extract %r#1[%c0] : tensor<8xi64>
  %second = tensor.extract %r#1[%c1] : tensor<8xi64>
  return %first, %second : i64, i64
}

// What allocations and frees become with use-generic-functions.
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.mlir.global internal @allocations(0 : i64) : i64
llvm.mlir.global internal @live(0 : i64) : i64
llvm.func @add(%counter: !llvm.ptr, %amount: i64) {
  %old = llvm.load %counter : !llvm.ptr -> i64
  %new = llvm.add %old, %amount : i64
  llvm.store %new, %counter : i64, !llvm.ptr
  llvm.return
}
llvm.func @_mlir_memref_to_llvm_alloc(%size: i64) -> !llvm.ptr {
  %one = llvm.mlir.constant(1 : i64) : i64
  %allocations = llvm.mlir.addressof @allocations : !llvm.ptr
  llvm.call @add(%allocations, %one) : (!llvm.ptr, i64) -> ()
  %live = llvm.mlir.addressof @live : !llvm.ptr
  llvm.call @add(%live, %one) : (!llvm.ptr, i64) -> ()
  %result = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.return %result : !llvm.ptr
}
llvm.func @_mlir_memref_to_llvm_free(%pointer: !llvm.ptr) {
  %minus_one = llvm.mlir.constant(-1 : i64) : i64
  %live = llvm.mlir.addressof @live : !llvm.ptr
  llvm.call @add(%live, %minus_one) : (!llvm.ptr, i64) -> ()
  llvm.call @free(%pointer) : (!llvm.ptr) -> ()
  llvm.return
}
// Returns a counter and sets it to zero.
llvm.func @take(%counter: !llvm.ptr) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %value = llvm.load %counter : !llvm.ptr -> i64
  llvm.store %zero, %counter : i64, !llvm.ptr
  llvm.return %value : i64
}
func.func @report(%one: i64, %other: i64) {
  vector.print %one : i64
  vector.print %other : i64
  %allocations = llvm.mlir.addressof @allocations : !llvm.ptr
  %n = llvm.call @take(%allocations) : (!llvm.ptr) -> i64
  vector.print str "allocations "
  vector.print %n : i64
  return
}

func.func @body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %in = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi64>

  %plain0:2 = call @plain(%c0, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%plain0#0, %plain0#1) : (i64, i64) -> ()
  //        CHECK: {{^}}1{{$}}
  //   CHECK-NEXT: {{^}}2{{$}}
  //  BEFORE-NEXT: allocations 6
  // ROTATED-NEXT: allocations 8
  //  MERGED-NEXT: allocations 9
  //  BEHIND-NEXT: allocations 6

  %plain1:2 = call @plain(%c1, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%plain1#0, %plain1#1) : (i64, i64) -> ()
  //        CHECK: {{^}}25{{$}}
  //   CHECK-NEXT: {{^}}23{{$}}
  //  BEFORE-NEXT: allocations 7
  // ROTATED-NEXT: allocations 8
  //  MERGED-NEXT: allocations 8
  //  BEHIND-NEXT: allocations 7

  %plain7:2 = call @plain(%c7, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%plain7#0, %plain7#1) : (i64, i64) -> ()
  //        CHECK: {{^}}20500{{$}}
  //   CHECK-NEXT: {{^}}18860{{$}}
  //  BEFORE-NEXT: allocations 13
  // ROTATED-NEXT: allocations 8
  //  MERGED-NEXT: allocations 8
  //  BEHIND-NEXT: allocations 13

  %chain0:2 = call @chain(%c0, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%chain0#0, %chain0#1) : (i64, i64) -> ()
  //        CHECK: {{^}}3{{$}}
  //   CHECK-NEXT: {{^}}2{{$}}
  //  BEFORE-NEXT: allocations 7
  // ROTATED-NEXT: allocations 10
  //  MERGED-NEXT: allocations 9
  //  BEHIND-NEXT: allocations 8

  %chain1:2 = call @chain(%c1, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%chain1#0, %chain1#1) : (i64, i64) -> ()
  //        CHECK: {{^}}1{{$}}
  //   CHECK-NEXT: {{^}}11{{$}}
  //  BEFORE-NEXT: allocations 9
  // ROTATED-NEXT: allocations 10
  //  MERGED-NEXT: allocations 9
  //  BEHIND-NEXT: allocations 8

  %chain7:2 = call @chain(%c7, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%chain7#0, %chain7#1) : (i64, i64) -> ()
  //        CHECK: {{^}}751{{$}}
  //   CHECK-NEXT: {{^}}1937{{$}}
  //  BEFORE-NEXT: allocations 21
  // ROTATED-NEXT: allocations 10
  //  MERGED-NEXT: allocations 9
  //  BEHIND-NEXT: allocations 14

  %nest0:2 = call @nest(%c0, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%nest0#0, %nest0#1) : (i64, i64) -> ()
  //        CHECK: {{^}}1{{$}}
  //   CHECK-NEXT: {{^}}2{{$}}
  //  BEFORE-NEXT: allocations 6
  // ROTATED-NEXT: allocations 8
  //  MERGED-NEXT: allocations 8
  //  BEHIND-NEXT: allocations 6

  %nest1:2 = call @nest(%c1, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%nest1#0, %nest1#1) : (i64, i64) -> ()
  //        CHECK: {{^}}1{{$}}
  //   CHECK-NEXT: {{^}}2{{$}}
  //  BEFORE-NEXT: allocations 6
  // ROTATED-NEXT: allocations 8
  //  MERGED-NEXT: allocations 8
  //  BEHIND-NEXT: allocations 6

  %nest7:2 = call @nest(%c7, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%nest7#0, %nest7#1) : (i64, i64) -> ()
  //        CHECK: {{^}}98065811275{{$}}
  //   CHECK-NEXT: {{^}}90220546373{{$}}
  //  BEFORE-NEXT: allocations 27
  // ROTATED-NEXT: allocations 8
  //  MERGED-NEXT: allocations 8
  //  BEHIND-NEXT: allocations 27

  %while0:2 = call @while(%c0, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%while0#0, %while0#1) : (i64, i64) -> ()
  //        CHECK: {{^}}1{{$}}
  //   CHECK-NEXT: {{^}}2{{$}}
  //  BEFORE-NEXT: allocations 2
  // ROTATED-NEXT: allocations 3
  //  MERGED-NEXT: allocations 3
  //  BEHIND-NEXT: allocations 3

  %while1:2 = call @while(%c1, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%while1#0, %while1#1) : (i64, i64) -> ()
  //        CHECK: {{^}}25{{$}}
  //   CHECK-NEXT: {{^}}23{{$}}
  //  BEFORE-NEXT: allocations 4
  // ROTATED-NEXT: allocations 3
  //  MERGED-NEXT: allocations 3
  //  BEHIND-NEXT: allocations 3

  %while7:2 = call @while(%c7, %in) : (index, tensor<8xi64>) -> (i64, i64)
  call @report(%while7#0, %while7#1) : (i64, i64) -> ()
  //        CHECK: {{^}}20500{{$}}
  //   CHECK-NEXT: {{^}}18860{{$}}
  //  BEFORE-NEXT: allocations 16
  // ROTATED-NEXT: allocations 3
  //  MERGED-NEXT: allocations 3
  //  BEHIND-NEXT: allocations 3
  return
}

func.func @main() {
  call @body() : () -> ()
  // CHECK: left 0
  %live = llvm.mlir.addressof @live : !llvm.ptr
  %n = llvm.call @take(%live) : (!llvm.ptr) -> i64
  vector.print str "left "
  vector.print %n : i64
  return
}
