//===- TargetTest.cpp - The memories of a target --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Target.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace buffer_merge;

static std::string getTargetError(llvm::StringRef text) {
  llvm::Expected<Target> target = parseTarget(text, "board.json");
  if (target)
    return "none";
  return llvm::toString(target.takeError());
}

TEST(TargetTest, Everything) {
  llvm::Expected<Target> target = parseTarget(R"({
    "name": "board", "description": "two memories",
    "regions": [
      {"name": "tcm", "space": "1", "bytes": "4KiB", "address": "0x20000000",
       "alignment": 8, "granule": 32, "readCost": 2, "writeCost": 0,
       "storage": "global", "section": ".tcm",
       "reserved": [{"begin": 0, "end": 64}, {"begin": "1KiB", "end": 1280},
                    {"begin": 1280, "end": 1300}]},
      {"name": "a", "bytes": 10}, {"name": "b", "bytes": 10}
    ]})",
                                              "board.json");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->name, "board");
  ASSERT_EQ(target->regions.size(), 3u);
  const TargetRegion &tcm = target->regions[0];
  EXPECT_EQ(tcm.name, "tcm");
  EXPECT_EQ(tcm.space, "1");
  EXPECT_EQ(tcm.bytes, 4096);
  EXPECT_EQ(tcm.address, 0x20000000);
  EXPECT_EQ(tcm.alignment, 8);
  EXPECT_EQ(tcm.granule, 32);
  EXPECT_EQ(tcm.readCost, 2);
  EXPECT_EQ(tcm.writeCost, 0);
  EXPECT_EQ(tcm.storage, RegionStorage::Global);
  EXPECT_EQ(tcm.section, ".tcm");
  EXPECT_TRUE(tcm.isStatic());
  EXPECT_THAT(
      tcm.getFreeRanges(),
      testing::ElementsAre(RegionBytes{64, 1024}, RegionBytes{1300, 4096}));
  const TargetRegion &a = target->regions[1], &b = target->regions[2];
  EXPECT_EQ(a.space, "default");
  EXPECT_FALSE(a.isStatic());
  EXPECT_FALSE(a.address || a.alignment || a.storage);
  EXPECT_THAT(a.getFreeRanges(), testing::ElementsAre(RegionBytes{0, 10}));
  // By number within the space.
  EXPECT_EQ(std::pair(a.readCost, a.writeCost), std::pair(1l, 1l));
  EXPECT_EQ(std::pair(b.readCost, b.writeCost), std::pair(2l, 2l));
}

TEST(TargetTest, Errors) {
  auto region = [](llvm::StringRef fields) {
    return ("{\"regions\": [\n  {\"name\": \"r\", \"bytes\": 64" + fields +
            "}\n]}")
        .str();
  };
  EXPECT_EQ(getTargetError(region("")), "none");
  EXPECT_EQ(getTargetError("{\n  1}"), "board.json:2:3: Expected object key");
  EXPECT_EQ(getTargetError(""), "board.json:1:0: Unexpected EOF");
  EXPECT_EQ(getTargetError("[]"),
            "board.json:1:1: expected an object with the keys "
            "name, description, preset, regions, places, threads, stack, "
            "arenas, globals, dynamic, workgroup");
  EXPECT_EQ(getTargetError("{}"), "none");
  EXPECT_EQ(getTargetError("{\"regions\": []}"),
            "board.json:1:13: expected one region or more");
  EXPECT_EQ(getTargetError("{\"regions\": 1}"),
            "board.json:1:13: expected an array");
  EXPECT_EQ(getTargetError("{\"regions\": [1]}"),
            "board.json:1:14: expected an object with the keys name, space, "
            "bytes, address, alignment, granule, reserved, window, readCost, "
            "writeCost, banks, storage, section");
  EXPECT_EQ(getTargetError("{\"regions\": [{\"bytes\": 1}]}"),
            "board.json:1:14: a region has no 'name'");
  EXPECT_EQ(getTargetError("{\"name\": 1, \"regions\": []}"),
            "board.json:1:10: expected a text that is not empty");
  EXPECT_EQ(getTargetError("{\"regions\": [{\"name\": \"a b\"}]}"),
            "board.json:1:23: 'a b' is not a letter and then letters, digits, "
            "_, - and .");
  EXPECT_EQ(getTargetError("{\"regions\": [{\"name\": \"a\"}]}"),
            "board.json:1:14: region 'a' has no 'bytes'");
  EXPECT_EQ(getTargetError("{\"regions\": [{\"name\": \"a\", \"bytes\": 1}, "
                           "{\"name\": \"a\", \"bytes\": 1}]}"),
            "board.json:1:50: there are two regions 'a'");
  EXPECT_EQ(getTargetError(region(", \"size\": 1, \"address\": 1")),
            "board.json:2:38: unknown key 'size', expected one of: name, "
            "space, bytes, address, alignment, granule, reserved, window, "
            "readCost, writeCost, banks, storage, section; the nearest is "
            "'name'");
  EXPECT_EQ(getTargetError(region(", \"bytes\": 1")),
            "board.json:2:39: this key occurs twice");
  EXPECT_EQ(getTargetError(region(", \"address\": \"x\"")),
            "board.json:2:41: expected a number such as 65536, \"64KiB\" or "
            "\"0x20000000\"");
  EXPECT_EQ(getTargetError(region(", \"granule\": 0")),
            "board.json:2:41: granule 0 is not in 1 to 2305843009213693952");
  EXPECT_EQ(getTargetError(region(", \"readCost\": -1")),
            "board.json:2:42: readCost -1 is not in 0 to 1000000");
  EXPECT_EQ(getTargetError(region(", \"alignment\": 24")),
            "board.json:2:43: alignment 24 is not a power of two");
  EXPECT_EQ(getTargetError(region(", \"storage\": \"heap\"")),
            "board.json:2:41: unknown storage 'heap', expected one of: alloc, "
            "stack, global; the nearest is 'stack'");
  EXPECT_EQ(getTargetError(region(", \"section\": \".a b\"")),
            "board.json:2:41: section '.a b' is not a name of letters, digits "
            "and _ . $");
  EXPECT_EQ(getTargetError(region(", \"section\": \".a\"")),
            "board.json:2:41: only a region with the storage global has a "
            "section");
  EXPECT_EQ(getTargetError(region(", \"storage\": \"stack\", \"address\": 0")),
            "board.json:2:41: a region on the stack has no fixed address");
  EXPECT_EQ(getTargetError(region(", \"reserved\": [{\"begin\": 0}]")),
            "board.json:2:43: a reserved range needs 'begin' and 'end', bytes "
            "from the start of the region, and 'begin' is less than 'end'");
  EXPECT_EQ(
      getTargetError(region(", \"reserved\": [{\"begin\": 0, \"end\": 65}]")),
      "board.json:2:63: end 65 is not in 0 to 64");
  EXPECT_EQ(
      getTargetError(region(", \"reserved\": [{\"begin\": 0, \"end\": 64}]")),
      "board.json:2:42: the reserved ranges leave no byte");
  EXPECT_EQ(
      getTargetError(region(", \"reserved\": [{\"begin\": 4, \"end\": 8}, "
                            "{\"begin\": 6, \"end\": 9}]")),
      "board.json:2:67: reserved ranges must be sorted and disjoint");
  EXPECT_EQ(getTargetError("{\"regions\": [\n"
                           "{\"name\": \"a\", \"bytes\": 8, \"address\": 0},\n"
                           "{\"name\": \"b\", \"bytes\": 8, \"address\": 7}]}"),
            "board.json:3:38: regions 'a' and 'b' have addresses in common");
}

TEST(TargetTest, WithoutRegions) {
  Target target = llvm::cantFail(parseTarget(R"({
    "threads": 8, "stack": {"limit": "1KiB"}, "arenas": {"checks": false},
    "dynamic": {"waste": 0},
    "globals": {"name": "net", "linkage": "external", "alignment": 256,
                "section": ".sram", "address": "0x20000000", "memory": "RAM",
                "entries": "exclusive"},
    "workgroup": {"alignment": 128, "spaces": ["3", "shared"],
                  "barrierOps": ["my.barrier"], "barrierGain": "1KiB",
                  "kernelFunctions": true, "assumeForallSync": false,
                  "assumeInitialized": true}})",
                                             "board.json"));
  EXPECT_TRUE(target.regions.empty());
  EXPECT_EQ(target.places, TargetSpaces::Own);
  EXPECT_EQ(target.threads, 8u);
  EXPECT_EQ(target.stackLimit, 1024);
  EXPECT_FALSE(target.arenaChecks);
  EXPECT_EQ(target.dynamicWaste, 0);
  EXPECT_EQ(target.globals.name, "net");
  EXPECT_EQ(target.globals.linkage, GlobalLinkage::External);
  EXPECT_EQ(target.globals.alignment, 256);
  EXPECT_EQ(target.globals.section, ".sram");
  EXPECT_EQ(target.globals.address, 0x20000000u);
  EXPECT_EQ(target.globals.memory, "RAM");
  EXPECT_EQ(target.entries, EntryPolicy::Exclusive);
  EXPECT_EQ(target.workgroup.alignment, 128);
  EXPECT_THAT(target.workgroup.spaces, testing::ElementsAre("3", "shared"));
  EXPECT_THAT(target.workgroup.barrierOps, testing::ElementsAre("my.barrier"));
  EXPECT_EQ(target.workgroup.barrierGain, 1024);
  EXPECT_TRUE(target.workgroup.kernelFunctions);
  EXPECT_FALSE(target.workgroup.assumeForallSync);
  EXPECT_TRUE(target.workgroup.assumeInitialized);
}

TEST(TargetTest, Preset) {
  Target target = llvm::cantFail(
      parseTarget(R"({"preset": "stm32h743", "places": "any"})", "board.json"));
  EXPECT_EQ(target.name, "stm32h743");
  EXPECT_EQ(target.regions.size(), 2u);
  EXPECT_EQ(target.places, TargetSpaces::Any);
  EXPECT_EQ(getTargetError("{\"preset\": \"sm_8\"}"),
            "board.json:1:12: unknown preset 'sm_8', expected one of: "
            "ascend-910b, gfx942, sm_80, sm_90, stm32h743; the nearest is "
            "'sm_80'");
  EXPECT_EQ(getTargetError("{\"preset\": \"sm_80\",\n\"regions\": []}"),
            "board.json:2:12: the preset has regions");
}

TEST(TargetTest, ErrorsWithoutRegions) {
  EXPECT_EQ(getTargetError("{\"places\": \"any\"}"),
            "board.json:1:12: places any needs regions");
  EXPECT_EQ(getTargetError("{\"places\": \"an\"}"),
            "board.json:1:12: unknown places 'an', expected one of: own, any; "
            "the nearest is 'any'");
  EXPECT_EQ(getTargetError("{\"threads\": 0}"),
            "board.json:1:13: threads 0 is not in 1 to 4294967295");
  EXPECT_EQ(getTargetError("{\"stack\": 1}"),
            "board.json:1:11: expected an object with the keys limit");
  EXPECT_EQ(getTargetError("{\"arenas\": {\"checks\": 0}}"),
            "board.json:1:23: expected true or false");
  EXPECT_EQ(getTargetError("{\"globals\": {\"memory\": \"RAM\"}}"),
            "board.json:1:13: 'address' and 'memory' need a 'section'");
  EXPECT_EQ(getTargetError("{\"globals\": {\"linkage\": \"weak\"}}"),
            "board.json:1:25: unknown linkage 'weak', expected one of: "
            "private, public, external; the nearest is 'private'");
  EXPECT_EQ(getTargetError("{\"workgroup\": {\"spaces\": [3]}}"),
            "board.json:1:27: expected a text that is not empty");
  // Nothing is read after an error.
  EXPECT_EQ(getTargetError("{\"stack\": {\"limt\": 1},\n"
                           "\"dynamic\": {\"waste\": -1}}"),
            "board.json:1:20: unknown key 'limt', expected one of: limit; the "
            "nearest is 'limit'");
}

TEST(TargetTest, Window) {
  auto parse = [](llvm::StringRef fields) {
    return parseTarget(
        ("{\"regions\": [{\"name\": \"r\", \"bytes\": 64,\n" + fields + "}]}")
            .str(),
        "board.json");
  };
  auto getFree = [&](llvm::StringRef fields) {
    return llvm::cantFail(parse(fields)).regions.front().getFreeRanges();
  };
  auto getWrong = [&](llvm::StringRef fields) {
    return llvm::toString(parse(fields).takeError());
  };
  EXPECT_THAT(getFree(R"("window": {"begin": 8, "end": "0x20"})"),
              testing::ElementsAre(RegionBytes{8, 32}));
  EXPECT_THAT(getFree(R"("window": {"begin": 8, "end": 48},
                         "reserved": [{"begin": 0, "end": 4},
                                      {"begin": 6, "end": 10},
                                      {"begin": 20, "end": 24},
                                      {"begin": 40, "end": 60}])"),
              testing::ElementsAre(RegionBytes{10, 20}, RegionBytes{24, 40}));
  EXPECT_EQ(getWrong(R"("window": {"begin": 8})"),
            "board.json:2:11: a window needs 'begin' and 'end', bytes from the "
            "start of the region, and 'begin' is less than 'end'");
  EXPECT_EQ(getWrong(R"("window": {"begin": 8, "end": 65})"),
            "board.json:2:31: end 65 is not in 0 to 64");
  EXPECT_EQ(getWrong(R"("window": {"begin": 8, "end": 16},
"reserved": [{"begin": 0, "end": 32}])"),
            "board.json:3:13: the reserved ranges leave no byte of the window");
}

TEST(TargetTest, Banks) {
  auto parse = [](llvm::StringRef banks) {
    return parseTarget(
        ("{\"regions\": [{\"name\": \"r\", \"bytes\": 64,\n\"banks\": " +
         banks + "}]}")
            .str(),
        "board.json");
  };
  auto getBanks = [&](llvm::StringRef banks) {
    return llvm::cantFail(parse(banks)).regions[0].banks;
  };
  EXPECT_EQ(getBanks("{\"count\": 4, \"bytes\": 16}"),
            (BankGeometry{4, 16, /*areInterleaved=*/false}));
  EXPECT_EQ(getBanks("{\"count\": 4, \"interleave\": \"8\"}"),
            (BankGeometry{4, 8, /*areInterleaved=*/true}));
  auto getBanksError = [&](llvm::StringRef banks) {
    return llvm::toString(parse(banks).takeError());
  };
  EXPECT_EQ(getBanksError("4"),
            "board.json:2:10: expected an object with the keys "
            "count, bytes, interleave");
  EXPECT_EQ(getBanksError("{\"width\": 4}"),
            "board.json:2:20: unknown key 'width', expected one of: count, "
            "bytes, interleave; the nearest is 'count'");
  std::string needs =
      "board.json:2:10: banks need 'count', and either 'bytes', if each is one "
      "range of them, or 'interleave', the bytes before the next one";
  EXPECT_EQ(getBanksError("{\"bytes\": 4}"), needs);
  EXPECT_EQ(getBanksError("{\"count\": 4}"), needs);
  EXPECT_EQ(getBanksError("{\"count\": 4, \"bytes\": 16, \"interleave\": 4}"),
            needs);
  EXPECT_EQ(getBanksError("{\"count\": 1, \"bytes\": 64}"),
            "board.json:2:20: count 1 is not in 2 to 65536");
  EXPECT_EQ(getBanksError("{\"count\": 4, \"interleave\": 0}"),
            "board.json:2:37: interleave 0 is not in 1 to 2305843009213693952");
  EXPECT_EQ(
      getBanksError("{\"count\": 4, \"interleave\": 17}"),
      "board.json:2:10: 4 banks of 17 bytes are more than the region has");
  EXPECT_EQ(
      getBanksError("{\"count\": 4, \"bytes\": 15}"),
      "board.json:2:10: 4 banks of 15 bytes are less than the region has");
}

TEST(TargetTest, Load) {
  for (const TargetPreset &preset : getTargetPresets()) {
    llvm::Expected<Target> target = loadTarget(preset.name);
    ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
    EXPECT_EQ(target->name, preset.name);
  }
  EXPECT_TRUE(llvm::is_sorted(
      getTargetPresets(), [](auto &a, auto &b) { return a.name < b.name; }));
  llvm::Expected<Target> target =
      loadTarget(R"({"regions": [{"name": "a", "bytes": 1}]})");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->regions[0].name, "a");
  EXPECT_EQ(llvm::toString(loadTarget("{").takeError()),
            "target:1:1: Expected object key");
  EXPECT_EQ(llvm::toString(loadTarget("/nowhere/sm_70").takeError()),
            "cannot read target '/nowhere/sm_70': No such file or directory; "
            "the presets are: ascend-910b, gfx942, sm_80, sm_90, stm32h743; "
            "the nearest is 'sm_80'");
}
