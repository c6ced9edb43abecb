"""Run passes of MLIR after buffer-merge, and the program that results.

Every program prints the same as without merging, whatever passes come later: these
tell memory apart by the values of memrefs. A program that prints something else, or
cannot be lowered, with these passes alone is left out.
"""

import argparse
import functools
import os
import re
import shlex
import subprocess
import sys

# By name, passes that later passes of a real pipeline are likely to be.
PIPELINES = {
    "affine": "func.func(convert-linalg-to-affine-loops,affine-raise-from-memref,"
    "affine-loop-normalize,affine-loop-invariant-code-motion,affine-scalrep,"
    "affine-data-copy-generate{fast-mem-space=0 skip-non-unit-stride-loops=0},"
    "affine-loop-unroll-jam,affine-loop-unroll,affine-loop-coalescing,"
    "affine-simplify-structures,affine-expand-index-ops)",
    "affine-tiles": "func.func(convert-linalg-to-affine-loops,affine-loop-tile,"
    "affine-parallelize,affine-loop-invariant-code-motion)",
    "scf-memref": "func.func(convert-linalg-to-parallel-loops,"
    "scf-parallel-loop-fusion,scf-parallel-loop-specialization,"
    "scf-parallel-loop-tiling,loop-invariant-code-motion,"
    "loop-invariant-subset-hoisting,scf-for-loop-peeling,"
    "scf-for-loop-specialization),normalize-memrefs,"
    "func.func(fold-memref-alias-ops,buffer-hoisting,buffer-loop-hoisting,"
    "promote-buffers-to-stack,memref-expand),cse,canonicalize",
}


def run(command, text):
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return result.stdout if result.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opt", required=True, help="buffer-merge-opt")
    parser.add_argument("--left-out", action="append", default=[], help="a program")
    parser.add_argument("--options", action="append", default=[])
    parser.add_argument("--pipelines", default=",".join(PIPELINES))
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    # Lowers what it reads, and runs it, if that is not done already (run-once.sh).
    execute = os.environ["EXECUTE"]
    command = shlex.split(execute)[-1]

    def later(name):
        """Does that behind the passes called `name`, which no other test runs there.

        LLVM's passes come after MLIR's: other tests run them, on less.
        """
        pipeline = "--pass-pipeline=builtin.module("
        added = command.replace(pipeline, f"{pipeline}{PIPELINES[name]},", 1)
        return added.replace("mlir-runner -O1", "mlir-runner -O0", 1)

    @functools.lru_cache(maxsize=None)
    def merge(source, options):
        return run(f"'{arguments.opt}' '--buffer-merge={options}'", source)

    printed = {}

    def check(job):
        path, name = job
        source = open(path).read()
        if path not in printed:
            # The program as its own test executes it, which may be done already.
            given = run(f"'{arguments.opt}'", source)
            printed[path] = given and run(execute, given)
        if printed[path] is None:
            return [], 0
        wrong = []
        for options in arguments.options or [""]:
            merged = merge(source, options)
            if merged and run(later(name), merged) == printed[path]:
                continue
            # These passes alone may be what goes wrong.
            if run(later(name), source) != printed[path]:
                return [], 0
            program = os.path.basename(path)
            wrong.append(f"{program}: {name} after buffer-merge={options}")
        return wrong, len(arguments.options) or 1

    jobs = [
        (path, name)
        for path in arguments.programs
        for name in arguments.pipelines.split(",")
        if os.path.basename(path) not in arguments.left_out
    ]
    # Programs that need a target or a library of their own do not run like this.
    jobs = [job for job in jobs if re.search(r"^// RUN:.*%execute", open(job[0]).read(), re.M)]
    results = [check(job) for job in jobs]
    for wrong, _ in results:
        for line in wrong:
            print(line)
    count = sum(len(wrong) for wrong, _ in results)
    print(f"{sum(number for _, number in results) - count} the same, {count} different")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
