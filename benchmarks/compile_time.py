#!/usr/bin/env python3
"""Compare the time of --buffer-merge with that of parsing and of one-shot-bufferize.

    benchmarks/compile_time.py [--opt build/release/bin/buffer-merge-opt]
                               [--shapes block,nest,blocks,functions]
                               [--buffers N,N,...] [--runs N]
                               [--one-shot N] [--threads] [--csv FILE]
                               [--pass-options 'scheduler=best-fit']
    benchmarks/compile_time.py --models FOLDER ...
    benchmarks/compile_time.py --generate SHAPE --buffers N

Generates functions with N buffers: in one block, a chain of element-wise operations in
which each result is used by the next few; in nests of 64 loops; in 2 N blocks, in
diamonds and loops; and in N / 40 functions of 40 buffers each that call each other.
With --models it measures the programs of a folder instead: each subfolder with a
`bufferized.mlir`, and for one-shot-bufferize the `ported.mlir` or `input.mlir` beside.
With --generate it prints a program and measures nothing.

A row says what -mlir-timing says of one process: the seconds of the parser and of the
pass, both with the verifier that runs behind them, as in every pipeline; the ratio of
the two; the ratio of the pass to one-shot-bufferize of the same program on tensors, for
up to --one-shot buffers; `growth`, the time of the pass over N log N, 1 in the first
row of a shape; and the peak resident set of the process without and with the pass. With
--threads, how much longer the pass takes with --mlir-disable-threading. Of several runs
it is the one with the median ratio. Absolute times depend on the machine; the ratios are
what the benchmark is for.

Exit status: 1 if an argument is wrong or a program fails; its row says so.
"""

import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

# Functions of the shape `functions` have so many buffers.
BUFFERS_OF_FUNCTION = 40


def get_size(i):
    """Return the elements of buffer number `i`."""
    # Sizes differ, so that a place for one buffer is not a place for all.
    return 64 * (1 + i % 7)


class MemRefs:
    """Writes programs on memrefs: what --buffer-merge gets."""

    argument = "memref<64xf32>"
    view = "memref<64xf32, strided<[1]>>"

    def __init__(self, file):
        self.file = file

    def type_of(self, name):
        return self.argument if name == "%in" else self.view

    def begin(self, symbol):
        self.file.write(
            f"func.func @{symbol}(%in: memref<64xf32>, %out: memref<64xf32>, %n: index,"
            " %c: i1) {\n"
            "  %c0 = arith.constant 0 : index\n"
            "  %c1 = arith.constant 1 : index\n"
        )

    def end(self):
        self.file.write("  return\n}\n")

    def step(self, i, sources):
        """Write buffer number `i`, computed from `sources`; return its view's name."""
        kind = f"memref<{get_size(i)}xf32>"
        types = ", ".join(map(self.type_of, sources))
        self.file.write(
            f"  %b{i} = memref.alloc() : {kind}\n"
            f"  %v{i} = memref.subview %b{i}[0] [64] [1] : {kind} to {self.view}\n"
            f"  linalg.add ins({', '.join(sources)} : {types}) outs(%v{i} : {self.view})\n"
        )
        return f"%v{i}"

    def use(self, name):
        """Write the last use of the view `name`."""
        self.file.write(f"  memref.copy {name}, %out : {self.view} to {self.argument}\n")

    def begin_loop(self, i):
        self.file.write(f"  scf.for %i{i} = %c0 to %n step %c1 {{\n")

    def end_loop(self, i):
        self.file.write("  }\n")

    def call(self, symbol, name):
        self.file.write(
            f"  %p = memref.cast {name} : {self.view} to {self.argument}\n"
            f"  func.call @{symbol}(%p, %out, %n, %c) :"
            f" ({self.argument}, {self.argument}, index, i1) -> ()\n"
        )


class Tensors:
    """Writes the same programs on tensors: what one-shot-bufferize gets."""

    argument = "tensor<64xf32>"

    def __init__(self, file):
        self.file = file

    def begin(self, symbol):
        self.out = "%out"
        self.outer = []
        self.uses = 0
        self.file.write(
            f"func.func @{symbol}(%in: {self.argument}, %out: {self.argument}, %n: index,"
            f" %c: i1) -> {self.argument} {{\n"
            "  %c0 = arith.constant 0 : index\n"
            "  %c1 = arith.constant 1 : index\n"
        )

    def end(self):
        self.file.write(f"  return {self.out} : {self.argument}\n}}\n")

    def step(self, i, sources):
        kind = f"tensor<{get_size(i)}xf32>"
        types = ", ".join(self.argument for _ in sources)
        self.file.write(
            f"  %e{i} = tensor.empty() : {kind}\n"
            f"  %s{i} = tensor.extract_slice %e{i}[0] [64] [1] : {kind} to {self.argument}\n"
            f"  %v{i} = linalg.add ins({', '.join(sources)} : {types})"
            f" outs(%s{i} : {self.argument}) -> {self.argument}\n"
        )
        return f"%v{i}"

    def use(self, name):
        self.uses += 1
        self.file.write(
            f"  %u{self.uses} = linalg.copy ins({name} : {self.argument})"
            f" outs({self.out} : {self.argument}) -> {self.argument}\n"
        )
        self.out = f"%u{self.uses}"

    def begin_loop(self, i):
        self.outer.append(self.out)
        self.file.write(
            f"  %r{i} = scf.for %i{i} = %c0 to %n step %c1 iter_args(%o{i} = {self.out})"
            f" -> ({self.argument}) {{\n"
        )
        self.out = f"%o{i}"

    def end_loop(self, i):
        self.file.write(f"  scf.yield {self.out} : {self.argument}\n  }}\n")
        self.outer.pop()
        self.out = f"%r{i}"

    def call(self, symbol, name):
        self.file.write(
            f"  %p = func.call @{symbol}({name}, {self.out}, %n, %c) :"
            f" ({self.argument}, {self.argument}, index, i1) -> {self.argument}\n"
        )
        self.out = "%p"


def write_chain(num_buffers, writer):
    """Buffer i is computed from buffers i-1 and i-3; return the last one."""
    names = ["%in", "%in", "%in"]
    for i in range(num_buffers):
        names.append(writer.step(i, (names[-1], names[-3])))
    return names[-1]


def write_nests(num_buffers, writer, depth):
    """Nests of loops, each of which computes one buffer from those around it and uses
    it again behind the loop inside."""
    for first in range(0, num_buffers, depth):
        count = min(depth, num_buffers - first)
        names = ["%in"]
        for i in range(first, first + count):
            writer.begin_loop(i)
            names.append(writer.step(i, (names[-1], names[len(names) // 2])))
        for i in reversed(range(first, first + count)):
            writer.use(names.pop())
            writer.end_loop(i)


def generate_block(num_buffers, writer):
    writer.begin("f")
    writer.use(write_chain(num_buffers, writer))
    writer.end()


def generate_nest(num_buffers, writer):
    writer.begin("f")
    write_nests(num_buffers, writer, 64)
    writer.end()


def generate_blocks(num_buffers, writer):
    """A chain of diamonds and loops of blocks, one buffer for every second block."""
    writer.begin("f")
    name = "%in"
    for i in range(num_buffers):
        name = writer.step(i, (name, "%in"))
        if i % 2:  # a diamond
            writer.file.write(f"  cf.cond_br %c, ^l{i}, ^r{i}\n^l{i}:\n")
            writer.use(name)
            writer.file.write(f"  cf.br ^r{i}\n^r{i}:\n")
        else:  # a loop
            writer.file.write(f"  cf.br ^r{i}\n^r{i}:\n")
            writer.use(name)
            writer.file.write(f"  cf.cond_br %c, ^r{i}, ^n{i}\n^n{i}:\n")
    writer.use(name)
    writer.end()


def generate_functions(num_buffers, writer):
    """Functions with a chain or with nests; each fourth calls the one before."""
    for index, first in enumerate(range(0, num_buffers, BUFFERS_OF_FUNCTION)):
        count = min(BUFFERS_OF_FUNCTION, num_buffers - first)
        writer.begin(f"f{index}")
        if index % 2:
            write_nests(count - 1, writer, 5 + index % 3)
        name = write_chain(count if index % 2 == 0 else 1, writer) if count else "%in"
        if index % 4 == 2:
            writer.call(f"f{index - 1}", name)
        else:
            writer.use(name)
        writer.end()


SHAPES = {
    "block": generate_block,
    "nest": generate_nest,
    "blocks": generate_blocks,
    "functions": generate_functions,
}
# One-shot-bufferize does not know the CFGs of `blocks`, and its time for `nest` grows
# exponentially with the depth, which is 64: minutes for 200 buffers.
SHAPES_OF_TENSORS = ("block", "functions")


def run(command):
    """Run `command`; return what it prints on stderr and its peak resident MiB."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read()
        if process.returncode:
            raise RuntimeError(f"exit status {process.returncode}: {text[:300].strip()}")
        return text, usage.ru_maxrss / 1024


def measure(opt, path, pipeline, passes, flags=()):
    """Return the wall seconds of the parser and of `passes` in one process, and its
    peak resident MiB."""
    text, memory = run(
        [opt, path, f"--pass-pipeline=builtin.module({pipeline})", "-o", os.devnull,
         "-mlir-timing", "-mlir-timing-display=list", "-mlir-output-format=json", *flags])
    result = {"parser": 0.0, "pass": 0.0, "memory": memory}
    for entry in json.loads(text[text.index("[") :]):
        if entry["name"] == "Parser":
            result["parser"] += entry["wall"]["duration"]
        elif entry["name"] in passes:
            result["pass"] += entry["wall"]["duration"]
    return result


def take_median(runs, key):
    return sorted(runs, key=key)[len(runs) // 2]


class Table:
    """Prints rows as they are measured, and remembers them."""

    COLUMNS = ["program", "buffers", "parser [s]", "pass [s]", "pass/parser",
               "pass/one-shot", "growth", "MiB without", "MiB with", "speed-up"]

    def __init__(self):
        self.rows = []
        print("program                   buffers  parser [s]  pass [s]  pass/parser"
              "  pass/one-shot  growth  MiB without  MiB with  speed-up")

    def add(self, *cells):
        self.rows.append(["" if cell is None else cell for cell in cells])
        formats = ["{:24}", "{:8}", "{:11.3f}", "{:9.3f}", "{:12.2f}", "{:14.2f}",
                   "{:7.2f}", "{:12.0f}", "{:9.0f}", "{:9.2f}"]
        widths = [24, 8, 11, 9, 12, 14, 7, 12, 9, 9]
        print(" ".join(" " * width if cell is None else layout.format(cell)
                       for layout, width, cell in zip(formats, widths, cells)).rstrip(),
              flush=True)

    def write(self, path):
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.COLUMNS)
            writer.writerows(self.rows)


def measure_row(args, path, tensors, num_buffers):
    """Return the cells of one row behind the name, without `growth`."""
    options = f"{{{args.pass_options}}}" if args.pass_options else ""
    pipeline = f"buffer-merge{options}"
    ours, others, alone, speed_ups = [], [], [], []
    # In turn, so that whatever else the machine does concerns all of them.
    for _ in range(args.runs):
        ours.append(measure(args.opt, path, pipeline, {"BufferMergePass"}))
        alone.append(measure(args.opt, path, "", set()))
        if args.threads:
            single = measure(args.opt, path, pipeline, {"BufferMergePass"},
                             ["--mlir-disable-threading"])
            speed_ups.append(single["pass"] / ours[-1]["pass"])
        if tensors:
            other = measure(args.opt, tensors,
                            "one-shot-bufferize{bufferize-function-boundaries"
                            " allow-unknown-ops}", {"OneShotBufferizePass"})
            others.append(ours[-1]["pass"] / other["pass"])
    best = take_median(ours, lambda r: r["pass"] / r["parser"])
    return (num_buffers, best["parser"], best["pass"], best["pass"] / best["parser"],
            take_median(others, None) if others else None,
            min(r["memory"] for r in alone), min(r["memory"] for r in ours),
            take_median(speed_ups, None) if speed_ups else None)


def measure_shapes(args, folder, table):
    for shape in args.shapes:
        first = None
        for num_buffers in args.buffers:
            path = os.path.join(folder, "program.mlir")
            with open(path, "w") as file:
                SHAPES[shape](num_buffers, MemRefs(file))
            tensors = None
            if shape in SHAPES_OF_TENSORS and num_buffers <= args.one_shot:
                tensors = os.path.join(folder, "tensors.mlir")
                with open(tensors, "w") as file:
                    SHAPES[shape](num_buffers, Tensors(file))
            *cells, without, with_pass, speed_up = measure_row(
                args, path, tensors, num_buffers)
            growth = cells[2] / (num_buffers * math.log2(num_buffers + 1))
            first = first or growth
            table.add(shape, *cells, growth / first, without, with_pass, speed_up)


def find_tensors(model, folder):
    """Return a file with the program of the folder `model` on tensors, or None."""
    for name in ("ported.mlir", "input.mlir"):
        path = os.path.join(model, name)
        if os.path.exists(path):
            return path
        if os.path.exists(path + ".gz"):
            unpacked = os.path.join(folder, "unpacked.mlir")
            with gzip.open(path + ".gz", "rb") as source, open(unpacked, "wb") as target:
                target.write(source.read())
            return unpacked
    return None


def measure_models(args, folder, table):
    """Return the number of programs that fail."""
    models = [model for model in sorted(os.listdir(args.models))
              if os.path.exists(os.path.join(args.models, model, "bufferized.mlir"))]
    if not models:
        sys.exit(f"{args.models} has no subfolder with a bufferized.mlir")
    failures = 0
    for model in models:
        path = os.path.join(args.models, model)
        program = os.path.join(path, "bufferized.mlir")
        try:
            with open(program) as file:
                num_buffers = file.read().count("memref.alloc(")
            tensors = find_tensors(path, folder) if args.one_shot else None
            try:
                *cells, without, with_pass, speed_up = measure_row(
                    args, program, tensors, num_buffers)
            except RuntimeError as error:
                # What was published may need other passes before.
                if not tensors or tensors not in str(error):
                    raise
                *cells, without, with_pass, speed_up = measure_row(
                    args, program, None, num_buffers)
            table.add(model, *cells, None, without, with_pass, speed_up)
        except (RuntimeError, OSError, ValueError) as error:
            failures += 1
            print(f"{model:24} failed: {error}", flush=True)
    return failures


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", default="build/release/bin/buffer-merge-opt")
    parser.add_argument("--shapes", default="block,nest,blocks,functions")
    parser.add_argument("--buffers", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--one-shot", type=int, default=10000, metavar="N",
                        help="compare programs of up to N buffers; 0: none")
    parser.add_argument("--threads", action="store_true",
                        help="measure the pass on one thread as well")
    parser.add_argument("--csv", help="write the table to this file, too")
    parser.add_argument("--models", metavar="FOLDER")
    parser.add_argument("--generate", metavar="SHAPE")
    parser.add_argument("--pass-options", default="", help="such as scheduler=best-fit")
    args = parser.parse_args()
    args.shapes = [args.generate] if args.generate else args.shapes.split(",")
    for shape in args.shapes:
        if shape not in SHAPES:
            sys.exit(f"unknown shape '{shape}', expected one of: {', '.join(SHAPES)}")
    try:
        args.buffers = [int(number) for number in args.buffers.split(",")]
    except ValueError:
        sys.exit(f"--buffers={args.buffers} is not a list of numbers")
    if min(args.buffers) < 1 or args.runs < 1:
        sys.exit("the numbers of buffers and of runs must be positive")
    if not args.generate and not os.path.exists(args.opt):
        sys.exit(f"{args.opt} does not exist: build the release preset first")
    return args


def main():
    args = parse_arguments()
    if args.generate:
        SHAPES[args.generate](args.buffers[0], MemRefs(sys.stdout))
        return
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        table = Table()
        if args.models:
            failures = measure_models(args, folder, table)
        else:
            measure_shapes(args, folder, table)
    if args.csv:
        table.write(args.csv)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
