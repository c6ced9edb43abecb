// REQUIRES: clang
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena emit-header=%t.h report=%t.json' -o %t.mlir
// RUN: %tools/buffer-merge-print %t.json | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: echo '#include "%t.h"' > %t.c
// RUN: echo '#include <stdlib.h>' >> %t.c
// RUN: echo 'void run(float *x, float *y, intptr_t m, intptr_t n) {' >> %t.c
// RUN: echo '  intptr_t bytes = f_arena_size_for(m, n, m);' >> %t.c
// RUN: echo '  MemRef2D_f32 in = F_ARGUMENT_0_DESCRIPTOR(x, m), out = F_ARGUMENT_2_DESCRIPTOR(y, m);' >> %t.c
// RUN: echo '  void *memory = aligned_alloc(F_ARENA_ALIGNMENT, bytes);' >> %t.c
// RUN: echo '  MemRef1D_i8 arena = F_ARENA_DESCRIPTOR(memory, bytes);' >> %t.c
// RUN: echo '  _mlir_ciface_f(&in, n, &out, &arena); }' >> %t.c
// RUN: clang -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only %t.c
// RUN: clang -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ %t.c
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t.ld' -o %t.mlir
// RUN: FileCheck %s --check-prefix=LINKER < %t.ld

// What is known of an arena of run-time size: the formula, and what is there if all sizes
// are 0. C is told the function that returns the bytes, and no constant.

//      TEXT: pool of run-time size in the arena of @f: 2 buffers, alignment 64
// TEXT-NEXT:   bytes: max(
//      TEXT: @f: arena of 64 bytes
//      TEXT:          pools  heap
// TEXT-NEXT:   @f{{ +}}64     0
// TEXT-NEXT:   not known: code
// TEXT-NEXT:   not known of @f: allocations of unknown size, arguments of unknown size

//      HEADER: /* The arena that f is given */
// HEADER-NEXT: #define F_ARENA_ALIGNMENT 64
//  HEADER-NOT: F_ARENA_BYTES
//      HEADER: #define F_ARENA_DESCRIPTOR(data, size0) {(int8_t *)(data), (int8_t *)(data), 0, {(intptr_t)(size0)}, {1}}
//      HEADER: intptr_t f_arena_size_for(intptr_t argument_0_size0, intptr_t argument_1, intptr_t argument_2_size0);

//      LINKER: /* The arena that f is given */
// LINKER-NEXT: F_ARENA_ALIGNMENT = 64;
//  LINKER-NOT: F_ARENA_BYTES
func.func @f(%x: memref<?x4xf32>, %n: index, %out: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : memref<?x4xf32>
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%s : memref<4xf32>)
  memref.store %f, %s[%c0] : memref<4xf32>
  %a = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?x?xf32>)
  linalg.copy ins(%x : memref<?x4xf32>) outs(%out : memref<?x4xf32>)
  return
}
