// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --split-buffers | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --split-buffers --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the proofs that an operation overwrites all of a buffer. In each function
// %a is filled with 1, then something writes a part of it, or reads it. Where that
// is taken for a new value, the rest of %a is what %t or %u wrote there, 100.

!m = memref<8xi64>

// %a and %b hold two values each, of which no more than two are alive at once.
//    IR-LABEL: func.func @two_values(
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @two_values(%out: !m) {
  %one = arith.constant 1 : i64
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  %c = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  linalg.add ins(%b, %b : !m, !m) outs(%c : !m)
  linalg.add ins(%c, %c : !m, !m) outs(%a : !m)
  linalg.add ins(%a, %a : !m, !m) outs(%b : !m)
  memref.copy %b, %out : !m to !m
  return
}

func.func @output_is_read(%out: !m) {
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : !m) {
  ^bb0(%old: i64):
    %new = arith.addi %old, %one : i64
    linalg.yield %new : i64
  }
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

// The output is not read, but it is an input as well.
func.func @input_is_output(%out: !m) {
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  linalg.add ins(%a, %a : !m, !m) outs(%a : !m)
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

// Every second element.
func.func @map(%out: !m) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %hundred = arith.constant 100 : i64
  %in = memref.alloc() : memref<4xi64>
  linalg.fill ins(%two : i64) outs(%in : memref<4xi64>)
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2 + 1)>],
                  iterator_types = ["parallel"]} ins(%in : memref<4xi64>) outs(%a : !m) {
  ^bb0(%x: i64, %old: i64):
    linalg.yield %x : i64
  }
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

// A loop that may run no iteration.
func.func @range(%out: !m, %n: index) {
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %in = memref.alloc(%n) : memref<?x8xi64>
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%in : memref<?x8xi64>) outs(%a : !m) {
  ^bb0(%x: i64, %old: i64):
    linalg.yield %x : i64
  }
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

func.func @masked(%out: !m) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %two = arith.constant dense<2> : vector<8xi64>
  %hundred = arith.constant 100 : i64
  %mask = vector.constant_mask [4] : vector<8xi1>
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  vector.transfer_write %two, %a[%c0], %mask {in_bounds = [true]} : vector<8xi64>, !m
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

func.func @part_of_a_row(%out: !m) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %two = arith.constant dense<2> : vector<4xi64>
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  vector.transfer_write %two, %a[%c0] {in_bounds = [true]} : vector<4xi64>, !m
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

// The lowering stores the vector as one byte, and each element of %a has its own.
func.func @packed_bits(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %old = arith.constant false
  %foreign = arith.constant true
  %new = arith.constant dense<[true, false, false, false, false, false, false, false]> : vector<8xi1>
  %a = memref.alloc() : memref<8xi1>
  linalg.fill ins(%old : i1) outs(%a : memref<8xi1>)
  %t = memref.alloc() : memref<8xi1>
  linalg.fill ins(%foreign : i1) outs(%t : memref<8xi1>)
  %x = memref.load %t[%c0] : memref<8xi1>
  linalg.fill ins(%x : i1) outs(%t : memref<8xi1>)
  vector.transfer_write %new, %a[%c0] {in_bounds = [true]} : vector<8xi1>, memref<8xi1>
  %u = memref.alloc() : memref<8xi1>
  linalg.fill ins(%foreign : i1) outs(%u : memref<8xi1>)
  %y = memref.load %u[%c1] : memref<8xi1>
  memref.store %y, %u[%c0] : memref<8xi1>
  scf.for %i = %c0 to %c8 step %c1 {
    %element = memref.load %a[%i] : memref<8xi1>
    %value = arith.extui %element : i1 to i64
    memref.store %value, %out[%i] : !m
  }
  return
}

// 24 bytes of 32.
func.func @packed_bytes(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %old = arith.constant 1 : i24
  %foreign = arith.constant 100 : i24
  %new = arith.constant dense<0> : vector<8xi24>
  %a = memref.alloc() : memref<8xi24>
  linalg.fill ins(%old : i24) outs(%a : memref<8xi24>)
  %t = memref.alloc() : memref<8xi24>
  linalg.fill ins(%foreign : i24) outs(%t : memref<8xi24>)
  %x = memref.load %t[%c0] : memref<8xi24>
  linalg.fill ins(%x : i24) outs(%t : memref<8xi24>)
  vector.transfer_write %new, %a[%c0] {in_bounds = [true]} : vector<8xi24>, memref<8xi24>
  %u = memref.alloc() : memref<8xi24>
  linalg.fill ins(%foreign : i24) outs(%u : memref<8xi24>)
  %y = memref.load %u[%c1] : memref<8xi24>
  memref.store %y, %u[%c0] : memref<8xi24>
  scf.for %i = %c0 to %c8 step %c1 {
    %element = memref.load %a[%i] : memref<8xi24>
    %value = arith.extui %element : i24 to i64
    memref.store %value, %out[%i] : !m
  }
  return
}

// A store to all but the last element.
func.func @loop(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  scf.for %i = %c0 to %c7 step %c1 {
    memref.store %two, %a[%i] : !m
  }
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

func.func @condition(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  scf.for %i = %c0 to %c8 step %c1 {
    %isFirst = arith.cmpi ult, %i, %c4 : index
    scf.if %isFirst {
      memref.store %two, %a[%i] : !m
    }
  }
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

func.func @part(%out: !m) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  %t = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  memref.copy %t, %out : !m to !m
  %part = memref.subview %a[2] [4] [1] : !m to memref<4xi64, strided<[1], offset: 2>>
  linalg.fill ins(%two : i64) outs(%part : memref<4xi64, strided<[1], offset: 2>>)
  %u = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%u : !m)
  memref.copy %u, %out : !m to !m
  memref.copy %a, %out : !m to !m
  return
}

// Each iteration reads what the last one wrote, although it overwrites all of it.
func.func @back_edge(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %a[%i] : !m
    memref.store %x, %out[%i] : !m
    %t = memref.alloc() : !m
    linalg.fill ins(%hundred : i64) outs(%t : !m)
    %y = memref.load %t[%i] : !m
    %z = arith.addi %x, %y : i64
    linalg.fill ins(%z : i64) outs(%a : !m)
  }
  return
}

// The first iteration initializes %a, the others read what the last one wrote: %t
// must not be there.
func.func @first_iteration(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  %u = memref.alloc() : !m
  %t = memref.alloc() : !m
  scf.for %i = %c0 to %c8 step %c1 {
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      linalg.fill ins(%one : i64) outs(%a : !m)
    }
    %x = memref.load %a[%c1] : !m
    memref.store %x, %out[%i] : !m
    %y = arith.addi %x, %one : i64
    memref.store %y, %a[%c1] : !m
    linalg.fill ins(%hundred : i64) outs(%t : !m)
    linalg.copy ins(%t : !m) outs(%u : !m)
    %z = memref.load %u[%i] : !m
    %isWrong = arith.cmpi ne, %z, %hundred : i64
    scf.if %isWrong {
      memref.store %z, %out[%i] : !m
    }
  }
  return
}

// The same as a cycle of blocks.
func.func @first_block(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  %u = memref.alloc() : !m
  %t = memref.alloc() : !m
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %isFirst = arith.cmpi eq, %i, %c0 : index
  cf.cond_br %isFirst, ^first, ^body
^first:
  linalg.fill ins(%one : i64) outs(%a : !m)
  cf.br ^body
^body:
  %x = memref.load %a[%c1] : !m
  memref.store %x, %out[%i] : !m
  %y = arith.addi %x, %one : i64
  memref.store %y, %a[%c1] : !m
  linalg.fill ins(%hundred : i64) outs(%t : !m)
  linalg.copy ins(%t : !m) outs(%u : !m)
  %z = memref.load %u[%i] : !m
  %j = arith.addi %i, %c1 : index
  %again = arith.cmpi ult, %i, %c7 : index
  cf.cond_br %again, ^loop(%j : index), ^exit
^exit:
  return
}

// %s is %a whenever it is used, not when it is selected.
func.func @selected(%out: !m, %c: i1) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.fill ins(%three : i64) outs(%b : !m)
  linalg.fill ins(%one : i64) outs(%a : !m)
  %s = arith.select %c, %a, %b : !m
  memref.copy %a, %out : !m to !m
  linalg.fill ins(%two : i64) outs(%a : !m)
  memref.copy %s, %out : !m to !m
  return
}

// Outside of the loop, but a buffer of each iteration: %a and %b share bytes.
//    IR-LABEL: func.func @iterations(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @iterations(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.fill ins(%one : i64) outs(%a : !m)
    %x = memref.load %a[%i] : !m
    %y = arith.addi %x, %one : i64
    linalg.fill ins(%y : i64) outs(%b : !m)
    %z = memref.load %b[%i] : !m
    memref.store %z, %out[%i] : !m
  }
  return
}

// The nest overwrites all of %a, row by row, before it is read.
//    IR-LABEL: func.func @nest(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @nest(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<2x4xi64>
  %b = memref.alloc() : !m
  scf.for %i = %c0 to %c8 step %c1 {
    affine.for %k = 0 to 2 {
      affine.for %l = 0 to 4 {
        affine.store %one, %a[%k, %l] : memref<2x4xi64>
      }
    }
    %x = memref.load %a[%c1, %c1] : memref<2x4xi64>
    %y = arith.addi %x, %one : i64
    scf.parallel (%k) = (%c0) to (%c8) step (%c1) {
      memref.store %y, %b[%k] : !m
    }
    %z = memref.load %b[%i] : !m
    memref.store %z, %out[%i] : !m
  }
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %n = arith.constant 0 : index
  %true = arith.constant true
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK: [16,  16,  16,  16,  16,  16,  16,  16]
  call @two_values(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  2]
  call @output_is_read(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  2]
  call @input_is_output(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  2,  1,  2,  1,  2,  1,  2]
  call @map(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  1,  1,  1,  1,  1,  1,  1]
  call @range(%out, %n) : (!m, index) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  1,  1,  1,  1]
  call @masked(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  1,  1,  1,  1]
  call @part_of_a_row(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  0,  0,  0,  0,  0,  0,  0]
  call @packed_bits(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  0,  0,  0,  0,  0,  1,  1]
  call @packed_bytes(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  1]
  call @loop(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  1,  1,  1,  1]
  call @condition(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  1,  2,  2,  2,  2,  1,  1]
  call @part(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  101,  201,  301,  401,  501,  601,  701]
  call @back_edge(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  2,  3,  4,  5,  6,  7,  8]
  call @first_iteration(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  2,  3,  4,  5,  6,  7,  8]
  call @first_block(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  2]
  call @selected(%out, %true) : (!m, i1) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  2]
  call @iterations(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  2]
  call @nest(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
