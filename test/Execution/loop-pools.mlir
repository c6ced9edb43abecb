// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='max-pools=4 limit-peak=deallocated' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated --buffer-deallocation-pipeline --convert-bufferization-to-memref | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref -o %t.freed.mlir
// RUN: buffer-merge-opt %t.freed.mlir --buffer-merge | %execute | diff %t.before -

// Pools around loops and in their bodies (R7): a pool around the inner loops would
// be held beside the callee. Buffers that are carried into the next iteration have
// no part in the pool of this one.

//  IR-LABEL: func.func @main(
//        IR:   memref.alloc() {{.*}} : memref<128xi8>
//        IR:   scf.for
//        IR:     memref.alloc() : memref<16xi32>
//  IR-LABEL: func.func private @inner(
//        IR:   scf.for
//        IR:     scf.while
//        IR:       scf.condition
//        IR:       memref.alloc() {{.*}} : memref<64xi8>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1 : i32
  %init = memref.alloc() : memref<16xi32>
  linalg.fill ins(%one : i32) outs(%init : memref<16xi32>)
  // Each iteration: x becomes 4 x + x + 3.
  %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %init) -> (memref<16xi32>) {
    %a = memref.alloc() : memref<16xi32>
    linalg.add ins(%x, %x : memref<16xi32>, memref<16xi32>) outs(%a : memref<16xi32>)
    %twice = memref.load %a[%c1] : memref<16xi32>
    %b = memref.alloc() : memref<16xi32>
    linalg.fill ins(%twice : i32) outs(%b : memref<16xi32>)
    %four = memref.load %b[%c1] : memref<16xi32>
    %c = memref.alloc() : memref<16xi32>
    %sum = arith.addi %four, %twice : i32
    linalg.fill ins(%sum : i32) outs(%c : memref<16xi32>)
    %next = memref.alloc() : memref<16xi32>
    linalg.add ins(%c, %x : memref<16xi32>, memref<16xi32>) outs(%next : memref<16xi32>)
    func.call @large(%next) : (memref<16xi32>) -> ()
    scf.yield %next : memref<16xi32>
  }
  %any = memref.cast %last : memref<16xi32> to memref<*xi32>
  // CHECK: [5468, 5468,{{.*}} 5468]
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  %nested = func.call @inner() : () -> memref<16xi32>
  %any_nested = memref.cast %nested : memref<16xi32> to memref<*xi32>
  // CHECK: [201, 201,{{.*}} 201]
  func.call @printMemrefI32(%any_nested) : (memref<*xi32>) -> ()
  return
}

// Add 3 to each element, with two buffers that are as large as all of @main's.
func.func private @large(%x: memref<16xi32>) {
  %c3 = arith.constant 3 : i32
  %l = memref.alloc() : memref<64xi32>
  linalg.fill ins(%c3 : i32) outs(%l : memref<64xi32>)
  %part = memref.subview %l[16][16][1] : memref<64xi32> to memref<16xi32, strided<[1], offset: 16>>
  linalg.add ins(%x, %part : memref<16xi32>, memref<16xi32, strided<[1], offset: 16>>) outs(%x : memref<16xi32>)
  return
}

// The inner loop carries its buffer into both of its regions: the second one
// makes a pool for each of its executions.
func.func private @inner() -> memref<16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %init = memref.alloc() : memref<16xi32>
  linalg.fill ins(%one : i32) outs(%init : memref<16xi32>)
  %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%outer = %init) -> (memref<16xi32>) {
    %start = memref.alloc() : memref<16xi32>
    memref.copy %outer, %start : memref<16xi32> to memref<16xi32>
    %inner:2 = scf.while (%x = %start, %k = %c0) : (memref<16xi32>, index) -> (memref<16xi32>, index) {
      %more = arith.cmpi slt, %k, %c2 : index
      scf.condition(%more) %x, %k : memref<16xi32>, index
    } do {
    ^bb0(%x: memref<16xi32>, %k: index):
      %a = memref.alloc() : memref<16xi32>
      linalg.add ins(%x, %x : memref<16xi32>, memref<16xi32>) outs(%a : memref<16xi32>)
      %twice = memref.load %a[%c1] : memref<16xi32>
      %b = memref.alloc() : memref<16xi32>
      linalg.fill ins(%twice : i32) outs(%b : memref<16xi32>)
      %next = memref.alloc() : memref<16xi32>
      linalg.add ins(%b, %x : memref<16xi32>, memref<16xi32>) outs(%next : memref<16xi32>)
      func.call @large(%next) : (memref<16xi32>) -> ()
      %k1 = arith.addi %k, %c1 : index
      scf.yield %next, %k1 : memref<16xi32>, index
    }
    scf.yield %inner#0 : memref<16xi32>
  }
  return %last : memref<16xi32>
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
