//===- Verbose.cpp - What merging does, in one line -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verbose.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace buffer_merge;

static llvm::cl::opt<bool>
    verbose("v", llvm::cl::desc("Print what buffer-merge does, in one line on "
                                "standard error: its report 'summary'"));

bool buffer_merge::isVerbose() { return verbose; }

/// Return true if the option `report` of `pass` asks for the summary.
static bool hasSummary(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass.printAsTextualPipeline(os);
  StringRef reports = StringRef(text).split(" report=").second;
  if (reports.empty())
    reports = StringRef(text).split("{report=").second;
  reports = reports.take_until([](char c) { return c == ' ' || c == '}'; });
  return llvm::is_contained(llvm::split(reports.ltrim('{'), ','), "summary");
}

static LogicalResult addSummaries(PassManager &pm) {
  auto fail = [](const Twine &message) {
    llvm::WithColor::error(llvm::errs(), "buffer-merge-opt") << message << "\n";
    return failure();
  };
  bool isPrinted = false;
  for (Pass &pass : pm.getPasses()) {
    StringRef name = pass.getArgument();
    if (name != "buffer-merge" && name != "buffer-lifetimes")
      continue;
    isPrinted = true;
    if (!hasSummary(pass) &&
        failed(pass.initializeOptions("report=summary", fail)))
      return failure();
  }
  if (isPrinted)
    return success();
  return fail("the option '-v' needs buffer-merge or buffer-lifetimes on the "
              "top-level operation");
}

void buffer_merge::printSummaries(MlirOptMainConfig &config) {
  config.setPassPipelineSetupFn([given = config](PassManager &pm) {
    return success(succeeded(given.setupPassPipeline(pm)) &&
                   succeeded(addSummaries(pm)));
  });
}
