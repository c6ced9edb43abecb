//===- Pass entry points ----------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_PASSES_H
#define BUFFER_MERGE_TRANSFORMS_PASSES_H

#include "buffer-merge/Planning/MergePlanOptions.h"
#include "buffer-merge/Scheduling/ValueParser.h"
#include "buffer-merge/Transforms/RotateCarriedBuffers.h"
#include "mlir/Pass/Pass.h"

// Options of passes name the nearest value of one that there is not.
namespace llvm::cl {
template <>
class parser<buffer_merge::CallPolicy>
    : public buffer_merge::ValueParser<buffer_merge::CallPolicy> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::DynamicPolicy>
    : public buffer_merge::ValueParser<buffer_merge::DynamicPolicy> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::PoolStorage>
    : public buffer_merge::ValueParser<buffer_merge::PoolStorage> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::BarrierPolicy>
    : public buffer_merge::ValueParser<buffer_merge::BarrierPolicy> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::OverCapacityPolicy>
    : public buffer_merge::ValueParser<buffer_merge::OverCapacityPolicy> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::ReusePolicy>
    : public buffer_merge::ValueParser<buffer_merge::ReusePolicy> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::LeftPolicy>
    : public buffer_merge::ValueParser<buffer_merge::LeftPolicy> {
public:
  using ValueParser::ValueParser;
};
template <>
class parser<buffer_merge::SlotPlace>
    : public buffer_merge::ValueParser<buffer_merge::SlotPlace> {
public:
  using ValueParser::ValueParser;
};
} // namespace llvm::cl

// Generated from Passes.td: for each pass a struct with its options,
// `createXPass()` without and with it, and `registerXPass()`; and
// `registerBufferMergePasses()` for all of them.
namespace buffer_merge {
#define GEN_PASS_DECL
#include "buffer-merge/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_PASSES_H
