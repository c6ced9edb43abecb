//===- TargetPresets.cpp - Targets that are built in ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Target.h"

using namespace buffer_merge;

/// Numbers are those that the named document gives for the program, not for the
/// chip: on NVIDIA GPUs, 1 KiB of the shared memory of each workgroup is the
/// system's. docs/Targets.md says which of them were checked, and how.
static constexpr TargetPreset presets[] = {
    {"ascend-910b",
     "The memories of a cube core and of a vector core of an Ascend 910B, with "
     "the names that PyPTO gives them; sizes and alignments have no source",
     R"({"name": "ascend-910b", "regions": [
  {"name": "mat", "space": "mat", "bytes": "512KiB", "address": 0, "alignment": 32},
  {"name": "left", "space": "left", "bytes": "64KiB", "address": 0, "alignment": 512},
  {"name": "right", "space": "right", "bytes": "64KiB", "address": 0, "alignment": 512},
  {"name": "acc", "space": "acc", "bytes": "128KiB", "address": 0, "alignment": 512},
  {"name": "vec", "space": "vec", "bytes": "192KiB", "address": 0, "alignment": 32}
]})"},
    {"gfx942",
     "The local data share of a workgroup on AMD CDNA 3 (CDNA 3 ISA reference "
     "guide)",
     R"({"name": "gfx942", "regions": [
  {"name": "lds", "space": "workgroup", "bytes": "64KiB", "alignment": 16}
]})"},
    {"sm_80",
     "The shared memory of a thread block on NVIDIA devices of compute "
     "capability 8.0 (CUDA C++ programming guide: technical specifications)",
     R"({"name": "sm_80", "regions": [
  {"name": "shared", "space": "workgroup", "bytes": "163KiB", "alignment": 16}
]})"},
    {"sm_90",
     "The shared memory of a thread block on NVIDIA devices of compute "
     "capability 9.0 (CUDA C++ programming guide: technical specifications)",
     R"({"name": "sm_90", "regions": [
  {"name": "shared", "space": "workgroup", "bytes": "227KiB", "alignment": 16}
]})"},
    {"stm32h743",
     "A Cortex-M7 with tightly coupled data memory and SRAM on the bus (ST "
     "RM0433: memory map); the costs are an estimate",
     R"({"name": "stm32h743", "regions": [
  {"name": "dtcm", "bytes": "128KiB", "address": "0x20000000",
   "storage": "global", "readCost": 1, "writeCost": 1, "alignment": 8},
  {"name": "axi-sram", "bytes": "512KiB", "address": "0x24000000",
   "storage": "global", "readCost": 3, "writeCost": 3, "alignment": 32}
]})"},
};

llvm::ArrayRef<TargetPreset> buffer_merge::getTargetPresets() {
  return presets;
}
