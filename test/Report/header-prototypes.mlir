// RUN: buffer-merge-opt %s --buffer-merge='pool=arena emit-header=%t.h' -o %t.mlir
// RUN: FileCheck %s < %t.h
// RUN: buffer-merge-opt %s --buffer-merge='emit-header=%t.alloc.h' -o %t.mlir
// RUN: FileCheck %s --check-prefix=ALLOC --implicit-check-not=arena < %t.alloc.h

// What C calls: prototypes, structs and shapes of inputs and outputs. Each struct is there once,
// and the numbers of elements and strides of a descriptor are those of the type.

//      CHECK: typedef struct {
// CHECK-NEXT:   float *allocated, *aligned;
// CHECK-NEXT:   intptr_t offset, sizes[2], strides[2];
// CHECK-NEXT: } MemRef2D_f32;
//      CHECK: intptr_t offset, sizes[1], strides[1];
// CHECK-NEXT: } MemRef1D_i8;
//  CHECK-NOT: } MemRef2D_f32;
//      CHECK: /* The C interface of layers: llvm.emit_c_interface, or --llvm-request-c-wrappers */
//      CHECK: extern "C"
//      CHECK: void _mlir_ciface_layers(MemRef2D_f32 *input_0, intptr_t argument_1, MemRef2D_f32 *output_2, MemRef1D_i8 *arena);
// CHECK-NEXT: #define LAYERS_INPUT_0_SHAPE {4, 8}
// CHECK-NEXT: #define LAYERS_INPUT_0_DESCRIPTOR(data) {(data), (data), 0, {4, 8}, {8, 1}}
// CHECK-NEXT: #define LAYERS_OUTPUT_2_SHAPE {4, 8}
// CHECK-NEXT: #define LAYERS_OUTPUT_2_DESCRIPTOR(data) {(data), (data), 0, {4, 8}, {8, 1}}
// CHECK-NEXT: #define LAYERS_ARENA_DESCRIPTOR(data) {(int8_t *)(data), (int8_t *)(data), 0, {LAYERS_ARENA_BYTES}, {1}}

// Without pools of a caller, it is not known what is written.
// ALLOC: void _mlir_ciface_layers(MemRef2D_f32 *argument_0, intptr_t argument_1, MemRef2D_f32 *argument_2);
// ALLOC: #define LAYERS_ARGUMENT_0_SHAPE {4, 8}
func.func @layers(%in: memref<4x8xf32>, %i: index, %out: memref<4x8xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%in : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  %b = memref.alloc() : memref<4x8xf32>
  linalg.exp ins(%a : memref<4x8xf32>) outs(%b : memref<4x8xf32>)
  linalg.add ins(%a, %b : memref<4x8xf32>, memref<4x8xf32>) outs(%out : memref<4x8xf32>)
  return
}

// Sizes that are known at run time are parameters; a scalar has no shape.
//      CHECK: float _mlir_ciface_dynamic(MemRef3D_f16 *argument_0, MemRef0D_f64 *input_1);
// CHECK-NEXT: #define DYNAMIC_ARGUMENT_0_DESCRIPTOR(data, size0, size2) {(data), (data), 0, {(intptr_t)(size0), 4, (intptr_t)(size2)}, {4 * (intptr_t)(size2), 1 * (intptr_t)(size2), 1}}
// CHECK-NEXT: #define DYNAMIC_INPUT_1_DESCRIPTOR(data) {(data), (data), 0}
func.func @dynamic(%x: memref<?x4x?xf16>, %y: memref<f64>) -> f32 {
  %c = arith.constant 1.0 : f32
  return %c : f32
}

// One memref is written through a pointer, and so are several results. A part of another memref
// has strides of its own: there is no initializer.
//     CHECK: void _mlir_ciface_returns(MemRef1D_index *result, MemRef1D_i1 *input_0);
//     CHECK: typedef struct {
// CHECK-NEXT:   MemRef1D_i1 result_0;
// CHECK-NEXT:   int64_t result_1;
// CHECK-NEXT: } two_results;
//      CHECK: void _mlir_ciface_two(two_results *results, MemRef1D_i1 *argument_0);
//  CHECK-NOT: #define TWO
func.func @returns(%x: memref<4xi1>) -> memref<4xindex> {
  %a = memref.alloc() : memref<4xindex>
  return %a : memref<4xindex>
}
func.func @two(%x: memref<?xi1, strided<[2], offset: ?>>) -> (memref<?xi1, strided<[2], offset: ?>>, i64) {
  %c = arith.constant 1 : i64
  return %x, %c : memref<?xi1, strided<[2], offset: ?>>, i64
}

// What C cannot call is said; what is not called from outside is not there.
// CHECK: /* ranks has no prototype: no type of C is passed as memref<_xf32> */
// CHECK: /* f.1 has no prototype: C has no such name */
// CHECK-NOT: inner
func.func @ranks(%x: memref<*xf32>) {
  return
}
func.func @f.1() {
  return
}
func.func private @inner() {
  return
}
