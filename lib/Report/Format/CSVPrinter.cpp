//===- CSVPrinter.cpp - Reports in the scheduling format -----------------===//
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

/// Print the gaps of `buffer` in MiniMalloc's format, `2-5 7-8`, and a comma.
static void printGaps(llvm::raw_ostream &os, const ReportBuffer &buffer,
                      int64_t shift) {
  llvm::interleave(
      buffer.gaps, os,
      [&](const ReportInterval &gap) {
        os << gap.begin + shift << "-" << gap.end + shift;
      },
      " ");
  os << ",";
}

/// Return the penalties of each buffer of `pool`, whose buffers are called
/// `ids`: such as `t1=500 t3=20`.
static llvm::SmallVector<std::string, 0>
formatPenalties(const ReportPool &pool, llvm::ArrayRef<std::string> ids) {
  llvm::SmallVector<std::string, 0> texts(ids.size());
  if (!pool.reuse)
    return texts;
  for (const ReportPenalty &item : pool.reuse->penalties) {
    std::string &text = texts[item.first];
    text += (text.empty() ? "" : " ") + ids[item.second] + "=" +
            std::to_string(item.penalty);
  }
  return texts;
}

static size_t countBuffers(const ReportPool &pool) {
  return llvm::count_if(pool.buffers, [](const ReportBuffer &buffer) {
    return buffer.callee.empty();
  });
}

void buffer_merge::printCSV(llvm::raw_ostream &os, const Report &report) {
  auto hasPairs = [&](std::vector<int64_t> ReportBuffer::*indices) {
    return llvm::any_of(report.pools, [&](const ReportPool &pool) {
      return llvm::any_of(pool.buffers, [&](const ReportBuffer &buffer) {
        return !(buffer.*indices).empty();
      });
    });
  };
  bool hasGaps = llvm::any_of(report.pools, [&](const ReportPool &pool) {
    return llvm::any_of(pool.buffers, [&](const ReportBuffer &buffer) {
      return !buffer.gaps.empty();
    });
  });
  llvm::SmallVector<std::vector<int64_t> ReportBuffer::*> columns;
  os << "id,lower,upper,size,alignment";
  if (hasGaps)
    os << ",gaps";
  if (hasPairs(&ReportBuffer::inPlaceOf)) {
    os << ",in-place";
    columns.push_back(&ReportBuffer::inPlaceOf);
  }
  if (hasPairs(&ReportBuffer::inPlaceOfAny)) {
    os << ",in-place-any";
    columns.push_back(&ReportBuffer::inPlaceOfAny);
  }
  // Without the column the penalties would follow from idle times. A buffer may
  // have none because it waits anyway.
  bool hasPenalties = llvm::any_of(report.pools, [](const ReportPool &pool) {
    return pool.reuse.has_value();
  });
  if (hasPenalties)
    os << ",penalties";
  os << ",offset\n";
  int64_t nextFree = std::numeric_limits<int64_t>::min();
  for (const auto &[index, pool] : llvm::enumerate(report.pools)) {
    // There is nothing to solve. A table without a program may have one row.
    if ((countBuffers(pool) <= 1 && !pool.function.empty()) ||
        pool.storage == "argument")
      continue;
    // A solver knows nothing of pools: it must not see buffers of two of them
    // at one tick.
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
    llvm::SmallVector<std::string, 0> ids = makeBufferIds(pool, index + 1);
    llvm::SmallVector<std::string, 0> penalties = formatPenalties(pool, ids);
    for (const auto &[id, buffer, penalty] :
         llvm::zip_equal(ids, pool.buffers, penalties)) {
      // Where callees are is decided when the offsets of the buffers are known.
      if (!buffer.callee.empty())
        continue;
      os << id << "," << buffer.begin + shift << "," << buffer.end + shift
         << "," << buffer.size << "," << buffer.alignment << ",";
      if (hasGaps)
        printGaps(os, buffer, shift);
      for (auto column : columns) {
        llvm::interleave(
            buffer.*column, os, [&](int64_t other) { os << ids[other]; }, " ");
        os << ",";
      }
      if (hasPenalties)
        os << penalty << ",";
      os << buffer.offset << "\n";
    }
  }
}
