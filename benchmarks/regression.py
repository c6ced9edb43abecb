#!/usr/bin/env python3
"""Compare pools and instruction counts with those on record.

    benchmarks/regression.py pools [--build build/release] [--update]
    benchmarks/regression.py instructions --compiler 'Clang 22' [--build build/release]
                                          [--update]

`pools` asks every registered scheduler for pools of problems that are generated here, like
those of networks and random ones: each must be as small as on record, byte by byte.

`instructions` counts with callgrind what scheduling and merging execute for fixed inputs,
from the entry of runScheduler() or mergeBuffers() to its end. A count may be 5 % above the
record: libraries differ a little between machines. Counts depend on the compiler, so that
there is one record for each; it says which one built.

What became better is named and passes. `--update` writes what is measured to
benchmarks/regression.json: commit it with the change that is the reason.

Exit code: 0, 1 if anything is worse or not on record, 77 if there is nothing to compare
with (no valgrind, no record for this compiler).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import compile_time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = os.path.join(ROOT, "benchmarks", "regression.json")
TOLERANCE = 0.05
SKIPPED = 77


class Random:
    """Numerical Recipes' generator of 32 bits: the same numbers everywhere."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state >> 8) % limit


class Problem:
    """Buffers of operations, one after the other: a tick for each operation."""

    def __init__(self):
        self.rows = []  # [lower, upper, size]
        self.tick = 0

    def op(self, size, *inputs):
        """An operation that reads `inputs` and makes a buffer of `size` bytes."""
        for i in inputs:
            self.rows[i][1] = self.tick + 1
        self.rows.append([self.tick, self.tick + 1, size])
        self.tick += 1
        return len(self.rows) - 1

    def read(self, *inputs):
        """An operation that reads `inputs` and writes elsewhere."""
        for i in inputs:
            self.rows[i][1] = self.tick + 1
        self.tick += 1

    def write(self, path):
        with open(path, "w") as file:
            file.write("id,lower,upper,size,alignment\n")
            for i, (lower, upper, size) in enumerate(self.rows):
                file.write(f"b{i},{lower},{upper},{size},64\n")


def make_resnet(blocks=(3, 4, 6, 3)):
    """Bottlenecks around skip connections; convolutions pad and fill before."""
    net = Problem()
    side, width = 56, 64
    x = net.op(side * side * width * 4)
    for stage, count in enumerate(blocks):
        for block in range(count):
            skip = x
            if block == 0:
                side //= 2 if stage else 1
                skip = net.op(side * side * width * 16, x)
            a = net.op(side * side * width * 4, x)
            a = net.op(side * side * width * 4, a)
            padded = net.op((side + 2) * (side + 2) * width * 4, a)
            b = net.op(side * side * width * 4, padded)
            b = net.op(side * side * width * 4, b)
            c = net.op(side * side * width * 16, b)
            x = net.op(side * side * width * 16, c, skip)
        width *= 2
    pooled = net.op(width // 2 * 16, x)
    net.read(net.op(4000, pooled))
    return net


def make_bert(layers=12, tokens=128, hidden=312, heads=12, vocabulary=8):
    """Attention and feed-forward with the small results of layer norms and softmax, whose
    sizes are no multiples of the alignment."""
    net = Problem()
    matrix = tokens * hidden * 4

    def norm(x):
        mean = net.op(tokens * 4 + 4, x)
        variance = net.op(tokens * 4 + 4, x, mean)
        return net.op(matrix, x, mean, variance)

    x = norm(net.op(matrix))
    mask = net.op(tokens * 4)
    for _ in range(layers):
        q, k, v = (net.op(matrix, net.op(matrix, x)) for _ in range(3))
        k = net.op(matrix, k)
        scores = net.op(heads * tokens * tokens * 4, q, k)
        scores = net.op(heads * tokens * tokens * 4, scores, mask)
        top = net.op(heads * tokens * 4 + 12, scores)
        scores = net.op(heads * tokens * tokens * 4, scores, top)
        total = net.op(heads * tokens * 4 + 12, scores)
        scores = net.op(heads * tokens * tokens * 4, scores, total)
        context = net.op(matrix, net.op(matrix, scores, v))
        x = norm(net.op(matrix, net.op(matrix, context), x))
        wide = net.op(4 * matrix, net.op(4 * matrix, x))
        x = norm(net.op(matrix, net.op(matrix, wide), x))
    net.read(net.op(vocabulary, x))
    return net


def make_unet(depth=5):
    """Results of the way down are used on the way up."""
    net = Problem()
    skips, size = [], 1 << 22
    x = net.op(size)
    for _ in range(depth):
        x = net.op(size, net.op(size, x))
        skips.append((x, size))
        size //= 2
        x = net.op(size, x)
    for skip, size in reversed(skips):
        x = net.op(size, x)
        x = net.op(2 * size, x, skip)
        x = net.op(size, net.op(size, x))
    net.read(x)
    return net


def make_training(layers=40):
    """What forward computes stays until backward has read it."""
    net, random, kept = Problem(), Random(3), []
    x = net.op(1 << 16)
    for _ in range(layers):
        size = 4096 * (1 + random.below(24))
        y = net.op(size, x)
        kept.append((x, y, size))
        x = net.op(size, y)
    gradient = net.op(1 << 12, x)
    for x, y, size in reversed(kept):
        gradient = net.op(size, gradient, y)
        net.read(net.op(size // 2 + 8, gradient, x), gradient)
    net.read(gradient)
    return net


def make_inception(modules=9):
    """Four branches of different lengths whose results are joined."""
    net, random = Problem(), Random(5)
    x = net.op(1 << 18)
    for _ in range(modules):
        ends = []
        for length in (1, 2, 3, 2):
            y = x
            for _ in range(length):
                y = net.op(4096 * (1 + random.below(40)), y)
            ends.append(y)
        x = net.op(sum(net.rows[y][2] for y in ends), *ends)
    net.read(x)
    return net


def make_random(count, alive, seed):
    """`count` buffers of every size, about `alive` of which are in use at once."""
    net, random = Problem(), Random(seed)
    for i in range(count):
        length = 1 + random.below(2 * alive)
        net.rows.append([i, i + length, 1 + random.below(1 << (4 + random.below(14)))])
    return net


PROBLEMS = {"resnet": make_resnet, "bert": make_bert, "unet": make_unet,
            "training": make_training, "inception": make_inception,
            "random-few": lambda: make_random(800, 4, 7),
            "random-many": lambda: make_random(300, 24, 11)}

# What is counted: problems, and shapes of programs with their numbers of buffers.
SCHEDULED = {"schedule bert": "bert", "schedule random-many": "random-many"}
MERGED = {"merge block": ("block", 1000), "merge nest": ("nest", 512),
          "merge blocks": ("blocks", 400)}


def measure_pools(build, folder):
    """Return {problem: {"lower bound" or scheduler: bytes}}."""
    result = {}
    for name, make in PROBLEMS.items():
        path = os.path.join(folder, f"{name}.csv")
        make().write(path)
        output = subprocess.run(
            [os.path.join(build, "bin", "buffer-merge-schedule"), path, "--compare", "--json"],
            check=True, capture_output=True, text=True).stdout
        answer = json.loads(output)
        result[name] = {"lower bound": answer["lowerBound"],
                        **{s["scheduler"]: s["pool"] for s in answer["schedulers"]}}
    return result


def count(command, *options):
    """Run `command` under callgrind. Return what that prints."""
    return subprocess.run(
        ["valgrind", "--tool=callgrind", *options, *command, "-o", os.devnull],
        check=True, capture_output=True, text=True).stderr


def measure_instructions(build, folder):
    """Return {what: instructions}."""
    result = {}
    profile = os.path.join(folder, "callgrind.out")
    bin = os.path.join(build, "bin")
    for name, problem in SCHEDULED.items():
        path = os.path.join(folder, "input.csv")
        PROBLEMS[problem]().write(path)
        printed = count([os.path.join(bin, "buffer-merge-schedule"), path],
                        f"--callgrind-out-file={profile}",
                        "--toggle-collect=buffer_merge::runScheduler(*")
        result[name] = int(re.search(r"Collected : (\d+)", printed)[1])
    # Callgrind reads the symbols of libMLIR.so longer than it counts: once for all.
    path = os.path.join(folder, "input.mlir")
    with open(path, "w") as file:
        for shape, buffers in MERGED.values():
            compile_time.SHAPES[shape](buffers, file)
            print("// -----", file=file)
    count([os.path.join(bin, "buffer-merge-opt"), path, "--split-input-file",
           "--buffer-merge", "--mlir-disable-threading", "--verify-each=0"],
          f"--callgrind-out-file={profile}", "--zero-before=*BufferMergePass::runOnOperation*",
          "--dump-after=buffer_merge::mergeBuffers(*")
    for part, name in enumerate(MERGED, 1):
        with open(f"{profile}.{part}") as file:
            result[name] = int(re.search(r"^totals: (\d+)", file.read(), re.MULTILINE)[1])
    for name, instructions in result.items():
        if instructions == 0:
            sys.exit(f"callgrind finds nothing to count for {name}: are the tools stripped?")
    return result


def compare(measured, expected, tolerance, what):
    """Print what differs; return how many values are worse or not on record."""
    failures = 0
    for name, value in measured.items():
        record = expected.get(name)
        if record is None:
            print(f"{what} {name}: {value}, not on record")
            failures += 1
        elif value > record * (1 + tolerance):
            print(f"{what} {name}: {value}, worse than {record} on record ({value / record:.3f})")
            failures += 1
        elif value < record * (1 - tolerance):
            print(f"{what} {name}: {value}, better than {record} on record: --update keeps it")
    for name in expected:
        if name not in measured:
            print(f"{what} {name}: is on record, but is no more")
            failures += 1
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["pools", "instructions"])
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--compiler", default="unknown",
                        help="name and major version of the compiler that built")
    parser.add_argument("--record", default=RECORD, metavar="FILE",
                        help="compare with this file (default benchmarks/regression.json)")
    parser.add_argument("--update", action="store_true", help="write the record")
    args = parser.parse_args()
    record = {"pools": {}, "instructions": {}}
    if os.path.exists(args.record):
        with open(args.record) as file:
            record = json.load(file)

    if args.what == "instructions":
        if not shutil.which("valgrind"):
            print("skipped: valgrind is not installed")
            return SKIPPED
        if args.compiler not in record["instructions"] and not args.update:
            print(f"skipped: there is no record for the compiler '{args.compiler}'")
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        if args.what == "pools":
            measured = measure_pools(args.build, folder)
        else:
            measured = measure_instructions(args.build, folder)
    if args.update:
        if args.what == "pools":
            record["pools"] = measured
        else:
            record["instructions"][args.compiler] = measured
        with open(args.record, "w") as file:
            json.dump(record, file, indent=2)
            file.write("\n")
        return 0

    if args.what == "pools":
        failures = sum(compare(measured.get(problem, {}), record["pools"].get(problem, {}), 0,
                               f"pool of {problem} by")
                       for problem in {**record["pools"], **measured})
    else:
        failures = compare(measured, record["instructions"][args.compiler], TOLERANCE,
                           "instructions of")
    print(f"{failures} worse" if failures else "nothing is worse")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
