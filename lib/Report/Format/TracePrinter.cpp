//===- TracePrinter.cpp - Reports as traces ------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Trace Event Format of Chrome, which Perfetto reads as well. A pool is a
// process, a tick a microsecond, the bytes that are alive a counter, and a
// buffer a slice. Slices of one thread must nest, so each buffer is on the
// first thread that is free for its whole lifetime.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <set>

using namespace buffer_merge;

/// Return a lane for each buffer of `pool`, such that no two in one lane are
/// alive at the same tick, not even in their gaps.
static std::vector<int64_t> assignLanes(const ReportPool &pool) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (auto [index, buffer] : llvm::enumerate(pool.buffers))
    order.emplace_back(buffer.begin, index);
  llvm::sort(order);
  std::vector<int64_t> lanes(pool.buffers.size());
  std::set<std::pair<int64_t, int64_t>> used;
  std::set<int64_t> free;
  for (auto [begin, index] : order) {
    while (!used.empty() && used.begin()->first <= begin) {
      free.insert(used.begin()->second);
      used.erase(used.begin());
    }
    int64_t lane = used.size() + free.size();
    if (!free.empty()) {
      lane = *free.begin();
      free.erase(free.begin());
    }
    used.emplace(pool.buffers[index].end, lane);
    lanes[index] = lane;
  }
  return lanes;
}

/// Return the changes of the number of live bytes, by tick.
static std::map<int64_t, int64_t> findChanges(const ReportPool &pool) {
  std::map<int64_t, int64_t> changes;
  auto add = [&](int64_t begin, int64_t end, int64_t size) {
    changes[begin] += size;
    changes[end] -= size;
  };
  for (const ReportBuffer &buffer : pool.buffers) {
    add(buffer.begin, buffer.end, buffer.size);
    for (const ReportInterval &gap : buffer.gaps)
      add(gap.begin, gap.end, -buffer.size);
  }
  return changes;
}

/// Print what all events have.
static void printHead(llvm::json::OStream &json, llvm::StringRef phase,
                      llvm::StringRef name, int64_t process) {
  json.attribute("ph", phase);
  json.attribute("name", name);
  json.attribute("pid", process);
}

/// Print an event that names a process or a thread.
static void printName(llvm::json::OStream &json, llvm::StringRef kind,
                      int64_t process, int64_t thread, llvm::StringRef name) {
  json.object([&] {
    printHead(json, "M", kind, process);
    json.attribute("tid", thread);
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
}

static void printSlice(llvm::json::OStream &json, const ReportBuffer &buffer,
                       int64_t process, int64_t lane) {
  printHead(json, "X", buffer.getTitle(), process);
  json.attribute("tid", lane + 1);
  json.attribute("ts", buffer.begin);
  json.attribute("dur", buffer.end - buffer.begin);
  llvm::StringRef operation = getOperationName(buffer.firstAccess);
  json.attribute("cat", operation.empty() ? "buffer" : operation);
  json.attributeObject("args", [&] {
    json.attribute("bytes", buffer.size);
    json.attribute("offset", buffer.offset);
    json.attribute("type", buffer.type);
    json.attribute("location", buffer.location);
    json.attribute("firstAccess", buffer.firstAccess);
    json.attribute("lastAccess", buffer.lastAccess);
  });
}

static void printPool(llvm::json::OStream &json, const ReportPool &pool,
                      int64_t process) {
  std::string name = pool.function.empty() ? "" : "@" + pool.function + " ";
  name += pool.scope;
  if (!pool.memorySpace.empty())
    name += ", memory space " + pool.memorySpace;
  printName(json, "process_name", process, 0, name);
  std::vector<int64_t> lanes = assignLanes(pool);
  for (int64_t lane = 0, end = *llvm::max_element(lanes); lane <= end; ++lane)
    printName(json, "thread_name", process, lane + 1,
              "buffers " + std::to_string(lane + 1));
  auto printCounter = [&](llvm::StringRef name, int64_t tick, int64_t bytes) {
    json.object([&] {
      printHead(json, "C", name, process);
      json.attribute("ts", tick);
      json.attributeObject("args", [&] { json.attribute("bytes", bytes); });
    });
  };
  std::map<int64_t, int64_t> changes = findChanges(pool);
  int64_t live = 0;
  for (auto [tick, change] : changes)
    if (change != 0)
      printCounter("live", tick, live += change);
  printCounter("pool", changes.begin()->first, pool.poolSize);
  printCounter("pool", changes.rbegin()->first, 0);
  for (auto [buffer, lane] : llvm::zip_equal(pool.buffers, lanes))
    json.object([&, &buffer = buffer, lane = lane] {
      printSlice(json, buffer, process, lane);
    });
}

void buffer_merge::printTrace(llvm::raw_ostream &os, const Report &report) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      for (auto [index, pool] : llvm::enumerate(report.pools))
        if (!pool.buffers.empty())
          printPool(json, pool, int64_t(index) + 1);
    });
  });
  os << "\n";
}
