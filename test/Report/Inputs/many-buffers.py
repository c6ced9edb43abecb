"""Print a report on a generated program, as JSON.

many-buffers.py [--buffers=N] [--long-names] [--pools=N]

The program is a chain of layers with a residual: what a network looks like. The same
arguments give the same report.
"""

import argparse
import json

OPERATIONS = [
    ("linalg.fill", "1x56x56x{}xf32"),
    ("linalg.conv_2d_nhwc_hwcf", "1x28x28x{}xf32"),
    ("linalg.generic", "1x28x28x{}xf32"),
    ("linalg.matmul", "384x{}xf32"),
    ("linalg.pooling_nhwc_max", "1x14x14x{}xf32"),
    ("memref.copy", "{}xf32"),
]


def place(buffers):
    """Give each buffer the lowest offset that is free during its lifetime."""
    alive = []
    for buffer in buffers:
        alive = [other for other in alive if other["end"] > buffer["begin"]]
        offset = 0
        for other in sorted(alive, key=lambda other: other["offset"]):
            if offset + buffer["size"] <= other["offset"]:
                break
            offset = max(offset, other["offset"] + other["size"])
        buffer["offset"] = offset
        alive.append(buffer)


def make_buffers(count, long_names):
    buffers = []
    for i in range(count):
        layer, step = divmod(i, 10)
        operation, shape = OPERATIONS[(i * 7 + layer) % len(OPERATIONS)]
        channels = 64 << (i * 5 + layer) % 3
        begin = 2 * i
        name = f"%alloc_{i}"
        if long_names:
            name = f"encoder/layer_{layer}/attention/output/%tensor_{i}"
        buffers.append(
            {
                "name": name,
                "type": f"memref<{shape.format(channels)}>",
                "location": f"a/long/path/to/the/program/model.mlir:{10 + 3 * i}:5",
                "size": 4096 * (1 + (i * 7919) % 13),
                "alignment": 1,
                "begin": begin,
                # Each tenth one is a residual, which skips the layer.
                "end": begin + (24 if step == 0 else 5),
                "offset": 0,
                "firstAccess": f"{operation} at model.mlir:{11 + 3 * i}:5",
                "lastAccess": f"linalg.generic at model.mlir:{17 + 3 * i}:5",
            }
        )
    place(buffers)
    return buffers


def make_pool(number, arguments):
    buffers = make_buffers(arguments.buffers, arguments.long_names)
    changes = {}
    for buffer in buffers:
        changes[buffer["begin"]] = changes.get(buffer["begin"], 0) + buffer["size"]
        changes[buffer["end"]] = changes.get(buffer["end"], 0) - buffer["size"]
    live, bound, peak = 0, 0, 0
    for tick in sorted(changes):
        live += changes[tick]
        if live > bound:
            bound, peak = live, tick
    return {
        "function": "main" if number == 0 else f"main_{number}",
        "scope": "func.func",
        "location": "a/long/path/to/the/program/model.mlir:1:1",
        "totalBytes": sum(buffer["size"] for buffer in buffers),
        "lowerBound": bound,
        "peakTick": peak,
        "poolSize": max(buffer["offset"] + buffer["size"] for buffer in buffers),
        "poolAlignment": 1,
        "buffers": buffers,
    }


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--buffers", type=int, default=2000)
parser.add_argument("--pools", type=int, default=1)
parser.add_argument("--long-names", action="store_true")
arguments = parser.parse_args()
pools = [make_pool(number, arguments) for number in range(arguments.pools)]
left = {
    "reason": "returned",
    "description": "its function returns it",
    "advice": "let the caller pass the buffer",
    "buffers": [
        {
            "name": "%result",
            "type": "memref<1x1000xf32>",
            "location": "a/long/path/to/the/program/model.mlir:2:5",
            "function": "main",
            "operation": "func.return at a/long/path/to/the/program/model.mlir:9:3",
            "size": 4000,
        }
    ],
}
print(
    json.dumps(
        {
            "version": 1,
            "module": "model.mlir",
            "scheduler": "first-fit",
            "pools": pools,
            "left": [left],
        }
    )
)
