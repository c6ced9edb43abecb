"""Check that what stock passes lower is still lowered after merging.

usage: check-lowering.py --opt=PATH --lowering=PASSES [--merge=PASS]... FOLDER

Takes each program in the files of FOLDER (`// -----` and `//---` begin another one)
through PASSES, as it is and behind each PASS (`buffer-merge` by default). If not all of
PASSES take it as it is, those up to `finalize-memref-to-llvm` count. A line for each
program that is no longer lowered says where it begins and why; the last line counts.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CUT = "// -----CUT"
# More programs in one process save its start; fewer keep all processors busy.
BATCH = 24


def read_programs(folder):
    """Return the programs in `folder`: where each begins, and its text."""
    programs = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".mlir", ".test"):
            continue
        start, lines = 1, []
        text = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(text + ["//---"], 1):
            if not re.match(r"(//|#) ?---", line):
                lines.append(line)
                continue
            program = "\n".join(lines)
            if re.search(r"memref|tensor", program):
                programs.append((f"{path.relative_to(folder)}:{start}", program))
            start, lines = number + 1, []
    return programs


def process(opt, passes, programs):
    """Return for each of `programs` whether `passes` take it, and all errors."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(f"\n{CUT}\n".join(text for _, text in programs))
        file.flush()
        result = subprocess.run(
            [opt, file.name, "--allow-unregistered-dialect", "--mlir-disable-threading"]
            + [f"--split-input-file={CUT}", f"--output-split-marker={CUT}"]
            + [f"--pass-pipeline=builtin.module({passes})"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1"),
            text=True,
            check=False,
        )
    taken = [bool(text.strip()) for text in result.stdout.split(CUT)]
    if result.returncode >= 0 and len(taken) == len(programs):
        return taken, result.stderr
    if len(programs) == 1:
        return [False], result.stderr or f"exit code {result.returncode}"
    # One of them ends the process: it comes after those whose output is complete.
    done = len(taken) - 1 if result.returncode < 0 else 0
    if not done:
        done = len(programs) // 2
        taken, _ = process(opt, passes, programs[:done])
    rest, _ = process(opt, passes, programs[done:])
    return taken[:done] + rest, ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--lowering", required=True)
    parser.add_argument("--merge", action="append")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))

    def select(passes, programs):
        """Return those of `programs` that `passes` take."""
        batches = [programs[i : i + BATCH] for i in range(0, len(programs), BATCH)]
        taken = pool.map(lambda batch: process(options.opt, passes, batch)[0], batches)
        return [
            program
            for batch, flags in zip(batches, taken)
            for program, flag in zip(batch, flags)
            if flag
        ]

    rest = read_programs(options.folder)
    memref = re.sub(r"(finalize-memref-to-llvm[^,]*),.*", r"\1", options.lowering)
    lowered = failed = 0
    for lowering in (options.lowering, memref):
        before = select(lowering, rest)
        rest = [program for program in rest if program not in before]
        for merge in options.merge or ["buffer-merge"]:
            after = select(f"{merge},{lowering}", before)
            lost = [program for program in before if program not in after]
            # The pass may refuse a program, with an error.
            lost = select(merge, lost)
            for program in lost:
                _, error = process(options.opt, f"{merge},{lowering}", [program])
                print(f"{program[0]}: {merge}: {error.strip().splitlines()[0]}")
            failed += len(lost)
            lowered += len(before) - len(lost)
    print(f"{lowered} lowered, {failed} no longer")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
