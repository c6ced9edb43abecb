#!/usr/bin/env python3
"""Measure what documents say of published networks, and write it there.

    benchmarks/document.py FOLDER [--library FILE]... [--results build/benchmarks]
                           [--parts suite,values,regions,slots,held,programs,time]
                           [--build build/release]

The tables of docs/Benchmarks.md, the first one of README.md, what fast memory brings in
docs/Targets.md, and slots in docs/LoopCarriedBuffers.md. FOLDER has the networks. Runs
suite.py, values.py, regions.py, beyond_one_slot.py (`slots`), footprint.py (`held`),
run_programs.py and run_time.py, as far as `--parts` names them, and leaves what they write
in the folder of results; then writes the tables between the marks of the documents, and the
plot, from what is in that folder, of this or of an earlier call. `--parts none` only writes
them. The table of README.md is part of `suite`.

Takes over an hour on an idle machine: ten minutes for `time`, a few for `suite`, `values` and
`regions`, most of the rest for `held` and `programs` (the unfused networks run in naive
loops). What networks declare and MLIR's runner libraries do not define comes with --library.
"""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

import footprint
import plot
import programs
import run_time
import suite

ROOT = programs.ROOT
DOCUMENT = os.path.join(ROOT, "docs", "Benchmarks.md")
PLOT = os.path.join(ROOT, "docs", "images", "benchmarks.svg")
README = os.path.join(ROOT, "README.md")
TARGETS = os.path.join(ROOT, "docs", "Targets.md")
SLOTS = os.path.join(ROOT, "docs", "LoopCarriedBuffers.md")
PARTS = ["suite", "values", "regions", "slots", "held", "programs", "time"]
# The parts that are a table as it is printed, and where it stands.
TABLES = {"values": DOCUMENT, "regions": TARGETS, "slots": SLOTS}
BUFFERS = r"/(bufferized|fused)\.mlir"
# What README.md shows, and how it calls that.
NETWORKS = {"ResNet-50": "imex-resnet50", "MNIST, a CNN": "imex-plaidml-mnist-cnn",
            "BERT": "buddy-bert", "MobileBERT, 24 layers": "tpp-mobilebert"}
# What is executed against stock deallocation: what takes seconds, in many rounds and at
# -O2; and what takes longer, to compile above all, in few rounds and at -O1.
TIMED = (r"^(buddy-(bert|attention-loop)|cinnamon-tinyllama|lagrad-mlp-grad"
         r"|imex-plaidml-mnist-cnn)/bufferized\.mlir")
TIMED_LONG = r"^tpp-mobilebert/bufferized\.mlir"
# What carries buffers in loops.
CARRYING = "carry,chain of 3,layers in steps,solver (scf.while),cinnamon-tinyllama,lagrad-lstm"
# What is executed with all kinds of pools: what takes seconds.
HELD_ELSEWHERE = (r"^(buddy-bert/fused|(buddy-attention-loop|lagrad-mlp-grad|tpp-mha-forall)"
                  r"/bufferized|(cinnamon|imex-janet|imex-plaidml|lagrad-lstm)[^/]*"
                  r"/(bufferized|fused))\.mlir")


def measure(args, part, results):
    """Run the commands of one part; their failures are in their tables."""
    script = {"suite": "suite.py", "held": "footprint.py", "programs": "run_programs.py",
              "time": "run_time.py"}[part]
    common = ["--build", args.build, "--llvm", args.llvm]
    libraries = [f"--library={path}" for path in args.library]
    runs = {"suite": [("suite", args.folder,
                       ["--only", r"/(bufferized(_dealloc)?|input|ported)\.mlir", "--rounds=11"])],
            # With -O2, LLVM rounds some sums differently for each variant.
            "held": [("held-own", os.path.join(ROOT, "benchmarks", "programs"), []),
                     ("held-networks", args.folder,
                      [*libraries, "-O0", "--pools=alloc", "--limit=1800",
                       "--only", BUFFERS]),
                     ("held-elsewhere", args.folder,
                      [*libraries, "-O0", "--pools", "stack", "arena", "global",
                       "--only", HELD_ELSEWHERE])],
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


def measure_table(args, part, path):
    """Write to `path` the table that the script of `part` prints."""
    opt = os.path.join(args.build, "bin", "buffer-merge-opt")
    script, options = {
        "values": ("values.py", [args.folder, "--only", BUFFERS, "--rounds=2", "--opt", opt]),
        "regions": ("regions.py", [args.folder, "--only", BUFFERS, "--build", args.build,
                                   "--llvm", args.llvm]),
        "slots": ("beyond_one_slot.py", ["--models", args.folder, "--only", CARRYING,
                                         "--opt", opt])}[part]
    with open(path, "w") as file:
        subprocess.run([sys.executable, os.path.join(ROOT, "benchmarks", script), *options],
                       stdout=file, check=False)


def measure_networks(args, path):
    """Write to `path` what the pass makes of the networks of README.md before deallocation."""
    tools = programs.Tools.from_options(args)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        for title, name in NETWORKS.items():
            source = os.path.join(args.folder, name, "bufferized.mlir")
            if not os.path.exists(source):
                continue
            text = programs.read_text(source)
            merged = tools.opt(text, f"buffer-merge{{limit-peak=deallocated report={report}}}",
                               "merging")
            with open(report) as file:
                program = json.load(file)["program"]
            rows.append([title, program["allocatedBytes"], text.count("memref.alloc("),
                         program["baselineBytes"], program["peakBytes"],
                         merged.count("memref.alloc(")])
    with open(path, "w") as file:
        json.dump({"networks": rows}, file, indent=2)


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


def write_networks(rows):
    """Return the table of README.md."""
    return tabulate(
        ["network", "as written", "freed after the last use", "merged", "saved"],
        [[title, f"{programs.format_bytes(allocated)} in {count} allocations",
          programs.format_bytes(freed), f"{programs.format_bytes(peak)} in {left} allocations",
          f"{100 * (1 - peak / freed):.1f} %"]
         for title, allocated, count, freed, peak, left in rows])


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
        if part in TABLES:
            measure_table(args, part, os.path.join(args.results, f"{part}.txt"))
        elif part != "none":
            measure(args, part, args.results)
        if part == "suite":
            measure_networks(args, os.path.join(args.results, "networks.json"))

    def read(name, key):
        path = os.path.join(args.results, f"{name}.json")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return json.load(file)[key]

    tables = {name: capture(footprint.print_summary, rows)
              for name in ("held-own", "held-networks", "held-elsewhere")
              if (rows := read(name, "rows"))}
    if rows := read("suite", "programs"):
        tables.update(write_suite(rows))
    if rows := read("programs", "programs"):
        tables.update(write_programs(rows))
    times = ("time-own", "time-networks", "time-long")
    if rows := [row for name in times for row in read(name, "rows")]:
        tables.update(write_times(rows))
    for name, table in tables.items():
        programs.replace_table(DOCUMENT, name, table)
    for part, document in TABLES.items():
        path = os.path.join(args.results, f"{part}.txt")
        if os.path.exists(path):
            with open(path) as file:
                programs.replace_table(document, part, file.read().strip("\n"))
    if rows := read("networks", "networks"):
        programs.replace_table(README, "networks", write_networks(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
