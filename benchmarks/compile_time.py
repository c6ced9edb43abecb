#!/usr/bin/env python3
"""Compare the time of --buffer-merge with that of parsing and printing, and see it grow.

    benchmarks/compile_time.py [--opt build/release/bin/buffer-merge-opt]
                               [--shapes block,nest,blocks,functions,selects,frees,ifs,scopes,
                                         carried,branches,tasks,branchnest,calls,tournament,
                                         results,alive,parts,values,tiles,
                                         views,sizes]
                               [--buffers N,N,...] [--accesses N] [--runs N]
                               [--pass-options 'scheduler=best-fit'] [--threads]
                               [--one-shot N] [--instructions]

Generates functions with N buffers: in one block, a chain of element-wise operations in
which each result is used by the next few; in nests of 64 loops; in 2 N blocks, in diamonds
and loops; and a block in each of N / 100 functions of a module. Each buffer is two
operations and as many that write it as `--accesses` says: with 3, there are 5 N. The other
shapes are those in which a careless analysis takes quadratic time: chains of N selections
of a new buffer or the previous one, without and with deallocations of all, the same by branches; N / 2 parallel loops with two buffers and blocks inside; a loop that
carries N buffers and rotates them; N / 3 branches with a large buffer that may not be
needed, between small ones; and N tasks that are awaited in the end; nests of 150 branches;
functions that call the next one; a tournament of selections; a function that returns N
buffers; N that are alive at once; N parts of one buffer; N / 8 buffers that hold 8 values
each; a kernel with N tiles; a chain of N views, all of which are filled; and N buffers,
each of a size of its own that is known when the program runs.

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

`--instructions` counts instead, with callgrind on one thread and without the verifier of
passes, the instructions of the pass and of parsing, in millions, which hardly depend on the
machine and its load: their ratio, and the exponent from the first number of buffers to each.
With `--most RATIO` and `--most-exponent X`, exit code 1 if one of them is larger at the
last number of buffers.

`--threads` compares instead the wall time of the pass on one thread with that under MLIR's
threading, in turn, and whether both print the same; exit code 1 if they do not.

Absolute times depend on the machine; the ratios are what the benchmark is for.
"""

import argparse
import hashlib
import json
import math
import os
import re
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


def write_pair(file, i, body):
    """Write the first and the last access of buffer `i` around `body`."""
    kind = f"memref<{64 * (1 + i % 7)}xf32>"
    file.write(f"  %b{i} = memref.alloc() : {kind}\n"
               f"  memref.store %f, %b{i}[%c0] : {kind}\n")
    body()
    file.write(f"  %r{i} = memref.load %b{i}[%c0] : {kind}\n"
               f"  memref.store %r{i}, %out[%c0] : memref<64xf32>\n")


FLOAT = "  %f = arith.constant 1.0 : f32\n"


def generate_branchnest(num_buffers, file, depth=150):
    """Nests of 150 branches, with a buffer around each."""
    file.write(HEADER + FLOAT)
    for first in range(0, num_buffers, depth):
        count = min(depth, num_buffers - first)

        def write(i):
            if i == first + count:
                return
            def inside():
                file.write("  scf.if %c {\n")
                write(i + 1)
                file.write("  }\n")
            write_pair(file, i, inside)
        write(first)
    file.write("  return\n}\n")


def generate_calls(num_buffers, file):
    """Functions with a buffer before and one after their call of the next one."""
    number = max(1, num_buffers // 2)
    for i in range(number):
        file.write(HEADER.replace("func.func @f", f"func.func {'private ' if i else ''}@f{i}")
                   + FLOAT)
        write_pair(file, 2 * i, lambda: None)
        if i + 1 < number:
            file.write(f"  func.call @f{i + 1}(%in, %out, %n, %c)"
                       " : (memref<64xf32>, memref<64xf32>, index, i1) -> ()\n")
        write_pair(file, 2 * i + 1, lambda: None)
        file.write("  return\n}\n")


def generate_tournament(num_buffers, file):
    """Selections of two buffers, of two selections, and so on, until one is left."""
    file.write(HEADER)
    names = [f"%b{i}" for i in range(num_buffers)]
    for name in names:
        file.write(f"  {name} = memref.alloc() : memref<64xf32>\n"
                   f"  linalg.exp ins(%in : memref<64xf32>) outs({name} : memref<64xf32>)\n")
    while len(names) > 1:
        first, second = names[:2]
        name = f"%s{len(names)}"
        file.write(f"  {name} = arith.select %c, {first}, {second} : memref<64xf32>\n")
        names = names[2:] + [name]
    file.write(f"  memref.copy {names[0]}, %out : memref<64xf32> to memref<64xf32>\n"
               "  return\n}\n")


def generate_results(num_buffers, file):
    """A function that returns all of its buffers, and one that uses them."""
    kinds = ", ".join(["memref<64xf32>"] * num_buffers)
    file.write(f"func.func private @all(%in: memref<64xf32>) -> ({kinds}) {{\n")
    for i in range(num_buffers):
        file.write(f"  %b{i} = memref.alloc() : memref<64xf32>\n"
                   f"  linalg.exp ins(%in : memref<64xf32>) outs(%b{i} : memref<64xf32>)\n")
    names = ", ".join(f"%b{i}" for i in range(num_buffers))
    file.write(f"  return {names} : {kinds}\n}}\n{HEADER}"
               f"  %r:{num_buffers} = func.call @all(%in) : (memref<64xf32>) -> ({kinds})\n")
    for i in range(num_buffers):
        file.write(f"  memref.copy %r#{i}, %out : memref<64xf32> to memref<64xf32>\n")
    file.write("  return\n}\n")


def generate_alive(num_buffers, file):
    """All buffers are alive before the first one is used."""
    file.write(HEADER)
    names = [write_step(file, "  ", i, ("%in", "%in")) for i in range(num_buffers)]
    for name in names:
        write_use(file, "  ", name)
    file.write("  return\n}\n")


def generate_parts(num_buffers, file):
    """One large buffer that is written part by part, each from a small buffer."""
    file.write(HEADER)
    whole = f"memref<{64 * num_buffers}xf32>"
    file.write(f"  %whole = memref.alloc() : {whole}\n")
    for i in range(num_buffers):
        part = f"memref<64xf32, strided<[1], offset: {64 * i}>>"
        file.write(f"  %p{i} = memref.subview %whole[{64 * i}] [64] [1] : {whole} to {part}\n"
                   f"  memref.copy {write_step(file, '  ', i, ('%in', '%in'))}, %p{i}"
                   f" : memref<64xf32, strided<[1]>> to {part}\n")
    file.write(f"  %first = memref.load %whole[%c0] : {whole}\n"
               "  memref.store %first, %out[%c0] : memref<64xf32>\n  return\n}\n")


def generate_values(num_buffers, file, values=8):
    """Allocations that hold eight values one after the other, which count as buffers."""
    file.write(HEADER)
    number = max(1, num_buffers // values)
    for i in range(number):
        file.write(f"  %b{i} = memref.alloc() : memref<{64 * (1 + i % 7)}xf32>\n"
                   f"  %v{i} = memref.subview %b{i}[0] [64] [1] :"
                   f" memref<{64 * (1 + i % 7)}xf32> to memref<64xf32, strided<[1]>>\n")
    for _ in range(values):
        for i in range(number):
            file.write(f"  linalg.exp ins(%in : memref<64xf32>)"
                       f" outs(%v{i} : memref<64xf32, strided<[1]>>)\n")
            write_use(file, "  ", f"%v{i}")
    file.write("  return\n}\n")


def generate_tiles(num_buffers, file):
    """A kernel of loops, each with a tile that its threads fill and read."""
    space = "#gpu.address_space<workgroup>"
    file.write("module attributes {gpu.container_module} {\ngpu.module @kernels {\n"
               "gpu.func @f(%in: memref<1024xf32>, %n: index) kernel"
               " attributes {known_block_size = array<i32: 64, 1, 1>} {\n"
               "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
               "  %t = gpu.thread_id x\n")
    for i in range(num_buffers):
        file.write(f"  %b{i} = memref.alloc() : memref<64xf32, {space}>\n")
    for i in range(num_buffers):
        file.write(f"  scf.for %i{i} = %c0 to %n step %c1 {{\n"
                   f"    %x{i} = memref.load %in[%t] : memref<1024xf32>\n"
                   f"    memref.store %x{i}, %b{i}[%t] : memref<64xf32, {space}>\n"
                   "    gpu.barrier\n"
                   f"    %y{i} = memref.load %b{i}[%c0] : memref<64xf32, {space}>\n"
                   f"    memref.store %y{i}, %in[%t] : memref<1024xf32>\n"
                   "    gpu.barrier\n  }\n")
    file.write("  gpu.return\n}\n}\n}\n")


def generate_views(num_buffers, file):
    """A chain of views of one buffer, each of the one before; another buffer follows."""
    file.write(HEADER + "  %x = arith.constant 1.0 : f32\n")
    kinds = ["memref<64xf32>", "memref<64xf32, strided<[1]>>"]
    file.write(f"  %b0 = memref.alloc() : {kinds[0]}\n"
               f"  %v0 = memref.subview %b0[0] [64] [1] : {kinds[0]} to {kinds[1]}\n")
    for i in range(1, num_buffers):
        file.write(f"  %v{i} = memref.subview %v{i - 1}[0] [64] [1] :"
                   f" {kinds[1]} to {kinds[1]}\n"
                   f"  linalg.fill ins(%x : f32) outs(%v{i} : {kinds[1]})\n")
    write_use(file, "  ", f"%v{num_buffers - 1}")
    file.write(f"  %b1 = memref.alloc() : {kinds[0]}\n"
               f"  linalg.exp ins(%in : {kinds[0]}) outs(%b1 : {kinds[0]})\n"
               f"  memref.copy %b1, %out : {kinds[0]} to {kinds[0]}\n"
               "  return\n}\n")


def generate_sizes(num_buffers, file):
    """Each buffer has a size of its own that is known at run time."""
    file.write(HEADER)
    for i in range(num_buffers):
        file.write(f"  %s{i} = affine.min affine_map<(d0) -> (d0 + {i}, {64 + i % 64})>(%n)\n"
                   f"  %b{i} = memref.alloc(%s{i}) : memref<?xf32>\n"
                   f"  %x{i} = memref.load %in[%c0] : memref<64xf32>\n"
                   f"  memref.store %x{i}, %b{i}[%c0] : memref<?xf32>\n"
                   f"  %y{i} = memref.load %b{i}[%c0] : memref<?xf32>\n"
                   f"  memref.store %y{i}, %out[%c0] : memref<64xf32>\n")
    file.write("  return\n}\n")


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
          "tasks": generate_tasks, "branchnest": generate_branchnest,
          "calls": generate_calls, "tournament": generate_tournament,
          "results": generate_results, "alive": generate_alive, "parts": generate_parts,
          "values": generate_values, "tiles": generate_tiles, "views": generate_views,
          "sizes": generate_sizes}


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


def count_instructions(opt, path, pass_options):
    """Return the instructions of the pass and of parsing."""
    functions = ["buffer_merge::mergeBuffers(", "mlir::parseAsmSourceFile("]
    profile = path + ".callgrind"
    run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
         *(f"--toggle-collect={function}*" for function in functions), opt, path,
         f"--buffer-merge={pass_options}", "--mlir-disable-threading", "--verify-each=0",
         "-o", os.devnull])
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile],
                          check=True, capture_output=True, text=True).stdout
    counts = []
    for function in functions:
        found = re.search(r"^ *([\d,]+) [^\n]*:" + re.escape(function), text, re.MULTILINE)
        if not found:
            sys.exit(f"{opt}: callgrind finds no {function}): is it stripped?")
        counts.append(int(found[1].replace(",", "")))
    return counts


def print_instructions(args, shape, counts, path):
    """Print a line for each number of buffers; return whether the last one is within the
    limits."""
    first = None
    for num_buffers in counts:
        with open(path, "w") as file:
            SHAPES[shape](num_buffers, file)
        merging, parsing = count_instructions(args.opt, path, args.pass_options)
        ratio, exponent = merging / parsing, None
        if first:
            exponent = (math.log(merging / first[1]) / math.log(num_buffers / first[0]))
        first = first or (num_buffers, merging)
        print(f"{shape:10}  {num_buffers:7}  {parsing / 1e6:9.1f}  {merging / 1e6:9.1f}"
              f"  {ratio:5.2f}  " + ("-" if exponent is None else f"{exponent:.2f}"), flush=True)
    return ratio <= args.most and (exponent or 0) <= args.most_exponent


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
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions instead, with callgrind")
    parser.add_argument("--most", type=float, default=math.inf, metavar="RATIO")
    parser.add_argument("--most-exponent", type=float, default=math.inf, metavar="X")
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
    print("shape       buffers    parsing       pass  ratio  exponent" if args.instructions else
          "shape      buffers  one thread [s]  threads [s]  ratio  output" if args.threads else
          "shape      buffers  parse+print [s]  buffer-merge [s]  ratio  us/buffer  growth"
          "  exponent"
          "  KiB/buffer  /parse  /one-shot")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        for shape in shapes:
            if args.instructions:
                same &= print_instructions(args, shape, counts, path)
            elif args.threads:
                same &= print_threads(args, shape, counts, path, pipeline)
            else:
                print_growth(args, shape, counts, path, pipeline)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
