//===- Table.cpp - Reports as tables of buffers --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace buffer_merge;

/// Return `name` with `_` for whatever the format, which knows no quotes, could
/// not carry.
static std::string makeId(llvm::StringRef name) {
  std::string id = name.str();
  for (char &c : id)
    if (!llvm::isAlnum(c) && !llvm::StringRef("%@_$.:-<>()[]").contains(c))
      c = '_';
  return id;
}

llvm::SmallVector<std::string, 0>
buffer_merge::makeBufferIds(const ReportPool &pool, size_t number) {
  std::string prefix =
      makeId(pool.function) + "/" + std::to_string(number) + "/";
  llvm::StringSet<> names;
  llvm::SmallVector<std::string, 0> ids;
  for (const auto &[index, buffer] : llvm::enumerate(pool.buffers)) {
    std::string name = makeId(buffer.name);
    // `#` is in no name, and no two buffers have one number.
    if (!names.insert(name).second)
      name += "#" + std::to_string(index + 1);
    ids.push_back(prefix + name);
  }
  return ids;
}

static size_t countBuffers(const ReportPool &pool) {
  return llvm::count_if(pool.buffers, [](const ReportBuffer &buffer) {
    return buffer.callee.empty();
  });
}

/// Return by how much the ticks of `pool` are shifted to come after `nextFree`,
/// which becomes the end of the pool: a solver knows nothing of pools, and must
/// not see buffers of two of them at one tick.
static int64_t shiftTicks(const ReportPool &pool, int64_t &nextFree) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  for (const ReportBuffer &buffer : pool.buffers) {
    begin = std::min(begin, buffer.begin);
    end = std::max(end, buffer.end);
  }
  int64_t shift = 0;
  // Numbers that large are in no program, but a report may be read.
  if (begin < nextFree && (llvm::SubOverflow(nextFree, begin, shift) ||
                           llvm::AddOverflow(end, shift, nextFree)))
    shift = 0;
  nextFree = end + shift;
  return shift;
}

/// Add the buffers of `pool`, which are called `ids`, to `table`, `shift` ticks
/// later.
static void addPool(BufferTable &table, const ReportPool &pool,
                    llvm::ArrayRef<std::string> ids, int64_t shift) {
  // Where callees are is decided when the offsets of the buffers are known.
  llvm::SmallVector<std::optional<BufferId>, 0> rows;
  for (auto [id, buffer] : llvm::zip_equal(ids, pool.buffers)) {
    rows.emplace_back();
    if (!buffer.callee.empty())
      continue;
    rows.back() = table.ids.size();
    table.ids.push_back(id);
    Buffer &row = table.problem.buffers.emplace_back();
    row.begin = buffer.begin + shift;
    row.end = buffer.end + shift;
    row.size = buffer.size;
    row.alignment = buffer.alignment;
    row.fixedOffset = buffer.offset;
    for (const ReportInterval &gap : buffer.gaps)
      row.gaps.push_back({gap.begin + shift, gap.end + shift});
  }
  auto addPairs = [&](size_t later, llvm::ArrayRef<int64_t> others,
                      InPlaceCondition condition) {
    for (int64_t other : others)
      if (rows[other] && rows[later])
        table.problem.inPlacePairs.push_back(
            {*rows[other], *rows[later], condition});
  };
  for (auto [index, buffer] : llvm::enumerate(pool.buffers)) {
    addPairs(index, buffer.inPlaceOf, InPlaceCondition::SameOffset);
    addPairs(index, buffer.inPlaceOfAny, InPlaceCondition::AnyOffset);
  }
  if (pool.reuse)
    for (const ReportPenalty &item : pool.reuse->penalties)
      if (rows[item.first] && rows[item.second])
        table.penalties->push_back(
            {*rows[item.first], *rows[item.second], item.penalty});
}

BufferTable buffer_merge::makeTable(const Report &report) {
  BufferTable table;
  // Without the column the penalties would follow from idle times. A buffer may
  // have none because it waits anyway.
  if (llvm::any_of(report.pools, [](const ReportPool &pool) {
        return pool.reuse.has_value();
      }))
    table.penalties.emplace();
  int64_t nextFree = std::numeric_limits<int64_t>::min();
  for (const auto &[index, pool] : llvm::enumerate(report.pools)) {
    // There is nothing to solve. A table without a program may have one row.
    if ((countBuffers(pool) <= 1 && !pool.function.empty()) ||
        pool.storage == "argument" || pool.storage == "result")
      continue;
    int64_t shift = shiftTicks(pool, nextFree);
    addPool(table, pool, makeBufferIds(pool, index + 1), shift);
  }
  return table;
}

void buffer_merge::printCSV(llvm::raw_ostream &os, const Report &report) {
  printBufferTable(os, makeTable(report), /*offsets=*/{}, /*isPlan=*/true);
}
