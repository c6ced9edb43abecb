//===- FunctionSummary.cpp - A report, function by function --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace buffer_merge;

std::string buffer_merge::describePoolKind(const ReportPool &pool) {
  if (pool.memorySpace.empty())
    return pool.scope;
  return pool.scope + " in memory space " + pool.memorySpace;
}

llvm::SmallVector<FunctionSummary, 0>
buffer_merge::summarize(const Report &report) {
  llvm::SmallVector<FunctionSummary, 0> functions;
  llvm::StringMap<size_t> indices;
  auto getFunction = [&](llvm::StringRef name) -> FunctionSummary & {
    auto [it, isNew] = indices.try_emplace(name, functions.size());
    if (isNew)
      functions.push_back({name});
    return functions[it->second];
  };
  std::map<std::pair<llvm::StringRef, std::string>, unsigned> poolCounts;
  for (auto [poolIndex, pool] : llvm::enumerate(report.pools)) {
    if (!pool.reason.empty())
      continue;
    FunctionSummary &function = getFunction(pool.function);
    std::string kind = describePoolKind(pool);
    unsigned number = poolCounts[{pool.function, kind}]++;
    function.bytes += pool.poolSize;
    function.pools.push_back({{kind, number}, pool.poolSize});
    for (auto [index, buffer, sharers] :
         llvm::enumerate(pool.buffers, countSharers(pool)))
      function.buffers.push_back({buffer.name,
                                  getOperationName(buffer.firstAccess),
                                  buffer.type, buffer.size, "", buffer.offset,
                                  sharers, std::pair(poolIndex, index)});
  }
  for (const ReportReason &reason : report.left)
    for (const ReportLeft &buffer : reason.buffers) {
      FunctionSummary &function = getFunction(buffer.function);
      function.bytes += buffer.size;
      ++function.numLeft;
      function.buffers.push_back(
          {buffer.name, "", buffer.type, buffer.size, reason.name});
    }
  return functions;
}
