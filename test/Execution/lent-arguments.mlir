// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}}' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge --buffer-deallocation-pipeline | %execute | diff %t.before -

// Arguments hold buffers while they are free: what the function needs of them is
// there before and after.

//      CHECK: [33,  46,  59,  72]
//      CHECK: [16,  32,  48,  64]
//      CHECK: [85,  170,  255,  340]
//      CHECK: [4,  2,  3,  4]
//      CHECK: [7,  8,  9,  10]
//      CHECK: [66,  92,  118,  144]


func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

// The donated %x holds %b when it has been read for the last time.
// IR-LABEL: func private @donated(
//       IR: memref.reinterpret_cast %arg0
func.func private @donated(%x: memref<4xi32> {buffer_merge.donated}, %y: memref<4xi32>, %out: memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %y : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %s = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %a : memref<4xi32>, memref<4xi32>) outs(%s : memref<4xi32>)
  %b = memref.alloc() : memref<4xi32>
  linalg.add ins(%s, %a : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  %c = memref.alloc() : memref<4xi32>
  linalg.add ins(%b, %s : memref<4xi32>, memref<4xi32>) outs(%c : memref<4xi32>)
  linalg.add ins(%b, %c : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
  return
}

// %out holds %b until it is overwritten.
// IR-LABEL: func private @output(
//       IR: memref.reinterpret_cast %arg1
func.func private @output(%x: memref<4xi32>, %out: memref<4xi32> {buffer_merge.output}) {
  %a = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %x : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %b = memref.alloc() : memref<4xi32>
  linalg.add ins(%a, %a : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  %c = memref.alloc() : memref<4xi32>
  linalg.add ins(%a, %b : memref<4xi32>, memref<4xi32>) outs(%c : memref<4xi32>)
  %d = memref.alloc() : memref<4xi32>
  linalg.add ins(%c, %a : memref<4xi32>, memref<4xi32>) outs(%d : memref<4xi32>)
  linalg.add ins(%d, %d : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
  return
}

// %x is read in each iteration.
// IR-LABEL: func private @loop(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @loop(%x: memref<4xi32> {buffer_merge.donated}, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%out : memref<4xi32>)
  scf.for %i = %c0 to %c5 step %c1 {
    %a = memref.alloc() : memref<4xi32>
    linalg.add ins(%x, %x : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
    %b = memref.alloc() : memref<4xi32>
    linalg.add ins(%a, %a : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
    %c = memref.alloc() : memref<4xi32>
    linalg.add ins(%a, %b : memref<4xi32>, memref<4xi32>) outs(%c : memref<4xi32>)
    linalg.add ins(%b, %out : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
    linalg.add ins(%c, %out : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
    linalg.add ins(%b, %out : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
    linalg.add ins(%a, %out : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
    linalg.add ins(%x, %out : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
  }
  return
}

// Only a part of %out is overwritten: the rest is the caller's.
// IR-LABEL: func private @part(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @part(%x: memref<4xi32>, %out: memref<4xi32> {buffer_merge.output}) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %x : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %b = memref.alloc() : memref<4xi32>
  linalg.add ins(%a, %a : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  %view = memref.subview %out[0] [1] [1] : memref<4xi32> to memref<1xi32, strided<[1]>>
  %bView = memref.subview %b[0] [1] [1] : memref<4xi32> to memref<1xi32, strided<[1]>>
  memref.copy %bView, %view : memref<1xi32, strided<[1]>> to memref<1xi32, strided<[1]>>
  return
}

// %out is overwritten on one path only.
// IR-LABEL: func private @branch(
//   IR-NOT: memref.reinterpret_cast
//       IR: return
func.func private @branch(%x: memref<4xi32>, %cond: i1, %out: memref<4xi32> {buffer_merge.output}) {
  %a = memref.alloc() : memref<4xi32>
  linalg.add ins(%x, %x : memref<4xi32>, memref<4xi32>) outs(%a : memref<4xi32>)
  %b = memref.alloc() : memref<4xi32>
  linalg.add ins(%a, %a : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  scf.if %cond {
    memref.copy %b, %out : memref<4xi32> to memref<4xi32>
  }
  return
}

// A callee reads %x: it is free after the call.
// IR-LABEL: func private @caller(
//       IR: call @donated
//       IR: memref.reinterpret_cast %arg0
func.func private @caller(%x: memref<4xi32> {buffer_merge.donated}, %y: memref<4xi32>, %out: memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  func.call @donated(%x, %y, %a) : (memref<4xi32>, memref<4xi32>, memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  memref.copy %a, %b : memref<4xi32> to memref<4xi32>
  linalg.add ins(%a, %b : memref<4xi32>, memref<4xi32>) outs(%out : memref<4xi32>)
  return
}

func.func private @print(%m: memref<4xi32>) {
  %cast = memref.cast %m : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
  return
}
func.func private @count(%from: i32, %m: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<4xi32>) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %sum = arith.addi %j, %from : i32
    linalg.yield %sum : i32
  }
  return
}

func.func @main() {
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %false = arith.constant false
  %x = memref.alloc() : memref<4xi32>
  %y = memref.alloc() : memref<4xi32>
  %out = memref.alloc() : memref<4xi32>
  call @count(%one, %x) : (i32, memref<4xi32>) -> ()
  call @count(%five, %y) : (i32, memref<4xi32>) -> ()
  call @donated(%x, %y, %out) : (memref<4xi32>, memref<4xi32>, memref<4xi32>) -> ()
  call @print(%out) : (memref<4xi32>) -> ()
  call @count(%one, %x) : (i32, memref<4xi32>) -> ()
  call @output(%x, %out) : (memref<4xi32>, memref<4xi32>) -> ()
  call @print(%out) : (memref<4xi32>) -> ()
  call @loop(%x, %out) : (memref<4xi32>, memref<4xi32>) -> ()
  call @print(%out) : (memref<4xi32>) -> ()
  call @count(%one, %x) : (i32, memref<4xi32>) -> ()
  call @count(%one, %out) : (i32, memref<4xi32>) -> ()
  call @part(%x, %out) : (memref<4xi32>, memref<4xi32>) -> ()
  call @print(%out) : (memref<4xi32>) -> ()
  call @count(%seven, %out) : (i32, memref<4xi32>) -> ()
  call @branch(%x, %false, %out) : (memref<4xi32>, i1, memref<4xi32>) -> ()
  call @print(%out) : (memref<4xi32>) -> ()
  call @caller(%x, %y, %out) : (memref<4xi32>, memref<4xi32>, memref<4xi32>) -> ()
  call @print(%out) : (memref<4xi32>) -> ()
  return
}
