#!/usr/bin/env python3
"""Compare the time of --buffer-merge with that of parsing and printing.

    benchmarks/compile_time.py [--opt build/release/bin/buffer-merge-opt]
                               [--buffers N,N,...] [--runs N]
                               [--pass-options 'scheduler=best-fit']

Generates functions with N buffers in one block, a chain of element-wise operations in
which each result is used by the next few, and prints for each N what -mlir-timing says
of one process: parsing, the pass, printing, and the ratio of the pass to the other two
together. Each line is the run with the median ratio. Absolute times depend on the
machine; the ratio is what the benchmark is for.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


def generate(num_buffers, file):
    """Write a function in which buffer i is computed from buffers i-1 and i-3."""
    file.write("func.func @f(%in: memref<64xf32>, %out: memref<64xf32>) {\n")
    names = ["%in", "%in", "%in"]
    # Sizes differ, so that a place for one buffer is not a place for all.
    for i in range(num_buffers):
        kind = f"memref<{64 * (1 + i % 7)}xf32>"
        name = f"%b{i}"
        file.write(f"  {name} = memref.alloc() : {kind}\n")
        file.write(
            f"  %v{i} = memref.subview {name}[0] [64] [1] : {kind} to "
            f"memref<64xf32, strided<[1]>>\n"
        )
        a, b = names[-1], names[-3]
        type_a, type_b = ("memref<64xf32>" if n == "%in" else
                          "memref<64xf32, strided<[1]>>" for n in (a, b))
        file.write(
            f"  linalg.add ins({a}, {b} : {type_a}, {type_b}) "
            f"outs(%v{i} : memref<64xf32, strided<[1]>>)\n"
        )
        names.append(f"%v{i}")
    last = names[-1]
    file.write(
        f"  memref.copy {last}, %out : memref<64xf32, strided<[1]>> to memref<64xf32>\n"
    )
    file.write("  return\n}\n")


def measure(opt, path, pipeline):
    """Return the wall seconds of parsing, the passes and printing in one process."""
    result = subprocess.run(
        [opt, path, f"--pass-pipeline=builtin.module({pipeline})", "-o", os.devnull,
         "-mlir-timing", "-mlir-timing-display=list", "-mlir-output-format=json"],
        check=True, capture_output=True, text=True)
    seconds = {"Parser": 0.0, "Output": 0.0, "passes": 0.0}
    for entry in json.loads(result.stderr):
        if entry["name"] in seconds:
            seconds[entry["name"]] += entry["wall"]["duration"]
        elif entry["name"] == "BufferMergePass":
            seconds["passes"] += entry["wall"]["duration"]
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", default="build/release/bin/buffer-merge-opt")
    parser.add_argument("--buffers", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pass-options", default="", help="such as scheduler=best-fit")
    args = parser.parse_args()
    if not os.path.exists(args.opt):
        sys.exit(f"{args.opt} does not exist: build the release preset first")

    options = f"{{{args.pass_options}}}" if args.pass_options else ""
    print("buffers  parse+print [s]  buffer-merge [s]  ratio")
    with tempfile.TemporaryDirectory() as folder:
        for num_buffers in map(int, args.buffers.split(",")):
            path = os.path.join(folder, f"{num_buffers}.mlir")
            with open(path, "w") as file:
                generate(num_buffers, file)
            runs = [measure(args.opt, path, f"buffer-merge{options}")
                    for _ in range(args.runs)]
            runs.sort(key=lambda s: s["passes"] / (s["Parser"] + s["Output"]))
            run = runs[len(runs) // 2]
            rest = run["Parser"] + run["Output"]
            print(f"{num_buffers:7}  {rest:15.3f}  {run['passes']:16.3f}"
                  f"  {run['passes'] / rest:5.2f}", flush=True)


if __name__ == "__main__":
    main()
