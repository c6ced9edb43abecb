// RUN: buffer-merge-opt %s --emplace-buffers | FileCheck %s
// RUN: buffer-merge-opt %s --emplace-buffers -o %t.once
// RUN: buffer-merge-opt %t.once --emplace-buffers | diff %t.once -
// RUN: buffer-merge-opt %s --emplace-buffers=limit-peak=false | FileCheck %s --check-prefix=ANY-PEAK
// RUN: buffer-merge-opt %s --emplace-buffers --remarks-filter=buffer-merge -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!half = memref<64xf32>
!whole = memref<128xf32>
!low = memref<64xf32, strided<[1]>>
!high = memref<64xf32, strided<[1], offset: 64>>

// A concatenation: both halves are computed where they belong.
//       REMARK: remark: [Analysis] Emplaced {{.*}} Function=concat | AliveBytes=512, BytesNotCopied=512, Copies=2
// CHECK-LABEL: func.func @concat(
//       CHECK:   %[[C:.*]] = memref.alloc() {alignment = 4 : i64} : memref<512xi8>
//       CHECK:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   %[[WHOLE:.*]] = memref.view %[[C]][%[[C0]]][] : memref<512xi8> to memref<128xf32>
//       CHECK:   %[[LOW:.*]] = memref.view %[[C]]
//       CHECK:   linalg.exp ins(%{{.*}}) outs(%[[LOW]]
//       CHECK:   %[[C256:.*]] = arith.constant 256 : index
//       CHECK:   %[[HIGH:.*]] = memref.view %[[C]][%[[C256]]][] : memref<512xi8> to memref<64xf32>
//       CHECK:   linalg.sqrt ins(%{{.*}}) outs(%[[HIGH]]
//   CHECK-NOT:   memref.copy
//   CHECK-NOT:   memref.subview
//       CHECK:   linalg.exp ins(%[[WHOLE]]
//       CHECK:   return
func.func @concat(%in: !half, %out: !whole) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %b = memref.alloc() : !half
  linalg.sqrt ins(%in : !half) outs(%b : !half)
  %c = memref.alloc() : !whole
  %low = memref.subview %c[0] [64] [1] : !whole to !low
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %low : !half to !low
  memref.copy %b, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// A concatenation of concatenations.
// CHECK-LABEL: func.func @nested(
//       CHECK:   %[[D:.*]] = memref.alloc() {alignment = 4 : i64} : memref<1024xi8>
//       CHECK:   %[[C256:.*]] = arith.constant 256 : index
//       CHECK:   %[[INNER:.*]] = memref.view %[[D]][%[[C256]]][] : memref<1024xi8> to memref<512xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.copy %arg0
//       CHECK:   memref.copy %arg0
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @nested(%in: !half, %out: memref<256xf32>) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %b = memref.alloc() : !half
  linalg.sqrt ins(%in : !half) outs(%b : !half)
  %c = memref.alloc() : !whole
  %low = memref.subview %c[0] [64] [1] : !whole to !low
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %low : !half to !low
  memref.copy %b, %high : !half to !high
  %d = memref.alloc() : memref<256xf32>
  %begin = memref.subview %d[0] [64] [1] : memref<256xf32> to !low
  %middle = memref.subview %d[64] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1], offset: 64>>
  %end = memref.subview %d[192] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: 192>>
  memref.copy %in, %begin : !half to !low
  memref.copy %c, %middle : !whole to memref<128xf32, strided<[1], offset: 64>>
  memref.copy %in, %end : !half to memref<64xf32, strided<[1], offset: 192>>
  linalg.exp ins(%d : memref<256xf32>) outs(%out : memref<256xf32>)
  return
}

// A row in each iteration, at an offset that is known when it is computed.
// CHECK-LABEL: func.func @rows(
//       CHECK:   %[[C:.*]] = memref.alloc() {alignment = 4 : i64} : memref<512xi8>
//       CHECK:   scf.for %[[I:.*]] =
//       CHECK:     %[[C64:.*]] = arith.constant 64 : index
//       CHECK:     %[[BYTES:.*]] = arith.muli %[[I]], %[[C64]]
//       CHECK:     %[[OFFSET:.*]] = arith.addi %{{.*}}, %[[BYTES]]
//       CHECK:     %[[ROW:.*]] = memref.view %[[C]][%[[OFFSET]]][] : memref<512xi8> to memref<1x16xf32>
//       CHECK:     linalg.exp ins(%{{.*}}) outs(%[[ROW]]
//   CHECK-NOT:     memref.copy
//       CHECK:   return
func.func @rows(%in: memref<1x16xf32>, %out: memref<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c = memref.alloc() : memref<8x16xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : memref<1x16xf32>
    linalg.exp ins(%in : memref<1x16xf32>) outs(%a : memref<1x16xf32>)
    %row = memref.subview %c[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    memref.copy %a, %row : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
  }
  linalg.exp ins(%c : memref<8x16xf32>) outs(%out : memref<8x16xf32>)
  return
}

// The offset is loaded after the row has been computed.
// CHECK-LABEL: func.func @offset_too_late(
//       CHECK:   memref.copy
func.func @offset_too_late(%in: memref<1x16xf32>, %out: memref<8x16xf32>, %where: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c = memref.alloc() : memref<8x16xf32>
  %a = memref.alloc() : memref<1x16xf32>
  linalg.exp ins(%in : memref<1x16xf32>) outs(%a : memref<1x16xf32>)
  %i = memref.load %where[%c0] : memref<1xindex>
  %row = memref.subview %c[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
  memref.copy %a, %row : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
  linalg.exp ins(%c : memref<8x16xf32>) outs(%out : memref<8x16xf32>)
  return
}

// What a padded buffer is filled with is filled first.
// CHECK-LABEL: func.func @pad(
//       CHECK:   %[[C:.*]] = memref.alloc() {{.*}} : memref<512xi8>
//       CHECK:   %[[WHOLE:.*]] = memref.view %[[C]]
//       CHECK:   %[[A:.*]] = memref.view %[[C]]
//       CHECK:   %[[PART:.*]] = memref.subview %[[A]]
//       CHECK:   linalg.fill ins(%{{.*}}) outs(%[[WHOLE]]
//       CHECK:   linalg.exp ins(%{{.*}}) outs(%[[PART]]
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @pad(%in: !half, %out: !whole, %x: f32) {
  %a = memref.alloc() : !half
  %low = memref.subview %a[0] [64] [1] : !half to !low
  linalg.exp ins(%in : !half) outs(%low : !low)
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %part = memref.subview %c[32] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 32>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 32>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// Any operation without inputs is a fill, ...
// CHECK-LABEL: func.func @pad_by_map(
//       CHECK:   linalg.map outs(
//       CHECK:   linalg.exp ins(%arg0
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @pad_by_map(%in: !half, %out: !whole, %x: f32) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %c = memref.alloc() : !whole
  linalg.map outs(%c : !whole)
    (%old: f32) {
      linalg.yield %x : f32
    }
  %part = memref.subview %c[32] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 32>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 32>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// ... unless it loads what may be overwritten in between, ...
// CHECK-LABEL: func.func @fill_loads(
//       CHECK:   memref.copy
func.func @fill_loads(%in: !half, %out: !whole, %x: f32, %t: memref<f32>) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  memref.store %x, %t[] : memref<f32>
  %c = memref.alloc() : !whole
  linalg.map outs(%c : !whole)
    (%old: f32) {
      %y = memref.load %t[] : memref<f32>
      linalg.yield %y : f32
    }
  %part = memref.subview %c[32] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 32>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 32>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// ... or yields what is computed later.
// CHECK-LABEL: func.func @map_too_late(
//       CHECK:   memref.copy
func.func @map_too_late(%in: !half, %out: !whole) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %x = memref.load %a[%c0] : !half
  %c = memref.alloc() : !whole
  linalg.map outs(%c : !whole)
    (%old: f32) {
      linalg.yield %x : f32
    }
  %part = memref.subview %c[32] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 32>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 32>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// The buffer that is padded decides about the fill.
// CHECK-LABEL: func.func @fill_too_late(
//       CHECK:   memref.copy
func.func @fill_too_late(%in: !half, %out: !whole) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %x = memref.load %a[%c0] : !half
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %part = memref.subview %c[32] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 32>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 32>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// What the fill overwrites is read in between.
// CHECK-LABEL: func.func @fill_after_read(
//       CHECK:   memref.copy
func.func @fill_after_read(%in: !half, %out: !whole, %x: f32, %y: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%y : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %low = memref.subview %c[0] [32] [1] : !whole to memref<32xf32, strided<[1]>>
  %to = memref.subview %out[0] [32] [1] : !whole to memref<32xf32, strided<[1]>>
  linalg.exp ins(%low : memref<32xf32, strided<[1]>>) outs(%to : memref<32xf32, strided<[1]>>)
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %part = memref.subview %c[32] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 32>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 32>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// The part is read before the copy.
// CHECK-LABEL: func.func @part_in_use(
//       CHECK:   memref.copy
func.func @part_in_use(%in: !half, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// The other half may be used meanwhile, and the inner buffer read afterwards.
// CHECK-LABEL: func.func @other_part_in_use(
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @other_part_in_use(%in: !half, %out: !half, %all: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %low = memref.subview %c[0] [64] [1] : !whole to !low
  linalg.exp ins(%low : !low) outs(%low : !low)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  linalg.exp ins(%a : !half) outs(%out : !half)
  linalg.exp ins(%c : !whole) outs(%all : !whole)
  return
}

// CHECK-LABEL: func.func @inner_written_later(
//       CHECK:   memref.copy %arg0
//       CHECK:   memref.copy
func.func @inner_written_later(%in: !half, %out: !whole) {
  %c = memref.alloc() : !whole
  %low = memref.subview %c[0] [64] [1] : !whole to !low
  memref.copy %in, %low : !half to !low
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  linalg.sqrt ins(%a : !half) outs(%a : !half)
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// CHECK-LABEL: func.func @part_overwritten(
//       CHECK:   memref.copy
func.func @part_overwritten(%in: !half, %out: !half, %all: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%c : !whole)
  linalg.exp ins(%a : !half) outs(%out : !half)
  linalg.exp ins(%c : !whole) outs(%all : !whole)
  return
}

// CHECK-LABEL: func.func @strided(
//       CHECK:   memref.copy
func.func @strided(%in: memref<4x2xf32>, %out: memref<4x4xf32>, %x: f32) {
  %c = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<4x4xf32>)
  %a = memref.alloc() : memref<4x2xf32>
  linalg.exp ins(%in : memref<4x2xf32>) outs(%a : memref<4x2xf32>)
  %part = memref.subview %c[0, 2] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1], offset: 2>>
  memref.copy %a, %part : memref<4x2xf32> to memref<4x2xf32, strided<[4, 1], offset: 2>>
  linalg.exp ins(%c : memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  return
}

// Only a part of the inner buffer is copied.
// CHECK-LABEL: func.func @part_of_inner(
//       CHECK:   memref.copy
func.func @part_of_inner(%in: !whole, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !whole
  linalg.exp ins(%in : !whole) outs(%a : !whole)
  %from = memref.subview %a[0] [64] [1] : !whole to !low
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %from, %high : !low to !high
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// The part is at byte 20, and the allocation is aligned to 64 bytes.
// CHECK-LABEL: func.func @alignment(
//       CHECK:   memref.copy
func.func @alignment(%in: !half, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() {alignment = 64 : i64} : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %part = memref.subview %c[5] [64] [1] : !whole to memref<64xf32, strided<[1], offset: 5>>
  memref.copy %a, %part : !half to memref<64xf32, strided<[1], offset: 5>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// Both at the same place, one after the other.
// CHECK-LABEL: func.func @two_at_one_place(
// CHECK-COUNT-1: memref.copy
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @two_at_one_place(%in: !half, %first: !whole, %second: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %b = memref.alloc() : !half
  linalg.sqrt ins(%in : !half) outs(%b : !half)
  memref.copy %a, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%first : !whole)
  memref.copy %b, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%second : !whole)
  return
}

// The second one would overwrite the first one, which is still read.
// CHECK-LABEL: func.func @read_while_overwritten(
//       CHECK:   memref.copy
func.func @read_while_overwritten(%in: !half, %out: !half, %first: !whole, %second: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  memref.copy %a, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%first : !whole)
  %b = memref.alloc() : !half
  linalg.sqrt ins(%in : !half) outs(%b : !half)
  linalg.exp ins(%a : !half) outs(%out : !half)
  memref.copy %b, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%second : !whole)
  return
}

// The result of the call is the inner buffer, and written after the copy.
// CHECK-LABEL: func.func @result_of_call(
//       CHECK:   memref.copy
func.func @result_of_call(%in: !half, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  %b = call @touch(%a, %x) : (!half, f32) -> !half
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  linalg.sqrt ins(%in : !half) outs(%b : !half)
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}
func.func private @touch(%a: !half, %x: f32) -> !half {
  linalg.fill ins(%x : f32) outs(%a : !half)
  return %a : !half
}

// The task may read the part when the inner buffer is computed.
// CHECK-LABEL: func.func @task(
//       CHECK:   memref.copy
func.func @task(%in: !half, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %token = async.execute {
    linalg.exp ins(%c : !whole) outs(%out : !whole)
    async.yield
  }
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  async.await %token : !async.token
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// Between the two halves much more is alive than then: with the outer buffer,
// that would be more than ever.
// CHECK-LABEL: func.func @peak(
//       CHECK:   memref.copy
//       CHECK:   return
// ANY-PEAK-LABEL: func.func @peak(
//   ANY-PEAK-NOT:   memref.copy
//       ANY-PEAK:   return
func.func @peak(%in: !half, %big: memref<512xf32>, %out: memref<1024xf32>) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %t = memref.alloc() : memref<512xf32>
  %u = memref.alloc() : memref<512xf32>
  linalg.exp ins(%big : memref<512xf32>) outs(%t : memref<512xf32>)
  linalg.exp ins(%t : memref<512xf32>) outs(%u : memref<512xf32>)
  linalg.exp ins(%u : memref<512xf32>) outs(%big : memref<512xf32>)
  %c = memref.alloc() : memref<1024xf32>
  %part = memref.subview %c[0] [64] [1] : memref<1024xf32> to !low
  memref.copy %a, %part : !half to !low
  linalg.exp ins(%c : memref<1024xf32>) outs(%out : memref<1024xf32>)
  return
}

// Other iterations may read the part.
// CHECK-LABEL: func.func @parallel(
//       CHECK:   memref.copy
func.func @parallel(%in: memref<1x16xf32>, %out: memref<8x16xf32>) {
  %c = memref.alloc() : memref<8x16xf32>
  scf.forall (%i) in (8) {
    %a = memref.alloc() : memref<1x16xf32>
    linalg.exp ins(%in : memref<1x16xf32>) outs(%a : memref<1x16xf32>)
    %row = memref.subview %c[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    memref.copy %a, %row : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
  }
  linalg.exp ins(%c : memref<8x16xf32>) outs(%out : memref<8x16xf32>)
  return
}

// The result of the selection may be either of the two.
// CHECK-LABEL: func.func @selected(
//       CHECK:   memref.copy
func.func @selected(%in: !half, %out: !whole, %which: i1, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  %b = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%b : !half)
  linalg.exp ins(%in : !half) outs(%a : !half)
  %high = memref.subview %c[64] [64] [1] : !whole to !high
  memref.copy %a, %high : !half to !high
  %s = arith.select %which, %a, %b : !half
  linalg.exp ins(%s : !half) outs(%s : !half)
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}
