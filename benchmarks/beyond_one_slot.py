#!/usr/bin/env python3
"""Measure what goes beyond one slot for each allocation: bytes and allocations saved.

    benchmarks/beyond_one_slot.py [--opt build/release/bin/buffer-merge-opt]
                                  [--llvm /usr/lib/llvm-22/bin] [--models DIR]
                                  [--only NAME,...] [--iterations N] [--no-run]

For each program, one line for every way to process it that makes a difference: as it is,
merged, and merged with each feature (FEATURES). It says

- allocations that stay and their bytes, the number and bytes of the pools: of the text,
- allocations executed and the most bytes allocated at once: of a run, before which
  MLIR's buffer-deallocation-pipeline adds deallocations.

A feature that changes nothing for a program has no line. The programs are those that are
generated here, and with --models those of a folder: DIR/NAME/bufferized.mlir, which is run
if there is a DIR/NAME/driver.mlir, functions with a @main to be put behind it, and for what
these call DIR/tools/shim.c. Numbers of a text are the same every time, and so are those
of a run.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Name of the feature, and the passes that it is.
FEATURES = {
    "as it is": [],
    "merged": ["--buffer-merge"],
    "carried": ["--rotate-carried-buffers", "--buffer-merge"],
}

# Counts what memref.alloc and memref.dealloc become.
COUNTERS = r"""
#include <stdio.h>
#include <stdlib.h>
static long allocations, bytes, peak;
/* As much as malloc aligns to, and room for the size. */
enum { header = 16 };
void *_mlir_memref_to_llvm_alloc(size_t size) {
  char *block = malloc(size + header);
  *(size_t *)block = size;
  ++allocations;
  bytes += size;
  if (bytes > peak)
    peak = bytes;
  return block + header;
}
void _mlir_memref_to_llvm_free(void *pointer) {
  char *block = (char *)pointer - header;
  bytes -= *(size_t *)block;
  free(block);
}
__attribute__((destructor)) static void print(void) {
  fprintf(stderr, "\ncounted %ld %ld\n", allocations, peak);
}
"""

LOWERING = (
    "builtin.module(buffer-deallocation-pipeline,convert-bufferization-to-memref,func.func(scf-forall-to-parallel),"
    "convert-linalg-to-loops,func.func(convert-vector-to-scf),lower-affine,"
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "func.func(memref-expand,arith-expand),convert-vector-to-llvm,"
    "func.func(math-expand-ops),convert-math-to-llvm,convert-math-to-libm,"
    "convert-index-to-llvm,convert-arith-to-llvm,"
    "finalize-memref-to-llvm{use-generic-functions},convert-func-to-llvm,"
    "convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts)"
)


# What is generated: a function @main each. Buffers have 64 KiB.

TYPE = "memref<16384xf32>"


def combine(inputs, output):
    """Text of an operation that reads all of `inputs` to write `output`."""
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(inputs) + 1))
    names = ", ".join(inputs)
    types = ", ".join([TYPE] * len(inputs))
    block = ", ".join(f"%x{k}: f32" for k in range(len(inputs) + 1))
    return (
        f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} '
        f"ins({names} : {types}) outs({output} : {TYPE}) {{\n"
        f"^bb0({block}):\n"
        f"  %s = arith.addf %x0, %x{len(inputs) - 1} : f32\n"
        f"  linalg.yield %s : f32\n}}\n"
    )


def make_function(body, iterations):
    return (
        "func.func @main() {\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        f"%n = arith.constant {iterations} : index\n%one = arith.constant 1.0 : f32\n"
        f"%raw = memref.alloc() : {TYPE}\n"
        f"linalg.fill ins(%one : f32) outs(%raw : {TYPE})\n"
        f"%first = memref.alloc() : {TYPE}\n{combine(['%raw'], '%first')}"
        f"{body}return\n}}\n"
    )


def make_chain(length, iterations):
    """A loop in which each buffer is made of those of `length` iterations before."""
    old = [f"%p{k}" for k in range(length)]
    types = ", ".join([TYPE] * length)
    inits = ", ".join(f"{name} = %first" for name in old)
    return make_function(
        f"%r:{length} = scf.for %i = %c0 to %n step %c1 iter_args({inits}) "
        f"-> ({types}) {{\n"
        f"%t = memref.alloc() : {TYPE}\n{combine(old, '%t')}"
        f"%a = memref.alloc() : {TYPE}\n{combine(['%t', old[0]], '%a')}"
        f"scf.yield {', '.join(old[1:] + ['%a'])} : {types}\n}}\n"
        f"%x = memref.load %r#{length - 1}[%c0] : {TYPE}\n"
        "vector.print %x : f32\n",
        iterations,
    )


def make_layers(iterations):
    """A recurrent network: steps around layers, of which each needs temporaries."""
    return make_function(
        f"%r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %first) -> ({TYPE}) {{\n"
        f"%c4 = arith.constant 4 : index\n"
        f"%s = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %h) -> ({TYPE}) {{\n"
        f"%t = memref.alloc() : {TYPE}\n{combine(['%x'], '%t')}"
        f"%u = memref.alloc() : {TYPE}\n{combine(['%t', '%x'], '%u')}"
        f"%y = memref.alloc() : {TYPE}\n{combine(['%u', '%x'], '%y')}"
        f"scf.yield %y : {TYPE}\n}}\nscf.yield %s : {TYPE}\n}}\n"
        f"%x = memref.load %r[%c0] : {TYPE}\nvector.print %x : f32\n",
        iterations,
    )


def make_while(iterations):
    """A solver: until some condition, the next vector is made of the last two."""
    return make_function(
        f"%r:3 = scf.while (%i = %c0, %p = %first, %q = %first) : (index, {TYPE}, {TYPE}) "
        f"-> (index, {TYPE}, {TYPE}) {{\n"
        "%more = arith.cmpi ult, %i, %n : index\n"
        f"scf.condition(%more) %i, %p, %q : index, {TYPE}, {TYPE}\n}} do {{\n"
        f"^bb0(%i: index, %p: {TYPE}, %q: {TYPE}):\n"
        f"%a = memref.alloc() : {TYPE}\n{combine(['%p', '%q'], '%a')}"
        "%next = arith.addi %i, %c1 : index\n"
        f"scf.yield %next, %q, %a : index, {TYPE}, {TYPE}\n}}\n"
        f"%x = memref.load %r#2[%c0] : {TYPE}\nvector.print %x : f32\n",
        iterations,
    )


def generate_programs(iterations):
    """Yield names and texts."""
    yield "carry", make_chain(1, iterations)
    yield "chain of 3", make_chain(3, iterations)
    yield "layers in steps", make_layers(iterations)
    yield "solver (scf.while)", make_while(iterations)


def add_driver(program, driver):
    """Return the text of a program with functions put behind it."""
    if "call @main(" in driver:
        program = re.sub(
            r"func\.func (public )?@main\(", "func.func @__model_main(", program
        )
        driver = driver.replace("call @main(", "call @__model_main(")
    else:
        program = re.sub(
            r"(?ms)^  func\.func (?:public )?@main\(.*?^  \}\n", "", program
        )
    return program.rstrip()[:-1] + driver + "\n}"


def read_models(folder):
    """Yield names and texts, with the driver if there is one."""
    for path in sorted(folder.glob("*/bufferized.mlir")):
        text = path.read_text()
        driver = path.parent / "driver.mlir"
        yield path.parent.name, add_driver(text, driver.read_text()) if driver.exists() else text


class Measurement:
    """Numbers of one program, processed in one way."""

    def __init__(self, stays, stay_bytes, pools, pool_bytes):
        self.stays = stays
        self.stay_bytes = stay_bytes
        self.pools = pools
        self.pool_bytes = pool_bytes
        self.counts = None

    def get_text_numbers(self):
        return self.stays, self.stay_bytes, self.pools, self.pool_bytes


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = Path(folder)
        self.libraries = [
            str(Path(options.llvm).parent / "lib" / f"libmlir_{name}.so")
            for name in ["runner_utils", "c_runner_utils"]
        ]
        (self.folder / "counters.c").write_text(COUNTERS)
        self.libraries.append(self.compile(self.folder / "counters.c"))
        shim = options.models / "tools" / "shim.c" if options.models else None
        if shim and shim.exists():
            self.libraries.append(self.compile(shim))

    def compile(self, source):
        library = self.folder / f"lib{source.stem}.so"
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True
        )
        return str(library)

    def process(self, text, passes):
        """Return the processed text, and what `--buffer-merge` says of it."""
        source = self.folder / "in.mlir"
        source.write_text(text)
        report = self.folder / "report.json"
        command = [self.options.opt, source, "-o", self.folder / "out.mlir"]
        # What a program without pools is like is said by the analysis.
        if "--buffer-merge" in passes:
            command += [
                f"--buffer-merge=report={report}" if name == "--buffer-merge" else name
                for name in passes
            ]
        else:
            command += passes
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        output = (self.folder / "out.mlir").read_text()
        if "--buffer-merge" not in passes:
            # One allocation each, as far as sizes are static.
            command = [self.options.opt, self.folder / "out.mlir", "-o", "/dev/null"]
            command.append(f"--buffer-lifetimes=report={report}")
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            totals = json.loads(report.read_text())["totals"]
            return output, Measurement(
                totals["merged"] + totals["left"],
                totals["mergedBytes"] + totals["leftBytes"],
                0,
                0,
            )
        contents = json.loads(report.read_text())
        totals = contents["totals"]
        pools = sum(1 for pool in contents["pools"] if "reason" not in pool)
        return output, Measurement(
            totals["left"], totals["leftBytes"], pools, totals["poolBytes"]
        )

    def run(self, text):
        """Return allocations executed and the most bytes at once, or None."""
        if "@main(" not in text or self.options.no_run:
            return None
        lowered = subprocess.run(
            [f"{self.options.llvm}/mlir-opt", f"--pass-pipeline={LOWERING}"],
            input=text,
            capture_output=True,
            text=True,
        )
        if lowered.returncode != 0:
            print(lowered.stderr, file=sys.stderr)
            return None
        result = "i32" if re.search(r"func\.func @main\(.*\) -> i32", text) else "void"
        done = subprocess.run(
            [
                f"{self.options.llvm}/mlir-runner",
                "-O2",
                "-e",
                "main",
                f"-entry-point-result={result}",
                f"--shared-libs={','.join(self.libraries)},libm.so.6",
            ],
            input=lowered.stdout,
            capture_output=True,
            text=True,
        )
        counted = re.search(r"counted (\d+) (\d+)", done.stderr)
        if done.returncode != 0 or not counted:
            print(done.stderr, file=sys.stderr)
            return None
        return int(counted[1]), int(counted[2])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--opt", default="build/release/bin/buffer-merge-opt")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--models", type=Path)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--no-run", action="store_true")
    options = parser.parse_args()

    programs = list(generate_programs(options.iterations))
    if options.models:
        programs += read_models(options.models)
    if options.only:
        programs = [item for item in programs if item[0] in options.only.split(",")]
    print("| program | processed | stay | bytes | pools | bytes | executed | peak bytes |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for name, text in programs:
            lines = []
            for feature, passes in FEATURES.items():
                output, measurement = bench.process(text, passes)
                lines.append((feature, output, measurement))
            merged = lines[1][2].get_text_numbers()
            features = [
                line for line in lines[2:] if line[2].get_text_numbers() != merged
            ]
            if not features:
                continue
            for feature, output, measurement in lines[:2] + features:
                counts = bench.run(output) or ("-", "-")
                numbers = list(measurement.get_text_numbers()) + list(counts)
                cells = [f"{n:,}" if n != "-" else n for n in numbers]
                print(f"| {name} | {feature} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
