//===- cortex-m4.c - A Cortex-M4 without a C library ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A Cortex-M4 without a C library: the vector table, the start, and output through
// semihosting, which QEMU and debuggers provide.
#include "platform.h"

#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_top[], bss_begin[], bss_end[];
int main(void);

static intptr_t semihost(intptr_t operation, const void *argument) {
  register intptr_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void print(const char *text) { semihost(4, text); } // SYS_WRITE0

static void leave(uint32_t reason) {
  semihost(0x18, (const void *)(uintptr_t)reason); // SYS_EXIT
  for (;;)
    ;
}

// The compiler calls these (Run-time ABI for the Arm Architecture).
void __aeabi_memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
}

void __aeabi_memclr(void *to, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = 0;
}

void __aeabi_memcpy4(void *to, const void *from, size_t bytes) {
  __aeabi_memcpy(to, from, bytes);
}

void __aeabi_memclr4(void *to, size_t bytes) { __aeabi_memclr(to, bytes); }

static void reset(void) {
  *(volatile uint32_t *)0xe000ed88 |= 0xf << 20; // CPACR: there is an FPU.
  __asm__ volatile("dsb\n\tisb");
  for (uint32_t *word = bss_begin; word < bss_end; ++word)
    *word = 0;
  main();
  leave(0x20026); // ADP_Stopped_ApplicationExit
}

static void fault(void) {
  print("fault\n");
  leave(0x20023); // ADP_Stopped_RunTimeErrorUnknown
}

__attribute__((section(".vectors"), used)) const void *const vectors[] = {
    stack_top, (void *)reset, (void *)fault, (void *)fault,
    (void *)fault, (void *)fault, (void *)fault};
