#!/usr/bin/env python3
"""Measure what the scheduler means for the caches when the program runs.

    benchmarks/locality.py [--opt build/release/bin/buffer-merge-opt]
                           [--llvm /usr/lib/llvm-22/bin] [--caches 32,256]
                           [--shapes mlp,residual,unet,transformer,inception]
                           [--schedulers malloc,bump,size-first,hot-first,auto]
                           [--runs 3] [--layers N]

Generates programs with the shape of networks, merges all of their buffers with each scheduler
(`malloc`: not at all), compiles them with clang -O2, and executes them under cachegrind
with a first and a last level of so many KiB (needs valgrind). Prints for each scheduler

- the pool over the lower bound,
- the misses of data in the first and in the last level, over those of size-first, with
  the number of the latter,
- the shares of misses that `reuse_distance.py` computes from the plan for caches as
  large as these two.

Cachegrind simulates: the same program has the same misses each time, up to a few that
depend on the addresses that malloc and the loader return.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import reuse_distance


class Network:
    """A function of the input and of weights, written as text."""

    def __init__(self):
        self.body = []
        self.parameters = []  # (name, type)
        self.count = 0

    def parameter(self, shape):
        name = f"%w{len(self.parameters)}"
        self.parameters.append((name, shape))
        return name, shape

    def alloc(self, shape):
        self.count += 1
        name = f"%b{self.count}"
        self.body.append(f"{name} = memref.alloc() : {get_type(shape)}")
        return name, shape

    def op(self, name, inputs, shape):
        """Write a linalg operation; return the buffer of its result."""
        result = self.alloc(shape)
        if name == "matmul":
            self.body.append(f"linalg.fill ins(%zero : f32) outs({result[0]} : "
                             f"{get_type(shape)})")
        values = ", ".join(value for value, _ in inputs)
        types = ", ".join(get_type(s) for _, s in inputs)
        permutation = " permutation = [1, 0]" if name == "transpose" else ""
        if name == "transpose":
            self.body.append(f"linalg.transpose ins({values} : {types}) "
                             f"outs({result[0]} : {get_type(shape)}){permutation}")
        else:
            self.body.append(f"linalg.{name} ins({values} : {types}) "
                             f"outs({result[0]} : {get_type(shape)})")
        return result

    def matmul(self, a, b):
        return self.op("matmul", [a, b], (a[1][0], b[1][1]))

    def linear(self, x, width):
        return self.matmul(x, self.parameter((x[1][1], width)))

    def take(self, source, start, shape):
        """Return a view of some rows of `source`."""
        self.count += 1
        name = f"%v{self.count}"
        rows, columns = shape
        view = f"memref<{rows}x{columns}xf32, strided<[{columns}, 1], offset: {start * columns}>>"
        self.body.append(f"{name} = memref.subview {source[0]}[{start}, 0] "
                         f"[{rows}, {columns}] [1, 1] : {get_type(source[1])} to {view}")
        return name, view

    def copy(self, source, source_type, target, target_type):
        self.body.append(f"memref.copy {source}, {target} : {source_type} to {target_type}")

    def print(self, runs, file):
        """Print the network and a main function that executes it."""
        args = "".join(f", {name}: {get_type(shape)}" for name, shape in self.parameters[1:])
        name, shape = self.parameters[0]
        file.write(f"func.func private @net({name}: {get_type(shape)}{args}, "
                   f"%out: {get_type(self.result[1])}) {{\n"
                   "  %zero = arith.constant 0.0 : f32\n")
        for line in self.body:
            file.write(f"  {line}\n")
        file.write("  return\n}\n"
                   "func.func @main() -> i32 {\n"
                   "  %value = arith.constant 0.01 : f32\n"
                   "  %c0 = arith.constant 0 : index\n"
                   "  %c1 = arith.constant 1 : index\n"
                   f"  %runs = arith.constant {runs} : index\n")
        everything = self.parameters + [("%out", self.result[1])]
        for name, shape in everything:
            kind = get_type(shape)
            file.write(f"  {name} = memref.alloc() : {kind}\n"
                       f"  linalg.fill ins(%value : f32) outs({name} : {kind})\n")
        names = ", ".join(name for name, _ in everything)
        types = ", ".join(get_type(shape) for _, shape in everything)
        file.write("  scf.for %i = %c0 to %runs step %c1 {\n"
                   f"    func.call @net({names}) : ({types}) -> ()\n"
                   "  }\n"
                   # The result is looked at, so that the compiler must compute it.
                   "  %low = arith.constant -1.0e+30 : f32\n"
                   f"  %any = memref.load %out[%c0, %c0] : {get_type(self.result[1])}\n"
                   "  %isLow = arith.cmpf olt, %any, %low : f32\n"
                   "  %status = arith.extui %isLow : i1 to i32\n"
                   "  return %status : i32\n}\n")

    def finish(self, x):
        self.result = x
        self.copy(x[0], get_type(x[1]), "%out", get_type(x[1]))
        return self


def get_type(shape):
    return shape if isinstance(shape, str) else "memref<" + "x".join(map(str, shape)) + "xf32>"


def make_mlp(layers):
    """Layers of changing width: matmul, bias, activation."""
    net = Network()
    x = net.parameter((32, 128))
    widths = [256, 64, 192, 128, 96]
    for i in range(layers):
        y = net.linear(x, widths[i % len(widths)])
        z = net.op("add", [y, net.parameter(y[1])], y[1])
        x = net.op("abs", [z], z[1])
    return net.finish(x)


def make_residual(layers):
    """Element-wise blocks around which the input is carried, in stages of sizes."""
    net = Network()
    x = net.parameter((128, 128))
    for i in range(layers):
        a = net.op("add", [x, x], x[1])
        b = net.op("mul", [a, x], x[1])
        c = net.op("abs", [b], x[1])
        x = net.op("add", [c, x], x[1])
        if i % 3 == 2:  # on with a part of it, then with all again
            rows = {128: 96, 96: 48, 48: 128}[x[1][0]]
            y = net.alloc((rows, 128))
            if rows < x[1][0]:
                view = net.take(x, 0, (rows, 128))
                net.copy(*view, y[0], get_type(y[1]))
            else:
                net.body.append(f"linalg.fill ins(%zero : f32) outs({y[0]} : {get_type(y[1])})")
                view = net.take(y, 0, x[1])
                net.copy(x[0], get_type(x[1]), *view)
            x = y
    return net.finish(x)


def make_unet(layers):
    """Halves on the way down, doubles on the way up, with what was left on the way
    down added."""
    net = Network()
    x = net.parameter((256, 64))
    for _ in range(max(1, layers // 6)):
        skips = []
        while x[1][0] > 16:
            y = net.op("add", [x, x], x[1])
            skips.append(net.op("abs", [y], x[1]))
            half = net.alloc((x[1][0] // 2, 64))
            net.copy(*net.take(skips[-1], 0, half[1]), half[0], get_type(half[1]))
            x = net.linear(half, 64)
        for skip in reversed(skips):
            y = net.op("abs", [x], x[1])
            up = net.alloc(skip[1])
            for start in (0, x[1][0]):
                net.copy(y[0], get_type(y[1]), *net.take(up, start, x[1]))
            x = net.op("add", [up, skip], skip[1])
    return net.finish(x)


def make_transformer(layers):
    """Attention and a layer four times as wide, each with its input added."""
    net = Network()
    x = net.parameter((64, 64))
    for _ in range(max(1, layers // 4)):
        q, k, v = (net.linear(x, 64) for _ in range(3))
        scores = net.matmul(q, net.op("transpose", [k], (64, 64)))
        weights = net.op("abs", [scores], scores[1])
        mixed = net.linear(net.matmul(weights, v), 64)
        x = net.op("add", [mixed, x], x[1])
        wide = net.linear(x, 256)
        narrow = net.linear(net.op("abs", [wide], wide[1]), 64)
        x = net.op("add", [narrow, x], x[1])
    return net.finish(x)


def make_inception(layers):
    """Branches of different sizes from one buffer, and what they compute joined."""
    net = Network()
    x = net.parameter((192, 64))
    state = 1
    for _ in range(max(1, layers // 2)):
        parts = []
        for _ in range(4):
            state = state * 1103515245 + 12345 & 0x7fffffff
            rows = 16 * (1 + (state >> 16) % 4)
            part = net.alloc((rows, 64))
            net.copy(*net.take(x, 0, part[1]), part[0], get_type(part[1]))
            for _ in range(1 + (state >> 20) % 3):
                part = net.op("add", [part, part], part[1])
            parts.append(net.op("abs", [part], part[1]))
        x = net.alloc((sum(part[1][0] for part in parts), 64))
        start = 0
        for part in parts:
            net.copy(part[0], get_type(part[1]), *net.take(x, start, part[1]))
            start += part[1][0]
    return net.finish(x)


SHAPES = {"mlp": make_mlp, "residual": make_residual, "unet": make_unet,
          "transformer": make_transformer, "inception": make_inception}

LOWERING = ("buffer-deallocation-pipeline,convert-linalg-to-loops,lower-affine,"
            "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
            "convert-math-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,"
            "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
            "reconcile-unrealized-casts")


def run(command):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        sys.exit(str(error))
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    return result


def measure(args, source, scheduler, folder):
    """Return the plan, or None, and the misses in the first and last level."""
    path = os.path.join(folder, scheduler)
    first, last = args.caches
    pipeline, plan = LOWERING, None
    if scheduler != "malloc":
        pipeline = f"buffer-merge{{scheduler={scheduler} limit-peak=none report={path}.json}},{LOWERING}"
    run([args.opt, source, f"--pass-pipeline=builtin.module({pipeline})", "-o", f"{path}.mlir"])
    if scheduler != "malloc":
        with open(f"{path}.json") as file:
            plan = next(pool for pool in json.load(file)["pools"] if pool["function"] == "net")
    run([f"{args.llvm}/mlir-translate", "--mlir-to-llvmir", f"{path}.mlir", "-o", f"{path}.ll"])
    run([f"{args.llvm}/clang", "-O2", "-Wno-override-module", f"{path}.ll", "-o", path, "-lm"])
    result = run(["valgrind", "--tool=cachegrind", "--cache-sim=yes",
                  f"--D1={first * 1024},8,64", f"--LL={last * 1024},16,64",
                  f"--cachegrind-out-file={path}.out", path])
    misses = [int(re.search(rf"{level} misses: +([\d,]+)", result.stderr)[1].replace(",", ""))
              for level in ("D1 ", "LLd")]
    return plan, misses


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", default="build/release/bin/buffer-merge-opt")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--schedulers", default="malloc,bump,size-first,hot-first,auto")
    parser.add_argument("--caches", default="32,256")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--layers", type=int, default=24)
    args = parser.parse_args()
    args.caches = [int(cache) for cache in args.caches.split(",")]
    schedulers = args.schedulers.split(",")
    if "size-first" not in schedulers or len(args.caches) != 2:
        parser.error("size-first and two caches are needed")
    first, last = args.caches
    print(f"{'shape':12} {'scheduler':12} {'pool/bound':>10} {f'{first}K':>7} {f'{last}K':>7}"
          f"   model {f'{first}K':>6} {f'{last}K':>6}", flush=True)
    for shape in args.shapes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "net.mlir")
            with open(source, "w") as file:
                SHAPES[shape](args.layers).print(args.runs, file)
            rows = {s: measure(args, source, s, folder) for s in schedulers}
        base = rows["size-first"][1]
        for scheduler, (plan, misses) in rows.items():
            ratio, model = "", ""
            if plan:
                ratio = f"{plan['poolSize'] / plan['lowerBound']:.3f}"
                buffers = [(b["begin"], b["end"], b["size"], b["offset"])
                           for b in plan["buffers"]]
                _, _, shares = reuse_distance.summarize(buffers, args.caches, args.runs)
                model = "       " + " ".join(f"{share:6.3f}" for share in shares)
            relative = " ".join(f"{m / b:7.3f}" for m, b in zip(misses, base))
            print(f"{shape:12} {scheduler:12} {ratio:>10} {relative} {model}".rstrip(), flush=True)
        print(f"{shape:12} misses with size-first: {base[0]} and {base[1]}", flush=True)


if __name__ == "__main__":
    main()
