# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of buffer-merge in JSON."""

import json

from ..planner import verify
from ..problem import Problem
from ..runtime import RuntimePool


def read_report(path):
    """Return the verified Plan of each pool of a report that was written with
    `report=FILE.json`, by `FUNCTION/NUMBER`, where the first pool is number 1."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    plans = {}
    for number, pool in enumerate(report["pools"], 1):
        buffers = pool["buffers"]
        gaps = [
            (index, gap["begin"], gap["end"])
            for index, buffer in enumerate(buffers)
            for gap in buffer.get("gaps", ())
        ]
        in_place = [
            (earlier, index, at_any_offset)
            for index, buffer in enumerate(buffers)
            for member, at_any_offset in (("inPlaceOf", 0), ("inPlaceOfAny", 1))
            for earlier in buffer.get(member, ())
        ]
        problem = Problem(
            [buffer["size"] for buffer in buffers],
            [buffer["begin"] for buffer in buffers],
            [buffer["end"] for buffer in buffers],
            alignments=[buffer["alignment"] for buffer in buffers],
            gaps=gaps,
            in_place=in_place,
            names=[buffer["name"] for buffer in buffers],
        )
        offsets = [buffer["offset"] for buffer in buffers]
        name = f"{pool.get('function', pool['scope'])}/{number}"
        plans[name] = verify(problem, offsets)
    return plans


def read_runtime_pools(path):
    """Return the RuntimePool of each pool of run-time size of a report, by
    `FUNCTION/NUMBER`, where the first pool is number 1."""
    with open(path, encoding="utf-8") as file:
        pools = json.load(file).get("runtimePools", [])
    return {
        f"{pool.get('function', '')}/{number}": RuntimePool(
            pool["bytes"], pool.get("alignment", 1)
        )
        for number, pool in enumerate(pools, 1)
    }
