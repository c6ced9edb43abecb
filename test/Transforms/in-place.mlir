// RUN: buffer-merge-opt %s --buffer-merge="in-place scheduler=first-fit" --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=in-place --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=in-place --buffer-merge=in-place --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=first-fit" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: buffer-merge-opt %s --buffer-merge="in-place scheduler=bump" --split-input-file | FileCheck %s --check-prefix=BUMP
// RUN: buffer-merge-opt %s --buffer-merge="in-place erase-copies=false" --split-input-file | FileCheck %s --check-prefix=COPIES
// RUN: not buffer-merge-opt --buffer-merge=in-place=maybe /dev/null 2>&1 | FileCheck %s --check-prefix=INVALID

// Where a buffer dies in the operation in which another one is born, both may have
// the same bytes. Buffers are 256 bytes unless something else is said. Where two
// would not share them there is no pool: it would save nothing.

// INVALID: --in-place option: 'maybe' is invalid value for boolean

// Two in turn without, one with. Whoever asks for no reuse gets none.
// CHECK-LABEL: func.func @chain
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NOT:     memref.alloc
// OFF-LABEL:   func.func @chain
// OFF:           memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// BUMP-LABEL:  func.func @chain
// BUMP-NEXT:     memref.alloc() {alignment = 64 : i64} : memref<768xi8>
func.func @chain(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.map { math.absf } ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// An operand that is read at other elements too.
// CHECK-LABEL: func.func @other_map
// CHECK-NOT:     alignment
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
func.func @other_map(%in: memref<8x8xf32>, %out: memref<8x8xf32>) {
  %a = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%in : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  %b = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  }
  linalg.exp ins(%b : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  return
}

// -----

// Both maps are the same permutation. The other operand, which lives on, is broadcast.
// CHECK-LABEL: func.func @permuted
// CHECK:         memref.alloc() {{.*}} : memref<{{288|320}}xi8>
#transposed = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
func.func @permuted(%in: memref<8x8xf32>, %out: memref<8x8xf32>) {
  %x = arith.constant 1.0 : f32
  %row = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%row : memref<8xf32>)
  %a = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%in : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  %b = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#transposed, #row, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%a, %row : memref<8x8xf32>, memref<8xf32>) outs(%b : memref<8x8xf32>) {
    ^bb0(%y: f32, %z: f32, %o: f32):
      %s = arith.addf %y, %z : f32
      linalg.yield %s : f32
  }
  linalg.exp ins(%b : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  return
}

// -----

// A reduction: what it writes belongs to several iterations.
// CHECK-LABEL: func.func @reduction
// CHECK-NOT:     alignment
#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>
func.func @reduction(%in: memref<8xf32>, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%a : memref<8xf32>)
  %w = memref.alloc() : memref<8x8xf32>
  linalg.broadcast ins(%a : memref<8xf32>) outs(%w : memref<8x8xf32>) dimensions = [0]
  %b = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#first, #id, #first], iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : memref<8xf32>, memref<8x8xf32>) outs(%b : memref<8xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  }
  linalg.exp ins(%b : memref<8xf32>) outs(%out : memref<8xf32>)
  return
}

// -----

// The output is read as well: another value than before would come out.
// CHECK-LABEL: func.func @output_is_read
// CHECK-NOT:     alignment
#id = affine_map<(i) -> (i)>
func.func @output_is_read(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  }
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// So is it here, although MLIR says of the outputs of linalg.map that none is.
// CHECK-LABEL: func.func @output_of_map_is_read
// CHECK-NOT:     alignment
func.func @output_of_map_is_read(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.map ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    (%x: f32, %y: f32) {
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    }
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// Elements of other types, but of one size; then of 4 and 8 bytes.
// CHECK-LABEL: func.func @element_sizes
// CHECK:         memref.alloc() {{.*}} : memref<768xi8>
#id = affine_map<(i) -> (i)>
func.func @element_sizes(%in: memref<64xf32>, %out: memref<64xi64>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b : memref<64xi32>) {
    ^bb0(%x: f32, %y: i32):
      %s = arith.bitcast %x : f32 to i32
      linalg.yield %s : i32
  }
  %c = memref.alloc() : memref<64xi64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : memref<64xi32>) outs(%c : memref<64xi64>) {
    ^bb0(%x: i32, %y: i64):
      %s = arith.extsi %x : i32 to i64
      linalg.yield %s : i64
  }
  memref.copy %c, %out : memref<64xi64> to memref<64xi64>
  return
}

// -----

// CHECK-LABEL: func.func @same_element_sizes
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// OFF-LABEL:   func.func @same_element_sizes
// OFF:           memref.alloc() {{.*}} : memref<512xi8>
#id = affine_map<(i) -> (i)>
func.func @same_element_sizes(%in: memref<64xf32>, %out: memref<64xi32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b : memref<64xi32>) {
    ^bb0(%x: f32, %y: i32):
      %s = arith.bitcast %x : f32 to i32
      linalg.yield %s : i32
  }
  memref.copy %b, %out : memref<64xi32> to memref<64xi32>
  return
}

// -----

// A copy of a buffer to itself is erased.
// COPIES-LABEL: func.func @copies
// COPIES:         memref.copy
// COPIES:         linalg.copy
// CHECK-LABEL: func.func @copies
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT:     memref.copy
// CHECK-NOT:     linalg.copy
// CHECK:         return
func.func @copies(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.copy ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// By views of one value. To a value of another type, and to another part, the
// copies stay.
// CHECK-LABEL: func.func @copies_of_views
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
// CHECK-NOT:     memref.copy
// CHECK:         linalg.negf
// CHECK-COUNT-2: memref.copy
// CHECK:         return
func.func @copies_of_views(%in: memref<64xf32>, %out: memref<64xf32>, %i: index, %j: index) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  %a8x8 = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %b8x8 = memref.expand_shape %b [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  memref.copy %a8x8, %b8x8 : memref<8x8xf32> to memref<8x8xf32>
  %c = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b8x8 : memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  %d = memref.collapse_shape %c [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  linalg.negf ins(%d : memref<64xf32>) outs(%d : memref<64xf32>)
  %from = memref.subview %d[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  %to = memref.subview %d[%j] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %from, %to : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %d, %out : memref<64xf32> to memref<64xf32>
  return
}

// -----

// All of a buffer by another shape; then a part of one.
// CHECK-LABEL: func.func @whole
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
func.func @whole(%in: memref<64xf32>, %out: memref<8x8xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<8x8xf32>
  %a8x8 = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  linalg.exp ins(%a8x8 : memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  linalg.exp ins(%b : memref<8x8xf32>) outs(%out : memref<8x8xf32>)
  return
}

// CHECK-LABEL: func.func @part
// CHECK-NOT:     alignment
func.func @part(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<272xi8>
  %part = memref.view %b[%c4][] : memref<272xi8> to memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%part : memref<64xf32>)
  linalg.exp ins(%part : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// Which buffer it is, is known at run time only.
// CHECK-LABEL: func.func @selected
// CHECK-NOT:     alignment
func.func @selected(%c: i1, %in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%b : memref<64xf32>)
  %ab = arith.select %c, %a, %b : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%ab : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.exp ins(%d : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// It is used afterwards; it is used again by the next iteration.
// CHECK-LABEL: func.func @used_later
// CHECK-NOT:     alignment
func.func @used_later(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @used_again
// CHECK-NEXT:    memref.alloc() {{.*}} : memref<512xi8>
// OFF-LABEL:   func.func @used_again
// OFF:           memref.alloc() {{.*}} : memref<512xi8>
func.func @used_again(%n: index, %in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<64xf32>
    linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  }
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// An earlier iteration has written it.
// CHECK-LABEL: func.func @written_before
// CHECK-NEXT:    memref.alloc() {{.*}} : memref<512xi8>
func.func @written_before(%n: index, %c: i1, %in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    scf.if %c {
      linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    }
    linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  }
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.exp ins(%d : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// Both belong to one iteration; the loop runs in a thread of its own; a branch; blocks.
// CHECK-LABEL: func.func @in_regions
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
func.func @in_regions(%n: index, %c: i1, %in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    %b = memref.alloc() : memref<64xf32>
    scf.if %c {
      linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
      linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
    }
  }
  return
}

// CHECK-LABEL: func.func @blocks
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
func.func @blocks(%c: i1, %in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  cf.br ^bb2
^bb2:
  return
}

// -----

// The region touches the output a second time, by another way.
// CHECK-LABEL: func.func @captured
// CHECK-NOT:     alignment
#id = affine_map<(i) -> (i)>
func.func @captured(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c63 = arith.constant 63 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
    ^bb0(%x: f32, %y: f32):
      %i = linalg.index 0 : index
      %j = arith.subi %c63, %i : index
      memref.store %x, %b[%j] : memref<64xf32>
      linalg.yield %x : f32
  }
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// Two that die, one that is born, and the other way round.
// CHECK-LABEL: func.func @two_deaths
// CHECK:         memref.alloc() {{.*}} : memref<512xi8>
// OFF-LABEL:   func.func @two_deaths
// OFF-NOT:       alignment
func.func @two_deaths(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.abs ins(%in : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @two_births
// CHECK:         memref.alloc() {{.*}} : memref<512xi8>
// OFF-LABEL:   func.func @two_births
// OFF-NOT:       alignment
#id = affine_map<(i) -> (i)>
func.func @two_births(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<64xf32>) outs(%b, %c : memref<64xf32>, memref<64xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %x, %s : f32, f32
  }
  linalg.add ins(%b, %c : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// -----

// Deallocations vanish as ever, and dynamic or returned buffers are no part of it.
// CHECK-LABEL: func.func @deallocated
// CHECK:         %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT:     memref.dealloc
// CHECK:         linalg.exp
// CHECK:         linalg.exp
// CHECK:         linalg.exp
// CHECK-NEXT:    memref.dealloc %[[POOL]]
func.func @deallocated(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  return
}

// -----

// Of two memory spaces.
// CHECK-LABEL: func.func @spaces
// CHECK-NOT:     i8
func.func @spaces(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32, 1>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32, 1>)
  %b = memref.alloc() : memref<64xf32, 2>
  linalg.exp ins(%a : memref<64xf32, 1>) outs(%b : memref<64xf32, 2>)
  linalg.exp ins(%b : memref<64xf32, 2>) outs(%out : memref<64xf32>)
  return
}

// -----

// Dimensions of one element: whatever loop or constant names them.
// CHECK-LABEL: func.func @unit_dimensions
// CHECK:         memref.alloc() {{.*}} : memref<16384xi8>
func.func @unit_dimensions(%in: memref<1x64x64xf32>, %out: memref<1x64x64xf32>) {
  %a = memref.alloc() : memref<1x64x64xf32>
  linalg.exp ins(%in : memref<1x64x64xf32>) outs(%a : memref<1x64x64xf32>)
  %b = memref.alloc() : memref<1x64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (0, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<1x64x64xf32>) outs(%b : memref<1x64x64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  }
  linalg.exp ins(%b : memref<1x64x64xf32>) outs(%out : memref<1x64x64xf32>)
  return
}

// -----

// A row that all iterations read is another element than most of them write.
// CHECK-LABEL: func.func @first_row
// CHECK-COUNT-2: memref.alloc() : memref<64x64xf32>
func.func @first_row(%in: memref<64x64xf32>, %out: memref<64x64xf32>) {
  %a = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%in : memref<64x64xf32>) outs(%a : memref<64x64xf32>)
  %b = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(j, k) -> (0, k)>, affine_map<(j, k) -> (j, k)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<64x64xf32>) outs(%b : memref<64x64xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  linalg.exp ins(%b : memref<64x64xf32>) outs(%out : memref<64x64xf32>)
  return
}
