// REQUIRES: clang, qemu-system-arm
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"section": ".bss.sram", "address": "0x10000000", "linkage": "public"}} report=%t.part.ld' \
// RUN:   --convert-arith-to-llvm=index-bitwidth=32 --finalize-memref-to-llvm=index-bitwidth=32 --convert-func-to-llvm=index-bitwidth=32 --reconcile-unrealized-casts --place-globals -o %t.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.mlir -o %t.ll
// RUN: FileCheck %s --check-prefix=SCRIPT < %t.part.ld
// RUN: echo 'SECTIONS { .text 0x8000 : { *(.text*) } INCLUDE %t.part.ld }' > %t.ld
// RUN: clang --target=thumbv7em-none-eabihf -Wno-override-module -nostdlib -fuse-ld=lld -Wl,-T,%t.ld,-e,f %t.ll -o %t.elf
// RUN: llvm-readelf -S -s %t.elf | FileCheck %s

// The linker puts the global where it is to be. Without the pass that carries the
// section over, it complains.

// RUN: sed 's/, section ".bss.sram"//' %t.ll > %t.lost.ll
// RUN: not clang --target=thumbv7em-none-eabihf -Wno-override-module -nostdlib -fuse-ld=lld -Wl,-T,%t.ld,-e,f %t.lost.ll -o %t.elf 2>&1 | FileCheck %s --check-prefix=LOST

//      SCRIPT: F_POOL_BYTES = 128;
// SCRIPT-NEXT: F_POOL_ALIGNMENT = 64;
//      SCRIPT: .bss.sram 0x10000000 (NOLOAD) : {
// SCRIPT-NEXT:   *(.bss.sram)
// SCRIPT-NEXT: }
// SCRIPT-NEXT: ASSERT(SIZEOF(.bss.sram) >= 128, ".bss.sram lacks a global of buffer-merge")

//     CHECK: .bss.sram NOBITS 10000000 {{[0-9a-f]+}} 000080
// CHECK-DAG: 10000000 128 OBJECT GLOBAL DEFAULT {{[0-9]+}} f_pool
// CHECK-DAG: 00000080 0 NOTYPE GLOBAL DEFAULT ABS F_POOL_BYTES

// LOST: error: {{.*}}.bss.sram lacks a global of buffer-merge
func.func @f(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  %y = memref.load %a[%i] : memref<32xf32>
  memref.store %y, %b[%i] : memref<32xf32>
  %z = memref.load %b[%i] : memref<32xf32>
  return %z : f32
}
