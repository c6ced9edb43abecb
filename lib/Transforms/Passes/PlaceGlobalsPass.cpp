//===- PlaceGlobalsPass.cpp - The place-globals pass ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Planning/MergePlanOptions.h"
#include "buffer-merge/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace buffer_merge {
#define GEN_PASS_DEF_PLACEGLOBALSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct PlaceGlobalsPass
    : public OptionsPass<
          buffer_merge::impl::PlaceGlobalsPassBase<PlaceGlobalsPass>> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto globals = module->getAttrOfType<DictionaryAttr>(globalsAttrName);
    if (!globals)
      return markAllAnalysesPreserved();
    for (NamedAttribute entry : globals) {
      auto global = dyn_cast<DictionaryAttr>(entry.getValue());
      auto section =
          global ? global.getAs<StringAttr>(sectionName) : StringAttr();
      if (!section)
        continue;
      auto op = module.lookupSymbol<LLVM::GlobalOp>(entry.getName());
      if (op) {
        op.setSectionAttr(section);
        continue;
      }
      emitError(module.getLoc())
          << "there is no llvm.mlir.global '" << entry.getName().getValue()
          << "' to put into section '" << section.getValue()
          << "': run place-globals after finalize-memref-to-llvm";
      return signalPassFailure();
    }
  }
};
} // namespace
