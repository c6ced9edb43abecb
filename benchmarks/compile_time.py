#!/usr/bin/env python3
"""Compare the time of --buffer-merge with that of parsing and printing.

    benchmarks/compile_time.py [--opt build/release/bin/buffer-merge-opt]
                               [--shapes block,nest,blocks]
                               [--buffers N,N,...] [--runs N]
                               [--pass-options 'scheduler=best-fit']

Generates functions with N buffers: in one block, a chain of element-wise operations in
which each result is used by the next few; in nests of 64 loops; and in 2 N blocks, in
diamonds and loops. Prints for each what -mlir-timing says of one process: parsing, the
pass, printing, the ratio of the pass to the other two together, and the microseconds of
the pass for each buffer, which show how it grows. Each line is the run with the median
ratio. Absolute times depend on the machine; the ratios are what the benchmark is for.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


def write_step(file, indent, i, sources):
    """Write buffer number `i`, computed from `sources`; return the name of its view."""
    # Sizes differ, so that a place for one buffer is not a place for all.
    kind = f"memref<{64 * (1 + i % 7)}xf32>"
    view = "memref<64xf32, strided<[1]>>"
    a, b = sources
    types = ", ".join("memref<64xf32>" if n == "%in" else view for n in (a, b))
    file.write(
        f"{indent}%b{i} = memref.alloc() : {kind}\n"
        f"{indent}%v{i} = memref.subview %b{i}[0] [64] [1] : {kind} to {view}\n"
        f"{indent}linalg.add ins({a}, {b} : {types}) outs(%v{i} : {view})\n"
    )
    return f"%v{i}"


def write_use(file, indent, name):
    """Write the last use of the view `name`."""
    file.write(
        f"{indent}memref.copy {name}, %out : memref<64xf32, strided<[1]>> to memref<64xf32>\n"
    )


HEADER = """func.func @f(%in: memref<64xf32>, %out: memref<64xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""


def generate_block(num_buffers, file):
    """One block: buffer i is computed from buffers i-1 and i-3."""
    file.write(HEADER)
    names = ["%in", "%in", "%in"]
    for i in range(num_buffers):
        names.append(write_step(file, "  ", i, (names[-1], names[-3])))
    write_use(file, "  ", names[-1])
    file.write("  return\n}\n")


def generate_nest(num_buffers, file, depth=64):
    """Nests of 64 loops, each of which computes one buffer from those around it and
    uses it again behind the loop inside."""
    file.write(HEADER)
    for first in range(0, num_buffers, depth):
        count = min(depth, num_buffers - first)
        names = ["%in"]
        for level in range(count):
            i = first + level
            file.write(f"  scf.for %i{i} = %c0 to %n step %c1 {{\n")
            names.append(write_step(file, "  ", i, (names[-1], names[len(names) // 2])))
        for level in reversed(range(count)):
            write_use(file, "  ", names[level + 1])
            file.write("  }\n")
    file.write("  return\n}\n")


def generate_blocks(num_buffers, file):
    """A chain of diamonds and loops of blocks, one buffer for every second block."""
    file.write(HEADER)
    name = "%in"
    for i in range(num_buffers):
        old = name
        name = write_step(file, "  ", i, (old, "%in"))
        if i % 2:  # a diamond
            file.write(f"  cf.cond_br %c, ^l{i}, ^r{i}\n^l{i}:\n")
            write_use(file, "  ", name)
            file.write(f"  cf.br ^r{i}\n^r{i}:\n")
        else:  # a loop
            file.write(f"  cf.br ^r{i}\n^r{i}:\n")
            write_use(file, "  ", name)
            file.write(f"  cf.cond_br %c, ^r{i}, ^n{i}\n^n{i}:\n")
    write_use(file, "  ", name)
    file.write("  return\n}\n")


SHAPES = {"block": generate_block, "nest": generate_nest, "blocks": generate_blocks}


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
    parser.add_argument("--shapes", default="block,nest,blocks")
    parser.add_argument("--buffers", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pass-options", default="", help="such as scheduler=best-fit")
    args = parser.parse_args()
    if not os.path.exists(args.opt):
        sys.exit(f"{args.opt} does not exist: build the release preset first")
    shapes = args.shapes.split(",")
    for shape in shapes:
        if shape not in SHAPES:
            sys.exit(f"unknown shape '{shape}', expected one of: {', '.join(SHAPES)}")

    options = f"{{{args.pass_options}}}" if args.pass_options else ""
    print("shape   buffers  parse+print [s]  buffer-merge [s]  ratio  us/buffer")
    with tempfile.TemporaryDirectory() as folder:
        for shape in shapes:
            for num_buffers in map(int, args.buffers.split(",")):
                path = os.path.join(folder, f"{shape}-{num_buffers}.mlir")
                with open(path, "w") as file:
                    SHAPES[shape](num_buffers, file)
                runs = [measure(args.opt, path, f"buffer-merge{options}")
                        for _ in range(args.runs)]
                runs.sort(key=lambda s: s["passes"] / (s["Parser"] + s["Output"]))
                run = runs[len(runs) // 2]
                rest = run["Parser"] + run["Output"]
                print(f"{shape:6}  {num_buffers:7}  {rest:15.3f}  {run['passes']:16.3f}"
                      f"  {run['passes'] / rest:5.2f}"
                      f"  {1e6 * run['passes'] / num_buffers:9.1f}", flush=True)
                os.remove(path)


if __name__ == "__main__":
    main()
