#!/usr/bin/env python3
"""Compare the time of --buffer-merge with that of parsing and printing, and see it grow.

    benchmarks/compile_time.py [--opt build/release/bin/buffer-merge-opt]
                               [--shapes block,nest,blocks,functions,selects,frees,ifs,scopes,
                                         carried,branches,tasks]
                               [--buffers N,N,...] [--accesses N] [--runs N]
                               [--pass-options 'scheduler=best-fit'] [--threads]
                               [--one-shot N]

Generates functions with N buffers: in one block, a chain of element-wise operations in
which each result is used by the next few; in nests of 64 loops; in 2 N blocks, in diamonds
and loops; and a block in each of N / 100 functions of a module. Each buffer is two
operations and as many that write it as `--accesses` says: with 3, there are 5 N. The other
shapes are those in which a careless analysis takes quadratic time: chains of N selections
of a new buffer or the previous one, without and with deallocations of all, the same by branches; N / 2 parallel loops with two buffers and blocks inside; a loop that
carries N buffers and rotates them; N / 3 branches with a large buffer that may not be
needed, between small ones; and N tasks that are awaited in the end.

Prints for each what -mlir-timing says of one process: parsing, the pass, printing, the
ratio of the pass to the other two together, and the microseconds of the pass for each
buffer. Each line is the run with the median ratio. `growth` is the time of the pass over
n log n, 1 for the first number of buffers: where it stays near 1, or falls, time grows no
faster than n log n; `exponent` is x if it grew with n^x since the number before. `KiB/buffer` is what the process takes at its peak beyond that which
only parses and prints. `/parse` is the ratio to parsing alone; both have the verifier
behind them in their time, as in every pipeline. `/one-shot` is the ratio to
one-shot-bufferize of the same program on tensors, in turn, for up to `--one-shot` buffers
in one block and in functions: it does not know the CFGs of the shape `blocks`, and its
time for nested loops grows exponentially with their depth.

`--threads` compares instead the wall time of the pass on one thread with that under MLIR's
threading, in turn, and whether both print the same; exit code 1 if they do not.

Absolute times depend on the machine; the ratios are what the benchmark is for.
"""

import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile


# How many operations write each buffer.
accesses = 1


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
        + accesses * f"{indent}linalg.add ins({a}, {b} : {types}) outs(%v{i} : {view})\n"
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


def generate_functions(num_buffers, file, size=100):
    """A module of functions of 100 buffers each."""
    for first in range(0, num_buffers, size):
        file.write(HEADER.replace("@f(", f"@f{first // size}("))
        names = ["%in", "%in", "%in"]
        for i in range(first, min(first + size, num_buffers)):
            names.append(write_step(file, "  ", i, (names[-1], names[-3])))
        write_use(file, "  ", names[-1])
        file.write("  return\n}\n")


def generate_selects(num_buffers, file, frees=False):
    """A chain of selections, each of a new buffer or the previous one: a buffer has as
    many aliases as follow it."""
    file.write(HEADER)
    previous = "%in"
    for i in range(num_buffers):
        file.write(f"  %b{i} = memref.alloc() : memref<64xf32>\n"
                   f"  %v{i} = arith.select %c, %b{i}, {previous} : memref<64xf32>\n")
        file.write(accesses * f"  linalg.exp ins(%in : memref<64xf32>)"
                   f" outs(%v{i} : memref<64xf32>)\n")
        previous = f"%v{i}"
    if frees:
        for i in range(num_buffers):
            file.write(f"  scf.if %c {{\n    memref.dealloc %v{i} : memref<64xf32>\n  }}\n")
    file.write("  return\n}\n")


def generate_frees(num_buffers, file):
    """`generate_selects`, and a deallocation of each selection."""
    generate_selects(num_buffers, file, frees=True)


def generate_ifs(num_buffers, file):
    """The same chain by branches that yield a new buffer or the previous one."""
    file.write(HEADER)
    previous = "%in"
    for i in range(num_buffers):
        file.write(f"  %v{i} = scf.if %c -> memref<64xf32> {{\n"
                   f"    %b{i} = memref.alloc() : memref<64xf32>\n")
        file.write(accesses * f"    linalg.exp ins(%in : memref<64xf32>)"
                   f" outs(%b{i} : memref<64xf32>)\n")
        file.write(f"    scf.yield %b{i} : memref<64xf32>\n  }} else {{\n"
                   f"    scf.yield {previous} : memref<64xf32>\n  }}\n"
                   f"  linalg.exp ins(%in : memref<64xf32>) outs(%v{i} : memref<64xf32>)\n")
        previous = f"%v{i}"
    file.write("  return\n}\n")


def generate_scopes(num_buffers, file):
    """A parallel loop for each two buffers, an alloc scope of its own, with a region of
    several blocks between them."""
    file.write(HEADER)
    for i in range(0, num_buffers, 2):
        file.write(f"  scf.forall (%i{i}) in (4) {{\n")
        write_step(file, "  ", i, ("%in", "%in"))
        file.write("    scf.execute_region {\n      cf.cond_br %c, ^left, ^right\n"
                   "    ^left:\n      cf.br ^right\n    ^right:\n      scf.yield\n    }\n")
        write_step(file, "  ", i + 1, ("%in", "%in"))
        file.write("  }\n")
    file.write("  return\n}\n")


def generate_carried(num_buffers, file):
    """A loop that carries all buffers, and passes each on as the next one."""
    file.write(HEADER)
    kind = "memref<64xf32>"
    numbers = range(num_buffers)
    for i in numbers:
        file.write(f"  %b{i} = memref.alloc() : {kind}\n"
                   f"  linalg.exp ins(%in : {kind}) outs(%b{i} : {kind})\n")
    kinds = ", ".join([kind] * num_buffers)
    carried = ", ".join(f"%p{i} = %b{i}" for i in numbers)
    file.write(f"  %r:{num_buffers} = scf.for %i = %c0 to %n step %c1"
               f" iter_args({carried}) -> ({kinds}) {{\n")
    for i in numbers:
        file.write(f"    linalg.exp ins(%in : {kind}) outs(%p{i} : {kind})\n")
    rotated = ", ".join(f"%p{(i + 1) % num_buffers}" for i in numbers)
    file.write(f"    scf.yield {rotated} : {kinds}\n  }}\n")
    for i in numbers:
        file.write(f"  memref.copy %r#{i}, %out : {kind} to {kind}\n")
    file.write("  return\n}\n")


def generate_branches(num_buffers, file):
    """For each three buffers: a small one, a large one in a branch, another small one."""
    file.write(HEADER)
    for i in range(0, num_buffers, 3):
        first = write_step(file, "  ", i, ("%in", "%in"))
        kind = f"memref<{100000 + i}xf32>"
        file.write(f"  scf.if %c {{\n    %b{i + 1} = memref.alloc() : {kind}\n"
                   f"    %f{i} = memref.load %in[%c0] : memref<64xf32>\n"
                   f"    linalg.fill ins(%f{i} : f32) outs(%b{i + 1} : {kind})\n  }}\n")
        write_use(file, "  ", first)
        write_use(file, "  ", write_step(file, "  ", i + 2, ("%in", "%in")))
    file.write("  return\n}\n")


def generate_tasks(num_buffers, file):
    """A chain of tasks, each with a buffer that is allocated outside."""
    file.write(HEADER)
    previous = ""
    for i in range(num_buffers):
        file.write(f"  %b{i} = memref.alloc() : memref<64xf32>\n"
                   f"  %t{i} = async.execute {previous} {{\n"
                   f"    linalg.exp ins(%in : memref<64xf32>) outs(%b{i} : memref<64xf32>)\n"
                   f"    async.yield\n  }}\n")
        previous = f"[%t{i}]"
    file.write(f"  async.await %t{num_buffers - 1} : !async.token\n  return\n}}\n")


def generate_tensor_block(num_buffers, file, first=0, symbol="f"):
    """`generate_block` on tensors."""
    kind = "tensor<64xf32>"
    file.write(f"func.func @{symbol}(%in: {kind}, %out: {kind}) -> {kind} {{\n")
    names = ["%in", "%in", "%in"]
    for i in range(first, first + num_buffers):
        whole = f"tensor<{64 * (1 + i % 7)}xf32>"
        file.write(f"  %b{i} = tensor.empty() : {whole}\n"
                   f"  %s{i} = tensor.extract_slice %b{i}[0] [64] [1] : {whole} to {kind}\n")
        result = f"%s{i}"
        for access in range(accesses):
            file.write(f"  %v{i}_{access} = linalg.add ins({names[-1]}, {names[-3]} : {kind},"
                       f" {kind}) outs({result} : {kind}) -> {kind}\n")
            result = f"%v{i}_{access}"
        names.append(result)
    file.write(f"  %r = linalg.copy ins({names[-1]} : {kind}) outs(%out : {kind}) -> {kind}\n"
               f"  return %r : {kind}\n}}\n")


def generate_tensor_functions(num_buffers, file, size=100):
    """`generate_functions` on tensors."""
    for first in range(0, num_buffers, size):
        generate_tensor_block(min(size, num_buffers - first), file, first,
                              f"f{first // size}")


TENSOR_SHAPES = {"block": generate_tensor_block, "functions": generate_tensor_functions}
SHAPES = {"block": generate_block, "nest": generate_nest, "blocks": generate_blocks,
          "functions": generate_functions, "selects": generate_selects,
          "frees": generate_frees, "ifs": generate_ifs, "scopes": generate_scopes,
          "carried": generate_carried, "branches": generate_branches,
          "tasks": generate_tasks}


def run(command):
    """Run a command; return what it says on standard error, and its peak of memory in
    KiB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        sys.exit(f"{' '.join(command)}:\n{errors}")
    return errors, usage.ru_maxrss


def measure(opt, path, pipeline, output=os.devnull, flags=()):
    """Return the wall seconds of parsing, the passes and printing in one process, and its
    peak of memory in KiB."""
    errors, memory = run(
        [opt, path, f"--pass-pipeline=builtin.module({pipeline})", "-o", output, *flags,
         "-mlir-timing", "-mlir-timing-display=list", "-mlir-output-format=json"])
    seconds = {"Parser": 0.0, "Output": 0.0, "passes": 0.0, "memory": memory}
    for entry in json.loads(errors):
        if entry["name"] in ("Parser", "Output"):
            seconds[entry["name"]] += entry["wall"]["duration"]
        elif entry["name"] in ("BufferMergePass", "OneShotBufferizePass"):
            seconds["passes"] += entry["wall"]["duration"]
    return seconds


def print_growth(args, shape, counts, path, pipeline):
    """Print a line for each number of buffers."""
    first = before = None
    for num_buffers in counts:
        with open(path, "w") as file:
            SHAPES[shape](num_buffers, file)
        tensors = None
        if shape in TENSOR_SHAPES and num_buffers <= args.one_shot:
            tensors = path + ".tensors"
            with open(tensors, "w") as file:
                TENSOR_SHAPES[shape](num_buffers, file)
        runs, one_shot = [], []
        for _ in range(args.runs):
            runs.append(measure(args.opt, path, pipeline))
            if tensors:
                other = measure(args.opt, tensors,
                                "one-shot-bufferize{bufferize-function-boundaries}")
                one_shot.append(runs[-1]["passes"] / other["passes"])
        runs.sort(key=lambda s: s["passes"] / (s["Parser"] + s["Output"]))
        middle = runs[len(runs) // 2]
        idle = measure(args.opt, path, "")
        rest = middle["Parser"] + middle["Output"]
        growth = middle["passes"] / (num_buffers * math.log(num_buffers))
        first = first or growth
        exponent = "-"
        if before:
            exponent = "%.2f" % (math.log(middle["passes"] / before[1])
                                 / math.log(num_buffers / before[0]))
        before = num_buffers, middle["passes"]
        print(f"{shape:9}  {num_buffers:7}  {rest:15.3f}  {middle['passes']:16.3f}"
              f"  {middle['passes'] / rest:5.2f}"
              f"  {1e6 * middle['passes'] / num_buffers:9.1f}  {growth / first:6.2f}"
              f"  {exponent:>8}"
              f"  {(middle['memory'] - idle['memory']) / num_buffers:10.2f}"
              f"  {middle['passes'] / middle['Parser']:6.2f}"
              + (f"  {sorted(one_shot)[len(one_shot) // 2]:9.2f}" if tensors else ""),
              flush=True)


def print_threads(args, shape, counts, path, pipeline):
    """Print a line for each number of buffers; return whether all outputs are the same."""
    same = True
    outputs = [path + ".one", path + ".all"]
    for num_buffers in counts:
        with open(path, "w") as file:
            SHAPES[shape](num_buffers, file)
        ratios = []
        for _ in range(args.runs):
            one, many = (measure(args.opt, path, pipeline, output, flags)["passes"]
                         for output, flags in zip(outputs, (["--mlir-disable-threading"], [])))
            ratios.append((many / one, one, many))
        digests = set()
        for output in outputs:
            with open(output, "rb") as file:
                digests.add(hashlib.sha256(file.read()).digest())
        same &= len(digests) == 1
        ratio, one, many = sorted(ratios)[len(ratios) // 2]
        print(f"{shape:9}  {num_buffers:7}  {one:14.3f}  {many:11.3f}  {ratio:5.2f}  "
              + ("same" if len(digests) == 1 else "DIFFERENT"), flush=True)
    return same


def main():
    global accesses
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", default="build/release/bin/buffer-merge-opt")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--buffers", default="1000,10000,100000")
    parser.add_argument("--accesses", type=int, default=1,
                        help="operations that write each buffer")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pass-options", default="", help="such as scheduler=best-fit")
    parser.add_argument("--one-shot", type=int, default=10000, metavar="N",
                        help="compare up to N buffers with one-shot-bufferize; 0: none")
    parser.add_argument("--threads", action="store_true",
                        help="compare one thread with MLIR's threading")
    args = parser.parse_args()
    if not os.path.exists(args.opt):
        sys.exit(f"{args.opt} does not exist: build the release preset first")
    shapes = args.shapes.split(",")
    for shape in shapes:
        if shape not in SHAPES:
            sys.exit(f"unknown shape '{shape}', expected one of: {', '.join(SHAPES)}")

    accesses = args.accesses
    counts = [int(count) for count in args.buffers.split(",")]
    options = f"{{{args.pass_options}}}" if args.pass_options else ""
    pipeline = f"buffer-merge{options}"
    same = True
    print("shape      buffers  one thread [s]  threads [s]  ratio  output" if args.threads else
          "shape      buffers  parse+print [s]  buffer-merge [s]  ratio  us/buffer  growth"
          "  exponent"
          "  KiB/buffer  /parse  /one-shot")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        for shape in shapes:
            if args.threads:
                same &= print_threads(args, shape, counts, path, pipeline)
            else:
                print_growth(args, shape, counts, path, pipeline)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
