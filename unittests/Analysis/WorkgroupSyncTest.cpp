//===- Tests of what barriers keep apart ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/WorkgroupSync.h"
#include "Analysis/CalleeSummaries.h"
#include "KernelFixture.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
class WorkgroupSyncTest : public KernelFixture {
protected:
  /// Analyze a kernel with the buffers `%a` and `%b` and then `body`.
  WorkgroupSync analyze(StringRef body) {
    parseKernel(
        ("%a = memref.alloc() : !wg %b = memref.alloc() : !wg\n" + body).str());
    SmallVector<WorkgroupSync::Aliases> objects;
    module->walk(
        [&](memref::AllocOp alloc) { objects.push_back({alloc.getResult()}); });
    return WorkgroupSync(getKernel(), objects, CalleeSummaries(),
                         Uniformity(getKernel(), {}), WorkgroupOptions());
  }

  /// Return the names of the rules that keep `%a` and `%b` apart.
  std::vector<std::string> findRules(StringRef body) {
    std::vector<std::string> rules;
    WorkgroupSync sync = analyze(body);
    auto conflicts = sync.findConflicts();
    for (const SyncConflict &conflict : *conflicts)
      rules.push_back(getRuleName(conflict.rule).str());
    return rules;
  }
};

using Rules = std::vector<std::string>;
const char storeA[] = "memref.store %x, %a[%t] : !wg\n";
const char storeB[] = "memref.store %x, %b[%t] : !wg\n";
const char barrier[] = "gpu.barrier\n";
const char loop[] = "scf.for %i = %c0 to %n step %c1 {\n";

TEST_F(WorkgroupSyncTest, Rules) {
  auto join = [](std::initializer_list<StringRef> parts) {
    return llvm::join(parts, "");
  };
  EXPECT_EQ(findRules(join({storeA, storeB})), Rules({"no-barrier"}));
  EXPECT_EQ(findRules(join({storeA, barrier, storeB})), Rules());
  EXPECT_EQ(findRules(join({loop, storeA, barrier, storeB, "}"})),
            Rules({"back-edge"}));
  EXPECT_EQ(findRules(join({loop, storeA, barrier, storeB, barrier, "}"})),
            Rules());
  // The loop may have no iteration.
  EXPECT_EQ(findRules(join({storeA, loop, barrier, "}", storeB})),
            Rules({"no-barrier"}));
  EXPECT_EQ(findRules(join({storeA, "scf.for %i = %c0 to %c8 step %c1 {\n",
                            barrier, "}", storeB})),
            Rules());
  EXPECT_EQ(findRules(join({"%c = arith.cmpi slt, %t, %n : index scf.if %c {\n",
                            storeA, barrier, storeB, "}"})),
            Rules({"divergent"}));
  EXPECT_EQ(findRules(join({"memref.prefetch %a[%c0], read, locality<3>, data"
                            " : !wg\n",
                            storeB})),
            Rules());
  EXPECT_EQ(findRules("%v = memref.load %a[%t] : !wg\n"
                      "%w = memref.load %b[%t] : !wg"),
            Rules());
}

TEST_F(WorkgroupSyncTest, Copies) {
  std::string copy = "%g = memref.alloca() : memref<8xf32>\n"
                     "%k = nvgpu.device_async_copy %g[%t], %a[%t], 1 : "
                     "memref<8xf32> to !wg\n";
  std::string group = "%e = nvgpu.device_async_create_group %k\n";
  std::string wait = "nvgpu.device_async_wait %e\n";
  EXPECT_EQ(findRules(copy + group + barrier + storeB), Rules({"in-flight"}));
  EXPECT_EQ(findRules(copy + group + barrier + wait + storeB),
            Rules({"no-barrier"}));
  EXPECT_EQ(findRules(copy + group + wait + barrier + storeB), Rules());
  EXPECT_EQ(findRules(copy + group +
                      "nvgpu.device_async_wait %e {numGroups = 1 : i32}\n" +
                      barrier + storeB),
            Rules({"in-flight"}));
}

TEST_F(WorkgroupSyncTest, BarrierPlaces) {
  WorkgroupSync sync =
      analyze(std::string(loop) + storeA +
              "%c = arith.cmpi slt, %t, %n : index\n"
              "scf.if %c { memref.store %x, %b[%t] {name = \"store\"} : !wg\n"
              "} {name = \"branch\"} } {name = \"loop\"}");
  Operation *store = find("store"), *branch = find("branch");
  EXPECT_EQ(sync.findBarrierPlace(store, /*outsideLoops=*/false), branch);
  EXPECT_EQ(sync.findBarrierPlace(store, /*outsideLoops=*/true), find("loop"));
  EXPECT_EQ(sync.findConflicts()->size(), 1u);
  // From the branch to the next iteration there is none yet.
  EXPECT_EQ(sync.findConflicts({}, {branch})->size(), 1u);
  SmallVector<Operation *> places =
      sync.findBarrierPlaces(/*outsideLoops=*/false);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[1], branch);
  EXPECT_TRUE(sync.findConflicts({}, {places.begin(), places.end()})->empty());
}

TEST_F(WorkgroupSyncTest, Iterations) {
  auto count = [&](StringRef body) {
    parseKernel((loop + ("%a = memref.alloc() : !wg\n" + body) + "}").str());
    SmallVector<WorkgroupSync::Aliases> objects;
    module->walk(
        [&](memref::AllocOp op) { objects.push_back({op.getResult()}); });
    return WorkgroupSync(getKernel(), objects, CalleeSummaries(),
                         Uniformity(getKernel(), {}), WorkgroupOptions())
        .findRacesOfIterations()
        .size();
  };
  EXPECT_EQ(count(storeA), 1u);
  EXPECT_EQ(count(std::string(storeA) + barrier), 0u);
  EXPECT_EQ(count(std::string(barrier) + storeA), 0u);
  EXPECT_EQ(count("%v = memref.load %a[%t] : !wg"), 0u);
}

TEST_F(WorkgroupSyncTest, OnlyPairsOfInterest) {
  WorkgroupSync sync = analyze(std::string(storeA) + storeB + barrier);
  EXPECT_EQ(sync.getNumObjects(), 2u);
  EXPECT_EQ(sync.getBarriers().size(), 1u);
  EXPECT_TRUE(
      sync.findConflicts([](unsigned, unsigned) { return false; })->empty());
}
} // namespace
