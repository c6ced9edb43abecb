#!/usr/bin/env python3
"""Measure everything that docs/Benchmarks.md shows, and write its tables and its plot.

    benchmarks/document.py FOLDER [--library FILE]... [--parts suite,programs,time]
                           [--results build/benchmarks] [--build build/release]

FOLDER has the published networks. Runs suite.py, run_programs.py and run_time.py, as far
as `--parts` names them, and leaves what they write in the folder of results; then writes
the tables between the marks of the document from what is in that folder, of this or of
an earlier call. `--parts none` only writes the tables.

Takes an hour or so on an idle machine: a minute or two for `suite`, most of the rest for
`programs` (the unfused networks run in naive loops), ten minutes for `time`.
"""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys

import plot
import programs
import run_time
import suite

ROOT = programs.ROOT
DOCUMENT = os.path.join(ROOT, "docs", "Benchmarks.md")
PLOT = os.path.join(ROOT, "docs", "images", "benchmarks.svg")
PARTS = ["suite", "programs", "time"]
# What is executed against stock deallocation: what takes seconds, in many rounds and at
# -O2; and what takes longer, to compile above all, in few rounds and at -O1.
TIMED = (r"^(buddy-(bert|attention-loop)|cinnamon-tinyllama|lagrad-mlp-grad"
         r"|imex-plaidml-mnist-cnn)/bufferized\.mlir")
TIMED_LONG = r"^tpp-mobilebert/bufferized\.mlir"


def measure(args, part, results):
    """Run the commands of one part; their failures are in their tables."""
    script = {"suite": "suite.py", "programs": "run_programs.py", "time": "run_time.py"}[part]
    common = ["--build", args.build, "--llvm", args.llvm]
    libraries = [f"--library={path}" for path in args.library]
    runs = {"suite": [("suite", args.folder,
                       ["--only", r"/(bufferized(_dealloc)?|input|ported)\.mlir", "--rounds=11"])],
            "programs": [("programs", args.folder, [*libraries, "-O1", "--limit=1800"])],
            "time": [("time-own", os.path.join(ROOT, "benchmarks", "programs"), ["--rounds=7"]),
                     ("time-networks", args.folder,
                      [*libraries, "--only", TIMED, "--rounds=7"]),
                     ("time-long", args.folder,
                      [*libraries, "--only", TIMED_LONG, "-O1", "--rounds=3",
                       "--cachegrind=0", "--limit=1800"])]}[part]
    for name, folder, options in runs:
        subprocess.run([sys.executable, os.path.join(ROOT, "benchmarks", script), folder,
                        *common, *options, "--json", os.path.join(results, f"{name}.json")],
                       check=False)


def capture(function, *arguments):
    """Return what `function` prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue().strip("\n")


def tabulate(header, rows):
    return capture(programs.print_table, header, rows)


def write_suite(rows):
    """Return the tables of suite.json by the names of their marks, and draw the plot."""
    buffers = [row for row in rows if row["program"].endswith("/bufferized.mlir")]
    with open(PLOT, "w") as file:
        file.write(plot.draw(sorted((row for row in buffers if row.get("lowerBound")),
                                    key=lambda row: -row["mergedBytes"])))
    peaks = capture(suite.check_peaks, os.path.join(ROOT, "benchmarks",
                                                    "published-peaks.csv"), rows)
    return {"bytes": capture(suite.print_bytes, buffers),
            "peaks": peaks[peaks.index("| program"):],
            "schedulers": capture(suite.print_schedulers, buffers, 6),
            "times": capture(suite.print_times, rows)}


def write_programs(entries):
    table, skipped = [], []
    for entry in entries:
        if entry["notExecutable"]:
            skipped.append([entry["program"], entry["notExecutable"]])
            continue
        runs = entry["runs"]
        verdicts = {}
        for run in runs[1:]:
            verdicts.setdefault(run["verdict"], []).append(run["way"])
        table.append([entry["program"], f"{runs[0]['seconds']:.1f}",
                      "; ".join(f"{verdict}: {', '.join(ways)}"
                                for verdict, ways in verdicts.items()) or runs[0]["verdict"]])
    return {"same": tabulate(["program", "seconds", "after merging"], table),
            "skipped": tabulate(["not executed", "why"], skipped)}


def write_times(rows):
    """Return the table of each program of the two files, one after the other."""
    by_program = {}
    for row in rows:
        by_program.setdefault(row["program"], []).append(row)
    return {"runtime": "\n\n".join(capture(run_time.print_program, name, group)
                                   for name, group in by_program.items())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of the published networks")
    parser.add_argument("--library", action="append", default=[], metavar="FILE",
                        help="C source or library with functions that programs declare")
    parser.add_argument("--parts", default=",".join(PARTS),
                        help="what to measure (default %(default)s)")
    parser.add_argument("--results", default=os.path.join(ROOT, "build", "benchmarks"),
                        metavar="FOLDER", help="where the results are kept")
    programs.Tools.add_options(parser, limit=300)
    args = parser.parse_args()
    os.makedirs(args.results, exist_ok=True)
    for part in args.parts.split(","):
        if part != "none" and part not in PARTS:
            parser.error(f"unknown part '{part}', expected some of: {', '.join(PARTS)}")
        if part != "none":
            measure(args, part, args.results)

    def read(name, key):
        path = os.path.join(args.results, f"{name}.json")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return json.load(file)[key]

    tables = {}
    if rows := read("suite", "programs"):
        tables.update(write_suite(rows))
    if rows := read("programs", "programs"):
        tables.update(write_programs(rows))
    times = ("time-own", "time-networks", "time-long")
    if rows := [row for name in times for row in read(name, "rows")]:
        tables.update(write_times(rows))
    for name, table in tables.items():
        programs.replace_table(DOCUMENT, name, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
