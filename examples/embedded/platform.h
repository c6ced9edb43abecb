//===- platform.h - What the program needs of the machine ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PLATFORM_H
#define PLATFORM_H

void print(const char *text);

#endif // PLATFORM_H
