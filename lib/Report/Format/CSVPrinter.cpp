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

void buffer_merge::printCSV(llvm::raw_ostream &os, const Report &report) {
  os << "id,lower,upper,size,alignment,offset\n";
  for (auto [index, pool] : llvm::enumerate(report.pools)) {
    if (!pool.reason.empty())
      continue;
    std::string prefix =
        makeId(pool.function) + "/" + std::to_string(index + 1) + "/";
    llvm::StringSet<> ids;
    for (auto [number, buffer] : llvm::enumerate(pool.buffers)) {
      std::string id = makeId(buffer.name);
      // `#` is in no name, and no two buffers have one number.
      if (!ids.insert(id).second)
        id += "#" + std::to_string(number + 1);
      os << prefix << id << "," << buffer.begin << "," << buffer.end << ","
         << buffer.size << "," << buffer.alignment << "," << buffer.offset
         << "\n";
    }
  }
}
