#!/usr/bin/env python3
"""Measure what a lifetime for each value of an allocation saves.

    benchmarks/values.py MODELS [--opt build/release/bin/buffer-merge-opt]
                         [--only REGEX] [--rounds N]

One row for each program below MODELS (docs/Benchmarks.md says what that is): the bytes of
all pools with one lifetime for each allocation (split-buffers=false), with one for each
value, with copies erased as well (erase-copies), and with operations in place on top of
that, which is the default; the number of memref.copy before, after the last two of these,
and after split-buffers and emplace-buffers=strided in front of the last one; and the user CPU time of buffer-lifetimes with one lifetime
for each value over that with one for each allocation. The pass, which changes nothing, runs
as often as takes a second or two, less the time to read the program. The least of N rounds
counts, in which the three take turns.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

import programs


def run(opt, path, passes):
    """Return the output of `passes` on the program `path`, and the user CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [opt, path, "--allow-unregistered-dialect", "--mlir-disable-threading", *passes],
        capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode:
        failure = programs.Failure(f"{' '.join(passes)} fails")
        failure.stderr = done.stderr
        raise failure
    return done.stdout, done.stderr, seconds


def measure_pools(opt, path, merge, *before):
    """Return the bytes of all pools, and the number of copies that are left."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "plan.json")
        text, _, _ = run(opt, path, [*before, f"--buffer-merge=limit-peak=none {merge} report={report}"])
        with open(report, encoding="utf-8") as file:
            pools = json.load(file)["pools"]
    # What is in arguments and results, or nowhere, takes no bytes by itself.
    elsewhere = ("argument", "none", "result")
    made = (p["poolSize"] for p in pools if "reason" not in p and p.get("storage") not in elsewhere)
    return sum(made), text.count("memref.copy")


def measure_time(opt, path, rounds):
    """Return the time for values over that for allocations, or nothing without rounds."""
    if not rounds:
        return ""
    passes = 1
    while run(opt, path, ["--buffer-lifetimes"] * passes + ["-o", os.devnull])[2] < 1:
        passes *= 2
    variants = ([], ["--buffer-lifetimes=split-buffers=false"] * passes,
                ["--buffer-lifetimes"] * passes)
    least = [float("inf")] * len(variants)
    for _ in range(rounds):
        for k, passes in enumerate(variants):
            least[k] = min(least[k], run(opt, path, [*passes, "-o", os.devnull])[2])
    read, allocations, values = least
    return f"{(values - read) / (allocations - read):.2f}"


def make_row(opt, path, rounds):
    """Return the columns of one program, after its name."""
    # Pools that the peak of the program forbids could not be compared.
    keep = "in-place=false erase-copies=false"
    whole, copies = measure_pools(opt, path, f"{keep} split-buffers=false")
    values, _ = measure_pools(opt, path, keep)
    erased, left = measure_pools(opt, path, "in-place=false")
    in_place, left_in_place = measure_pools(opt, path, "")
    _, strided = measure_pools(opt, path, "", "--split-buffers", "--emplace-buffers=strided")
    sizes = [f"{size:,}" for size in (whole, values, erased, in_place)]
    return [*sizes, str(copies), str(left), str(left_in_place), str(strided),
            measure_time(opt, path, rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("models")
    parser.add_argument("--opt", default=os.path.join(
        programs.ROOT, "build", "release", "bin", "buffer-merge-opt"))
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    found = programs.find_programs(options.models, options.only)
    if not found:
        sys.exit(f"values.py: there is no program in '{options.models}'")
    print("| program | allocations | values | copies erased | in place "
          "| copies | copies erased | in place | strided | time |")
    print("| --- " * 10 + "|")
    failed = False
    for name, path in found:
        try:
            row = make_row(options.opt, path, options.rounds)
        except programs.Failure as failure:
            failed = True
            row = [str(failure)]
            print(failure.stderr[-2000:], file=sys.stderr)
        print("| " + " | ".join([name, *row]) + " |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
