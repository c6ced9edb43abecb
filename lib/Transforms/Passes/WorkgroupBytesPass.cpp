//===- WorkgroupBytesPass.cpp - The workgroup-bytes pass ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Scheduling/Input.h"
#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/WorkgroupBytes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"

namespace buffer_merge {
#define GEN_PASS_DEF_WORKGROUPBYTESPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

/// Return the number of the argument that `name`, such as `arg2`, stands for.
static std::optional<unsigned> parseArgument(StringRef name,
                                             FunctionOpInterface function) {
  unsigned number;
  if (!name.consume_front("arg") || name.getAsInteger(10, number) ||
      number >= function.getNumArguments() ||
      !function.getArgument(number).getType().isSignlessIntOrIndex())
    return std::nullopt;
  return number;
}

/// Set `sizes` to the table `text`: names of arguments, and a row of values for
/// each configuration. Return what is wrong, or nothing.
static std::string parseSizes(StringRef text, KernelSizes &sizes) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    SmallVector<StringRef> cells;
    line.split(cells, ',');
    auto fail = [&, number = number](const Twine &what) {
      return ("line " + Twine(number + 1) + ": " + what).str();
    };
    if (sizes.arguments.empty()) {
      for (StringRef cell : cells) {
        std::optional<unsigned> argument =
            parseArgument(cell.trim(), sizes.function);
        if (!argument)
          return fail("'" + cell.trim() +
                      "' is no argument of index or "
                      "integer type, such as arg2");
        if (llvm::is_contained(sizes.arguments, *argument))
          return fail("'" + cell.trim() + "' has two columns");
        sizes.arguments.push_back(*argument);
      }
      continue;
    }
    if (cells.size() != sizes.arguments.size())
      return fail(Twine(cells.size()) + " values for " +
                  Twine(sizes.arguments.size()) + " columns");
    SmallVector<int64_t> &values = sizes.configurations.emplace_back();
    for (auto [argument, cell] : llvm::zip_equal(sizes.arguments, cells)) {
      Type type = sizes.function.getArgument(argument).getType();
      unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
      int64_t &value = values.emplace_back();
      if (cell.trim().getAsInteger(10, value) ||
          (width < 64 && !llvm::isIntN(width, value)))
        return fail("'" + cell.trim() + "' is no number of the type of arg" +
                    Twine(argument));
    }
  }
  return sizes.configurations.empty() ? "it has no row of values" : "";
}

namespace {
struct WorkgroupBytesPass
    : public PlanPass<
          buffer_merge::impl::WorkgroupBytesPassBase<WorkgroupBytesPass>> {
  using PlanPass::PlanPass;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (!report.empty() || !emitHeader.empty() || !offsets.empty())
      return emitError(loc)
             << "workgroup-bytes plans each configuration for itself: there is "
                "nothing for 'report', 'emit-header' and 'offsets'";
    if (function.empty() || sizes.empty())
      return emitError(loc) << "workgroup-bytes needs 'function' and 'sizes'";
    return PlanPass::initialize(context);
  }

  void runOnOperation() override {
    if (failed(namedSpaces.check(getOperation())) || failed(print()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult print() {
    Operation *root = getOperation();
    Location loc = root->getLoc();
    SmallVector<StringRef> names;
    StringRef(function).split(names, "::");
    SmallVector<FlatSymbolRefAttr> nested;
    for (StringRef name : ArrayRef(names).drop_front())
      nested.push_back(FlatSymbolRefAttr::get(&getContext(), name));
    auto found =
        dyn_cast_or_null<FunctionOpInterface>(SymbolTable::lookupSymbolIn(
            root, SymbolRefAttr::get(&getContext(), names.front(), nested)));
    if (!found || found.isExternal() ||
        !found->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return emitError(loc) << "there is no function '" << function
                            << "' with a body; one in a module is "
                               "MODULE::FUNCTION";
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
        readInputFile(sizes);
    if (!file)
      return emitError(loc)
             << "cannot read '" << sizes << "': " << file.getError().message();
    KernelSizes kernel;
    kernel.function = found;
    if (std::string error = parseSizes((*file)->getBuffer(), kernel);
        !error.empty())
      return emitError(loc) << "'" << sizes << "': " << error;
    FailureOr<SmallVector<WorkgroupBytes, 0>> result =
        computeWorkgroupBytes(root, kernel, getMergeOptions());
    if (failed(result))
      return failure();
    for (unsigned argument : kernel.arguments)
      llvm::outs() << "arg" << argument << ",";
    llvm::outs() << "bytes\n";
    bool isWarned = false;
    for (auto [values, bytes] :
         llvm::zip_equal(kernel.configurations, *result)) {
      for (int64_t value : values)
        llvm::outs() << value << ",";
      if (bytes.bytes)
        llvm::outs() << *bytes.bytes;
      llvm::outs() << "\n";
      if (bytes.unknown && !std::exchange(isWarned, true))
        emitWarning(*bytes.unknown)
            << "its size is not known from the arguments in '" << sizes << "'";
    }
    llvm::outs().flush();
    return success();
  }
};
} // namespace
