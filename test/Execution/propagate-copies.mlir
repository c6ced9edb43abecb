// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --propagate-copies=generalize -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --propagate-copies=min-gain=0 | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the proof that readers of a copy can read what it was made of: all
// bits of the results are the same.

!w = memref<4x6xf32>
!h = memref<4x6xf16>
!x = memref<3x6xf32>
!y = memref<3x4xf32>
#id = affine_map<(i, j) -> (i, j)>

//    IR-LABEL: func.func @transposed(
//      IR-NOT:   linalg.transpose
//          IR:   return
func.func @transposed(%w: !w, %x: !x) -> !y {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<6x4xf32>
  linalg.transpose ins(%w : !w) outs(%t : memref<6x4xf32>) permutation = [1, 0]
  %y = memref.alloc() : !y
  linalg.fill ins(%zero : f32) outs(%y : !y)
  linalg.matmul ins(%x, %t : !x, memref<6x4xf32>) outs(%y : !y)
  return %y : !y
}

// Rounded to half precision, and converted back and transposed.
//    IR-LABEL: func.func @rounded(
//      IR-NOT:   memref.alloc() : memref<6x4xf32>
//          IR:   return
func.func @rounded(%w: !w, %x: !x) -> !y {
  %zero = arith.constant 0.0 : f32
  %h = memref.alloc() : !h
  linalg.map { arith.truncf } ins(%w : !w) outs(%h : !h)
  %c = memref.alloc() : !w
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : !h) outs(%c : !w) {
  ^bb0(%in: f16, %out: f32):
    %e = arith.extf %in : f16 to f32
    linalg.yield %e : f32
  }
  %t = memref.alloc() : memref<6x4xf32>
  linalg.transpose ins(%c : !w) outs(%t : memref<6x4xf32>) permutation = [1, 0]
  %y = memref.alloc() : !y
  linalg.fill ins(%zero : f32) outs(%y : !y)
  linalg.matmul ins(%x, %t : !x, memref<6x4xf32>) outs(%y : !y)
  return %y : !y
}

// Bytes with and without a sign, bits, and indices.
//    IR-LABEL: func.func @integers(
//      IR-NOT:   memref.alloc() : memref<5xi64>
//          IR:   %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<5xi64>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @integers() -> memref<5xi64> {
  %bytes = memref.get_global @bytes : memref<5xi8>
  %bits = memref.get_global @bits : memref<5xi1>
  %indices = memref.get_global @indices : memref<5xindex>
  %a = memref.alloc() : memref<5xi64>
  linalg.map { arith.extsi } ins(%bytes : memref<5xi8>) outs(%a : memref<5xi64>)
  %b = memref.alloc() : memref<5xi64>
  linalg.map { arith.extui } ins(%bytes : memref<5xi8>) outs(%b : memref<5xi64>)
  %c = memref.alloc() : memref<5xi64>
  linalg.map { arith.extsi } ins(%bits : memref<5xi1>) outs(%c : memref<5xi64>)
  %d = memref.alloc() : memref<5xi64>
  linalg.map { arith.index_cast } ins(%indices : memref<5xindex>) outs(%d : memref<5xi64>)
  %y = memref.alloc() {alignment = 64} : memref<5xi64>
  linalg.map ins(%a, %b, %c, %d : memref<5xi64>, memref<5xi64>, memref<5xi64>, memref<5xi64>) outs(%y : memref<5xi64>)
    (%i: i64, %j: i64, %k: i64, %l: i64, %init: i64) {
      %c1000 = arith.constant 1000 : i64
      %0 = arith.muli %i, %c1000 : i64
      %1 = arith.addi %0, %j : i64
      %2 = arith.muli %1, %c1000 : i64
      %3 = arith.addi %2, %k : i64
      %4 = arith.muli %3, %c1000 : i64
      %5 = arith.addi %4, %l : i64
      linalg.yield %5 : i64
    }
  return %y : memref<5xi64>
}
memref.global "private" constant @bytes : memref<5xi8> = dense<[0, 1, -1, 127, -128]>
memref.global "private" constant @bits : memref<5xi1> = dense<[true, false, true, true, false]>
memref.global "private" constant @indices : memref<5xindex> = dense<[5, 4, 3, 2, 1]>

// The image and the filter of a convolution, a bias of each channel, and the
// number of the channel.
//    IR-LABEL: func.func @convolution(
//      IR-NOT:   linalg.transpose
//          IR:   linalg.broadcast
//      IR-NOT:   linalg.broadcast
//          IR:   return
func.func @convolution(%image: memref<1x2x4x4xf32>, %filter: memref<3x2x3x3xf32>, %bias: memref<3xf32>) -> memref<1x2x2x3xf32> {
  %i = memref.alloc() : memref<1x4x4x2xf32>
  linalg.transpose ins(%image : memref<1x2x4x4xf32>) outs(%i : memref<1x4x4x2xf32>) permutation = [0, 2, 3, 1]
  %f = memref.alloc() : memref<3x3x2x3xf32>
  linalg.transpose ins(%filter : memref<3x2x3x3xf32>) outs(%f : memref<3x3x2x3xf32>) permutation = [2, 3, 1, 0]
  %b = memref.alloc() : memref<1x2x2x3xf32>
  linalg.broadcast ins(%bias : memref<3xf32>) outs(%b : memref<1x2x2x3xf32>) dimensions = [0, 1, 2]
  %y = memref.alloc() : memref<1x2x2x3xf32>
  linalg.copy ins(%b : memref<1x2x2x3xf32>) outs(%y : memref<1x2x2x3xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%i, %f : memref<1x4x4x2xf32>, memref<3x3x2x3xf32>) outs(%y : memref<1x2x2x3xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : memref<1x2x2x3xf32>) outs(%y : memref<1x2x2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = linalg.index 3 : index
    %d = arith.index_cast %c : index to i32
    %e = arith.sitofp %d : i32 to f32
    %p = arith.mulf %in, %e : f32
    %q = arith.addf %p, %out : f32
    linalg.yield %q : f32
  }
  return %y : memref<1x2x2x3xf32>
}

// One reader in the loop reads the last iteration's source.
//    IR-LABEL: func.func @loop(
//          IR:   linalg.transpose
//          IR:   return
func.func @loop(%s: memref<2x2xf32>) -> memref<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %w = memref.alloc() : memref<2x2xf32>
  memref.copy %s, %w : memref<2x2xf32> to memref<2x2xf32>
  %t = memref.alloc() : memref<2x2xf32>
  linalg.transpose ins(%w : memref<2x2xf32>) outs(%t : memref<2x2xf32>) permutation = [1, 0]
  scf.for %i = %c0 to %c3 step %c1 {
    linalg.add ins(%w, %t : memref<2x2xf32>, memref<2x2xf32>) outs(%w : memref<2x2xf32>)
  }
  return %w : memref<2x2xf32>
}

// The source is the target as well, for one of the callers.
//    IR-LABEL: func.func @same(
//          IR:   linalg.transpose
//          IR:   return
func.func @same(%w: memref<2x2xf32>, %y: memref<2x2xf32>) {
  %t = memref.alloc() : memref<2x2xf32>
  linalg.transpose ins(%w : memref<2x2xf32>) outs(%t : memref<2x2xf32>) permutation = [1, 0]
  linalg.add ins(%t, %t : memref<2x2xf32>, memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return
}

// The source is freed, and its bytes are used again.
//    IR-LABEL: func.func @freed(
//          IR:   linalg.transpose
//          IR:   return
func.func @freed(%s: memref<2x2xf32>) -> memref<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = memref.alloc() : memref<2x2xf32>
  linalg.add ins(%s, %s : memref<2x2xf32>, memref<2x2xf32>) outs(%w : memref<2x2xf32>)
  %t = memref.alloc() : memref<2x2xf32>
  linalg.transpose ins(%w : memref<2x2xf32>) outs(%t : memref<2x2xf32>) permutation = [1, 0]
  memref.dealloc %w : memref<2x2xf32>
  %v = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<2x2xf32>)
  %y = memref.alloc() : memref<2x2xf32>
  linalg.add ins(%t, %v : memref<2x2xf32>, memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  memref.dealloc %v : memref<2x2xf32>
  memref.dealloc %t : memref<2x2xf32>
  return %y : memref<2x2xf32>
}

// What a callee writes is not followed.
//    IR-LABEL: func.func @called(
//          IR:   linalg.transpose
//          IR:   return
func.func @called(%w: memref<2x2xf32>) -> memref<2x2xf32> {
  %t = memref.alloc() : memref<2x2xf32>
  linalg.transpose ins(%w : memref<2x2xf32>) outs(%t : memref<2x2xf32>) permutation = [1, 0]
  call @double(%w) : (memref<2x2xf32>) -> ()
  %y = memref.alloc() : memref<2x2xf32>
  linalg.add ins(%t, %w : memref<2x2xf32>, memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return %y : memref<2x2xf32>
}
func.func @double(%w: memref<2x2xf32>) {
  linalg.add ins(%w, %w : memref<2x2xf32>, memref<2x2xf32>) outs(%w : memref<2x2xf32>)
  return
}

// The reader in front gets what the last iteration has moved.
//    IR-LABEL: func.func @in_front(
//          IR:   linalg.transpose
//          IR:   return
func.func @in_front(%s: memref<2x2xf32>) -> memref<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<2x2xf32>)
  %t = memref.alloc() : memref<2x2xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %isLater = arith.cmpi ugt, %i, %c0 : index
    scf.if %isLater {
      linalg.add ins(%y, %t : memref<2x2xf32>, memref<2x2xf32>) outs(%y : memref<2x2xf32>)
    }
    linalg.add ins(%s, %s : memref<2x2xf32>, memref<2x2xf32>) outs(%s : memref<2x2xf32>)
    linalg.transpose ins(%s : memref<2x2xf32>) outs(%t : memref<2x2xf32>) permutation = [1, 0]
    linalg.add ins(%s, %s : memref<2x2xf32>, memref<2x2xf32>) outs(%s : memref<2x2xf32>)
  }
  return %y : memref<2x2xf32>
}

// Of any size, none among them; a strided source with one column.
//    IR-LABEL: func.func @dynamic(
//      IR-NOT:   linalg.broadcast
//      IR-NOT:   linalg.transpose
//          IR:   return
func.func @dynamic(%w: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %w, %c0 : memref<?x?xf32>
  %n = memref.dim %w, %c1 : memref<?x?xf32>
  %t = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.transpose ins(%w : memref<?x?xf32>) outs(%t : memref<?x?xf32>) permutation = [1, 0]
  %p = memref.dim %t, %c0 : memref<?x?xf32>
  %column = memref.subview %w[0, 0] [%m, 1] [1, 1] : memref<?x?xf32> to memref<?x1xf32, strided<[?, 1]>>
  %b = memref.alloc(%p, %m) : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%column : memref<?x1xf32, strided<[?, 1]>>) outs(%b : memref<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %y = memref.alloc(%p, %m) : memref<?x?xf32>
  linalg.sub ins(%t, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return %y : memref<?x?xf32>
}

func.func @fill(%memory: memref<*xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %c13 = arith.constant 13 : i32
  %third = arith.constant 3.1 : f32
  %flat = memref.reinterpret_cast %memory to offset: [0], sizes: [%n], strides: [1] : memref<*xf32> to memref<?xf32, strided<[1]>>
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.index_cast %i : index to i32
    %1 = arith.muli %0, %c7 : i32
    %2 = arith.remsi %1, %c13 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.divf %3, %third : f32
    memref.store %4, %flat[%i] : memref<?xf32, strided<[1]>>
  }
  return
}

// All bits of the numbers, as integers.
func.func @print(%memory: memref<*xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %flat = memref.reinterpret_cast %memory to offset: [0], sizes: [%n], strides: [1] : memref<*xf32> to memref<?xf32, strided<[1]>>
  %ints = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %flat[%i] : memref<?xf32, strided<[1]>>
    %1 = arith.bitcast %0 : f32 to i32
    %2 = arith.extui %1 : i32 to i64
    memref.store %2, %ints[%i] : memref<?xi64>
  }
  %any = memref.cast %ints : memref<?xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  memref.dealloc %ints : memref<?xi64>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c18 = arith.constant 18 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c54 = arith.constant 54 : index
  %w = memref.alloc() : !w
  %any_w = memref.cast %w : !w to memref<*xf32>
  call @fill(%any_w, %c24) : (memref<*xf32>, index) -> ()
  %x = memref.alloc() : !x
  %any_x = memref.cast %x : !x to memref<*xf32>
  call @fill(%any_x, %c18) : (memref<*xf32>, index) -> ()

  // CHECK: [1101375785,  1105794862, {{.*}}]
  %0 = call @transposed(%w, %x) : (!w, !x) -> !y
  %1 = memref.cast %0 : !y to memref<*xf32>
  call @print(%1, %c12) : (memref<*xf32>, index) -> ()
  // CHECK: [1101373316,  1105796626, {{.*}}]
  %2 = call @rounded(%w, %x) : (!w, !x) -> !y
  %3 = memref.cast %2 : !y to memref<*xf32>
  call @print(%3, %c12) : (memref<*xf32>, index) -> ()
  // CHECK: [-995,  1001000004,  -745000997,  127126999002,  -127871999999]
  %4 = call @integers() : () -> memref<5xi64>
  %5 = memref.cast %4 : memref<5xi64> to memref<*xi64>
  call @printMemrefI64(%5) : (memref<*xi64>) -> ()
  // CHECK: [1116243524,  1116480843, {{.*}}]
  %image = memref.alloc() : memref<1x2x4x4xf32>
  %any_image = memref.cast %image : memref<1x2x4x4xf32> to memref<*xf32>
  call @fill(%any_image, %c32) : (memref<*xf32>, index) -> ()
  %filter = memref.alloc() : memref<3x2x3x3xf32>
  %any_filter = memref.cast %filter : memref<3x2x3x3xf32> to memref<*xf32>
  call @fill(%any_filter, %c54) : (memref<*xf32>, index) -> ()
  %bias = memref.alloc() : memref<3xf32>
  %any_bias = memref.cast %bias : memref<3xf32> to memref<*xf32>
  call @fill(%any_bias, %c3) : (memref<*xf32>, index) -> ()
  %6 = call @convolution(%image, %filter, %bias) : (memref<1x2x4x4xf32>, memref<3x2x3x3xf32>, memref<3xf32>) -> memref<1x2x2x3xf32>
  %7 = memref.cast %6 : memref<1x2x2x3xf32> to memref<*xf32>
  call @print(%7, %c12) : (memref<*xf32>, index) -> ()

  %s = memref.alloc() : memref<2x2xf32>
  %any_s = memref.cast %s : memref<2x2xf32> to memref<*xf32>
  call @fill(%any_s, %c4) : (memref<*xf32>, index) -> ()
  // CHECK: [0,  1078883228,  1088624838,  1092954443]
  %8 = call @loop(%s) : (memref<2x2xf32>) -> memref<2x2xf32>
  %9 = memref.cast %8 : memref<2x2xf32> to memref<*xf32>
  call @print(%9, %c4) : (memref<*xf32>, index) -> ()
  // CHECK: [0,  1059400011,  1083212833,  1084565835]
  %10 = call @freed(%s) : (memref<2x2xf32>) -> memref<2x2xf32>
  %11 = memref.cast %10 : memref<2x2xf32> to memref<*xf32>
  call @print(%11, %c4) : (memref<*xf32>, index) -> ()
  // CHECK: [0,  1059400011,  1083212833,  1084565835]
  call @same(%s, %s) : (memref<2x2xf32>, memref<2x2xf32>) -> ()
  call @print(%any_s, %c4) : (memref<*xf32>, index) -> ()
  // CHECK: [0,  1085918836,  1092277942,  1098366448]
  %12 = call @called(%s) : (memref<2x2xf32>) -> memref<2x2xf32>
  %13 = memref.cast %12 : memref<2x2xf32> to memref<*xf32>
  call @print(%13, %c4) : (memref<*xf32>, index) -> ()
  // CHECK: [0,  1119135017,  1095660446,  1120826270]
  %14 = call @in_front(%s) : (memref<2x2xf32>) -> memref<2x2xf32>
  %15 = memref.cast %14 : memref<2x2xf32> to memref<*xf32>
  call @print(%15, %c4) : (memref<*xf32>, index) -> ()
  // CHECK: [0,  0,  0,  0,  1074824225,  1074824225,  3220684272,  3220684272,  1051011403,  1051011404,  1051011400,  1051011400,  1076177227,  1076177227,  3217978269,  3217978269,  1059400011,  1059400010,  1059400012,  1059400012,  1077530228,  1077530228,  3215272266,  3215272267]
  %16 = memref.cast %w : !w to memref<?x?xf32>
  %17 = call @dynamic(%16) : (memref<?x?xf32>) -> memref<?x?xf32>
  %18 = memref.cast %17 : memref<?x?xf32> to memref<*xf32>
  call @print(%18, %c24) : (memref<*xf32>, index) -> ()
  // Nothing to print.
  %none = memref.alloc(%c0, %c0) : memref<?x?xf32>
  %19 = call @dynamic(%none) : (memref<?x?xf32>) -> memref<?x?xf32>
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
