//===- ParseBytes.cpp - Numbers of bytes as text --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/ParseBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace buffer_merge;

std::optional<int64_t> buffer_merge::parseBytes(StringRef text) {
  int64_t unit = 1;
  if (text.consume_back("KiB"))
    unit = int64_t(1) << 10;
  else if (text.consume_back("MiB"))
    unit = int64_t(1) << 20;
  else if (text.consume_back("GiB"))
    unit = int64_t(1) << 30;
  int64_t number, bytes;
  if (text.getAsInteger(10, number) || MulOverflow(number, unit, bytes))
    return std::nullopt;
  return bytes;
}
