#!/usr/bin/env python3
"""Measure what in-place reuse and dynamic shapes save.

    benchmarks/reuse.py [--opt build/release/bin/buffer-merge-opt] [--models DIR]
                        [--files bufferized.mlir] [--layers N]
                        [--pass-options 'scheduler=best-fit']

Two tables. The first one is on static shapes: for every file of these names below DIR,
and for generated programs with the shape of networks, the bytes of all allocations that
can be merged, of the pools without in-place reuse and with it, of their lower bounds,
and what is saved by it. A program counts with all its functions and pools.

The second one is on a generated program with loops over tiles, the last of which may be
smaller: how many allocations there are, and how many are left with dynamic=bounded; and
their bytes if the tiles are as large as they may be.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ELEMENT_BYTES = 4
LARGEST_TILE = 64


class Program:
    """A function of two memrefs, written as text."""

    def __init__(self, arguments):
        self.lines = [f"func.func @f({arguments}) {{"]
        self.count = 0
        self.indent = "  "

    def line(self, text):
        self.lines.append(self.indent + text)

    def alloc(self, kind, sizes=""):
        self.count += 1
        self.line(f"%b{self.count} = memref.alloc({sizes}) : {kind}")
        return f"%b{self.count}"

    def op(self, name, inputs, kind, sizes="", suffix=""):
        """Write an operation into a new buffer of type `kind`."""
        result = self.alloc(kind, sizes)
        values = ", ".join(value for value, _ in inputs)
        types = ", ".join(kind for _, kind in inputs)
        self.line(f"linalg.{name} ins({values} : {types}) outs({result} : {kind}){suffix}")
        return result, kind

    def text(self):
        return "\n".join(self.lines + ["  return", "}", ""])


def write_result(program, value, out="%out"):
    name, kind = value
    program.line(f"memref.copy {name}, {out} : {kind} to {kind}")


def generate_mlp(layers):
    """Matrix products, a bias and an activation for each layer."""
    kind = "memref<256x256xf32>"
    program = Program(f"%in: {kind}, %w: {kind}, %bias: memref<256xf32>, %out: {kind}")
    program.line("%zero = arith.constant 0.0 : f32")
    value = ("%in", kind)
    for _ in range(layers):
        product = program.alloc(kind)
        program.line(f"linalg.fill ins(%zero : f32) outs({product} : {kind})")
        program.line(f"linalg.matmul ins({value[0]}, %w : {kind}, {kind}) outs({product} : {kind})")
        row = program.op("broadcast", [("%bias", "memref<256xf32>")], kind, suffix=" dimensions = [0]")
        total = program.op("add", [(product, kind), row], kind)
        value = program.op("tanh", [total], kind)
    write_result(program, value)
    return program.text()


def generate_elementwise(layers):
    """A tail of element-wise operations with a value that is used across it."""
    kind = "memref<65536xf32>"
    program = Program(f"%in: {kind}, %out: {kind}")
    value = program.op("exp", [("%in", kind)], kind)
    for _ in range(layers):
        skip = value
        for name in ("abs", "exp", "tanh"):
            value = program.op(name, [value], kind)
        value = program.op("add", [value, skip], kind)
    write_result(program, value)
    return program.text()


def generate_attention(layers):
    """Scores, an exponential, a normalization and a product for each layer."""
    kind, rows = "memref<128x128xf32>", "memref<128xf32>"
    program = Program(f"%in: {kind}, %out: {kind}")
    program.line("%zero = arith.constant 0.0 : f32")
    value = ("%in", kind)
    for _ in range(layers):
        turned = program.op("transpose", [value], kind, suffix=" permutation = [1, 0]")
        scores = program.alloc(kind)
        program.line(f"linalg.fill ins(%zero : f32) outs({scores} : {kind})")
        program.line(f"linalg.matmul ins({value[0]}, {turned[0]} : {kind}, {kind}) outs({scores} : {kind})")
        power = program.op("exp", [(scores, kind)], kind)
        total = program.alloc(rows)
        program.line(f"linalg.fill ins(%zero : f32) outs({total} : {rows})")
        program.line(f"linalg.reduce {{ arith.addf }} ins({power[0]} : {kind}) outs({total} : {rows}) dimensions = [1]")
        wide = program.op("broadcast", [(total, rows)], kind, suffix=" dimensions = [1]")
        value = program.op("div", [power, wide], kind)
    write_result(program, value)
    return program.text()


def generate_tiles(layers):
    """Loops over tiles, of which the last one is smaller; two buffers for each."""
    kind = "memref<?x64xf32>"
    program = Program(f"%in: {kind}, %out: {kind}, %n: index")
    for name, value in (("%c0", 0), ("%c64", 64)):
        program.line(f"{name} = arith.constant {value} : index")
    for _ in range(layers):
        number = program.count
        program.line(f"scf.for %i{number} = %c0 to %n step %c64 {{")
        program.line(f"  %m{number} = affine.min affine_map<(i)[n] -> (64, n - i)>(%i{number})[%n]")
        view = "memref<?x64xf32, strided<[64, 1], offset: ?>>"
        for name in ("in", "out"):
            program.line(f"  %{name}{number} = memref.subview %{name}[%i{number}, 0] [%m{number}, 64] [1, 1] : {kind} to {view}")
        size = f"%m{number}"
        first = program.op("exp", [(f"%in{number}", view)], kind, size)
        second = program.op("tanh", [first], kind, size)
        third = program.op("add", [first, second], kind, size)
        program.line(f"memref.copy {third[0]}, %out{number} : {kind} to {view}")
        program.line("}")
    return program.text()


STATIC = {"mlp": generate_mlp, "elementwise": generate_elementwise, "attention": generate_attention}


def run(options, path, pass_options):
    """Return the merged program and its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            options.opt,
            str(path),
            f"--buffer-merge={pass_options} {options.pass_options} report={report}",
        ]
        result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            sys.exit(f"error: {' '.join(command)} fails")
        return result.stdout.decode(), json.loads(report.read_text())


def sum_pools(report):
    """Return the bytes of all buffers with a lifetime, of what stands for them, and of
    the lower bounds."""
    total = taken = bound = 0
    for pool in report["pools"]:
        total += pool["totalBytes"]
        taken += pool["totalBytes"] if "reason" in pool else pool["poolSize"]
        bound += pool["lowerBound"]
    return total, taken, bound


def print_static(options, name, path):
    total, taken, bound = sum_pools(run(options, path, "in-place=false")[1])
    _, in_place, in_place_bound = sum_pools(run(options, path, "in-place")[1])
    saved = f"{100 * (taken - in_place) / taken:.1f} %" if taken else "-"
    print(f"| {name} | {total} | {taken} | {bound} | {in_place} | {in_place_bound} | {saved} |", flush=True)


def print_tiles(options, path):
    columns = []
    for policy in ("none", "bounded"):
        text, _ = run(options, path, f"dynamic={policy}")
        types = re.findall(r"= memref\.alloc\(.* : memref<((?:[?0-9]+x)+)(\w+)", text)
        columns.append(len(types))
        columns.append(0)
        for shape, kind in types:
            extents = [LARGEST_TILE if extent == "?" else int(extent) for extent in shape.rstrip("x").split("x")]
            columns[-1] += math.prod(extents) * (1 if kind == "i8" else ELEMENT_BYTES)
    print(f"| tiles | {' | '.join(map(str, columns))} |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--opt", default="build/release/bin/buffer-merge-opt")
    parser.add_argument("--models", type=Path, help="folder with programs")
    parser.add_argument("--files", default="bufferized.mlir", help="their file names, with commas")
    parser.add_argument("--layers", type=int, default=8, help="of generated programs")
    parser.add_argument("--pass-options", default="", help="for all runs")
    options = parser.parse_args()

    print("| program | allocations, bytes | pools | lower bounds | pools in place | lower bounds | saved |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    if options.models:
        for name in options.files.split(","):
            for path in sorted(options.models.glob(f"*/{name}")):
                print_static(options, f"{path.parent.name}/{path.stem}", path)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.mlir"
        for name, generate in STATIC.items():
            path.write_text(generate(options.layers))
            print_static(options, f"generated: {name}", path)
        print()
        print("| program | allocations | bytes | `bounded`: allocations | bytes |")
        print("| --- | --- | --- | --- | --- |")
        path.write_text(generate_tiles(options.layers))
        print_tiles(options, path)


if __name__ == "__main__":
    main()
