// REQUIRES: clang
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena emit-header=%t.h' -o %t.mlir
// RUN: echo '#include "%t.h"' > %t.c
// RUN: echo 'static unsigned char memory[F_ARENA_BYTES];' >> %t.c
// RUN: echo 'MemRef1D_i8 arena(void) { MemRef1D_i8 d = F_ARENA_DESCRIPTOR(memory); return d; }' >> %t.c
// RUN: echo 'MemRef2D_f32 input(float *data, unsigned long n) { MemRef2D_f32 d = TAKES_ARGUMENT_0_DESCRIPTOR(data, n); return d; }' >> %t.c
// RUN: echo 'void call(float *data) { MemRef2D_f32 in = input(data, 4); _mlir_ciface_takes(&in); }' >> %t.c
// RUN: echo 'unsigned char *get(void) { return &memory[79999]; }' >> %t.c
// RUN: %python -c 'import sys; sys.stdout.write(open(sys.argv[1]).read() * 2)' %t.h > %t.twice.h
// RUN: clang -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only %t.c
// RUN: clang -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c %t.twice.h
// RUN: clang -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ %t.c
// RUN: not clang --target=avr -ffreestanding -std=c11 -fsyntax-only -x c %t.h 2>&1 | FileCheck %s

// A target that cannot count so many bytes.
// CHECK: error: static assertion failed{{.*}}the target has no F_ARENA_BYTES bytes
// CHECK-NOT: error:
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<20000xf32>
  memref.store %x, %a[%i] : memref<20000xf32>
  %b = memref.alloc() : memref<20000xf32>
  memref.store %x, %b[%i] : memref<20000xf32>
  return
}

func.func @takes(%in: memref<?x8xf32>) {
  return
}

// No name ends a comment.
func.func @"a*/ b /* c\0A\FF"(%in: memref<4xf32>, %x: f32, %i: index) {
  %a = memref.alloc() : memref<20xf32>
  memref.store %x, %a[%i] : memref<20xf32>
  %b = memref.alloc() : memref<20xf32>
  memref.store %x, %b[%i] : memref<20xf32>
  return
}
