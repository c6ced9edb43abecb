//===- OffsetsOption.cpp - The option `offsets` of passes ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetsOption.h"
#include "FirstSibling.h"
#include "Planning/PoolDecision.h"

#include "buffer-merge/Report/BuildReport.h"
#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/CSV.h"
#include "buffer-merge/Scheduling/Input.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Takes the offsets of one plan from one table.
class OffsetReader {
public:
  OffsetReader(StringRef path, const BufferTable &table, PlanMessages &messages)
      : path(path), table(table), messages(messages), isUsed(table.ids.size()) {
    for (const auto &[row, id] : llvm::enumerate(table.ids))
      rows.try_emplace(id, row);
  }

  /// Fix the offsets of `pool`, whose buffers have these ids.
  LogicalResult readPool(PoolPlan &pool, ArrayRef<std::string> ids);

  /// Fail if a row is left.
  LogicalResult checkAllUsed(Location loc) const;

private:
  Diagnostic &addRowError(Location loc, size_t row) const {
    // The first line has the names of the columns.
    return messages.addError(loc) << path << ":" << row + 2 << ": ";
  }
  LogicalResult checkRow(size_t row, const BufferLifetime &lifetime,
                         const Buffer &buffer, int64_t shift) const;

  StringRef path;
  const BufferTable &table;
  PlanMessages &messages;
  llvm::StringMap<size_t> rows;
  llvm::BitVector isUsed;
};
} // namespace

/// Check that the row says of the buffer what the program says. The ticks of
/// the file are those of the program and `shift` more.
LogicalResult OffsetReader::checkRow(size_t row, const BufferLifetime &lifetime,
                                     const Buffer &buffer,
                                     int64_t shift) const {
  Location loc = lifetime.alloc.getLoc();
  const Buffer &claim = table.problem.buffers[row];
  const std::string &id = table.ids[row];
  if (!claim.fixedOffset)
    return addRowError(loc, row) << "'" << id << "' has no offset";
  if (*claim.fixedOffset > maxBytes - buffer.size)
    return addRowError(loc, row) << "the offset of '" << id
                                 << "' is too large: " << *claim.fixedOffset;
  // Numbers that the file does not have are 0.
  if (claim.size && claim.size != buffer.size)
    return addRowError(loc, row)
           << "'" << id << "' has " << claim.size << " bytes, but "
           << buffer.size << " in the program";
  if (claim.begin != claim.end &&
      (claim.begin != buffer.begin + shift || claim.end != buffer.end + shift))
    return addRowError(loc, row)
           << "'" << id << "' has the lifetime [" << claim.begin << ", "
           << claim.end << "), but [" << buffer.begin + shift << ", "
           << buffer.end + shift << ") in the program";
  return success();
}

LogicalResult OffsetReader::readPool(PoolPlan &pool,
                                     ArrayRef<std::string> ids) {
  SchedulingProblem problem = pool.problem;
  problem.capacity.reset();
  SmallVector<int64_t, 0> offsets;
  std::optional<int64_t> shift;
  for (auto [id, lifetime, buffer] :
       llvm::zip_equal(ids, pool.buffers, problem.buffers)) {
    auto it = rows.find(id);
    if (it == rows.end()) {
      Diagnostic &error = messages.addError(lifetime->alloc.getLoc());
      error << path << ": there is no row for '" << id << "'";
      error.attachNote() << "pools that limit-peak divides, or leaves "
                            "buffers out of, have other rows: write the "
                            "file with limit-peak=none";
      return error;
    }
    size_t row = it->second;
    isUsed.set(row);
    const Buffer &claim = table.problem.buffers[row];
    int64_t difference;
    if (!shift && !llvm::SubOverflow(claim.begin, buffer.begin, difference) &&
        difference >= -maxBytes && difference <= maxBytes)
      shift = difference;
    if (failed(checkRow(row, *lifetime, buffer, shift.value_or(0))))
      return failure();
    offsets.push_back(*claim.fixedOffset);
  }
  Schedule schedule = makeSchedule(problem, std::move(offsets));
  std::optional<ScheduleViolation> violation =
      findScheduleViolation(problem, schedule);
  // As this pass may have written them.
  if (violation && pool.mayAlignLess) {
    pool.problem = alignLess(pool);
    for (auto [buffer, aligned] :
         llvm::zip_equal(problem.buffers, pool.problem.buffers))
      buffer.alignment = aligned.alignment;
    schedule = makeSchedule(problem, std::move(schedule.offsets));
    violation = findScheduleViolation(problem, schedule);
  }
  if (violation) {
    const BufferLifetime *culprit =
        pool.buffers[violation->second ? *violation->second
                                       : violation->first.value_or(0)];
    return messages.addError(culprit->alloc.getLoc())
           << path << ": invalid schedule: "
           << violation->str(SmallVector<std::string, 0>(ids));
  }
  for (auto [buffer, offset] :
       llvm::zip_equal(pool.problem.buffers, schedule.offsets))
    buffer.fixedOffset = offset;
  return success();
}

LogicalResult OffsetReader::checkAllUsed(Location loc) const {
  int row = isUsed.find_first_unset();
  if (row == -1)
    return success();
  return addRowError(loc, row)
         << "no pool of the program has a buffer '" << table.ids[row] << "'";
}

/// Read the offsets of a table, or of a report in JSON.
static llvm::Expected<BufferTable> readOffsets(StringRef path) {
  if (path == "-" || llvm::sys::path::extension(path) != ".json")
    return readOffsetTable(path);
  auto file = readInputFile(path);
  if (!file)
    return llvm::createStringError(
        file.getError(), "'" + path + "': " + file.getError().message());
  llvm::Expected<Report> report = parseReport((*file)->getBuffer());
  if (!report)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(report.takeError()));
  return makeTable(*report);
}

/// Return true if `file` has the buffers of `plan`, each at the same place.
/// Numbers that a file does not have are 0.
static bool haveSameRows(const BufferTable &file, const BufferTable &plan) {
  llvm::StringMap<const Buffer *> rows;
  for (auto [id, buffer] : llvm::zip_equal(plan.ids, plan.problem.buffers))
    rows[id] = &buffer;
  return file.ids.size() == plan.ids.size() &&
         llvm::all_of(
             llvm::zip_equal(file.ids, file.problem.buffers), [&](auto entry) {
               auto &[id, claim] = entry;
               const Buffer *buffer = rows.lookup(id);
               return buffer && claim.fixedOffset &&
                      claim.fixedOffset == buffer->fixedOffset &&
                      (claim.size == 0 || claim.size == buffer->size) &&
                      (claim.begin == claim.end ||
                       (claim.begin == buffer->begin &&
                        claim.end == buffer->end));
             });
}

bool OffsetsOption::haveOffsetsOf(Operation *root,
                                  const MergePlan &plan) const {
  // Standard input can be read once.
  if (path == "-" || root->getParentOp())
    return false;
  llvm::Expected<BufferTable> file = readOffsets(path);
  bool areSame =
      file && haveSameRows(*file, makeTable(buildReport(root, plan, path)));
  // What is wrong with the file is said by whoever takes its offsets.
  llvm::consumeError(file.takeError());
  return areSame;
}

LogicalResult OffsetsOption::fixOffsets(Operation *root, MergePlan &plan,
                                        PlanMessages &messages) const {
  if (root->getParentOp()) {
    if (isFirstSibling(root))
      messages.addError(root->getLoc())
          << "cannot take offsets for a part of a module: with the option "
             "'offsets' the pass must run on the top-level operation";
    return failure();
  }
  // Not earlier: a pass before this one may have written it.
  llvm::Expected<BufferTable> table = readOffsets(path);
  if (!table)
    return messages.addError(root->getLoc())
           << llvm::toString(table.takeError());
  OffsetReader reader(path, *table, messages);
  std::vector<ReportPool> described = describeUnscheduledPools(root, plan);
  size_t number = 0;
  for (PoolPlan &pool : plan.pools) {
    if (pool.getNoPool())
      continue;
    const ReportPool &names = described[number++];
    // A file has no rows for pools of one buffer, and arguments leave no
    // choice.
    if (pool.buffers.size() == 1 || pool.host)
      continue;
    if (failed(reader.readPool(pool, makeBufferIds(names, number))))
      return failure();
  }
  return reader.checkAllUsed(root->getLoc());
}
