//===- CheckWorkgroupRacesPass.cpp - The check-workgroup-races pass ------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/WorkgroupRaces.h"
#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"

namespace buffer_merge {
#define GEN_PASS_DEF_CHECKWORKGROUPRACESPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct CheckWorkgroupRacesPass
    : public KernelPass<buffer_merge::impl::CheckWorkgroupRacesPassBase<
          CheckWorkgroupRacesPass>> {
  using KernelPass::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    return translate(context, options);
  }

  void runOnOperation() override {
    if (failed(namedSpaces.check(getOperation())))
      return signalPassFailure();
    WorkgroupRaces found = findWorkgroupRaces(getOperation(), calls, options);
    for (const WorkgroupRace &race : found.races) {
      InFlightDiagnostic error =
          race.to->emitError()
          << "race in workgroup memory: " << getRuleName(race.rule) << ", "
          << getRuleDescription(race.rule);
      error.attachNote(race.from->getLoc()) << "the other access";
      error.attachNote(race.first.getLoc()) << "the bytes of this value";
      error.attachNote(race.second.getLoc()) << "and of this one overlap";
    }
    for (const UnknownWorkgroupUse &unknown : found.unknownUses) {
      InFlightDiagnostic diagnostic =
          strict ? unknown.op->emitError() : unknown.op->emitRemark();
      diagnostic << "not checked for races in workgroup memory: what '"
                 << unknown.op->getName() << "' means for them is not known";
      diagnostic.attachNote(unknown.first.getLoc())
          << "the bytes of this value";
      diagnostic.attachNote(unknown.second.getLoc())
          << "and of this one may overlap";
    }
    if (!found.races.empty() || (strict && !found.unknownUses.empty()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  WorkgroupOptions options;
};
} // namespace
