#!/usr/bin/env python3
"""Measure what merging does for a folder of programs: bytes, schedulers, compile time.

    benchmarks/suite.py FOLDER [--build build/release] [--only REGEX] [--rounds N]
                        [--limit SECONDS] [--json FILE] [--csv FILE] [--peaks FILE]

A program is a file `*.mlir` or `*.mlir.gz` at any depth (not `driver*.mlir`), on buffers
or on tensors; the latter is bufferized first. Prints four tables:

1. bytes: allocations, the bytes of all of them, the lower bound (the most bytes alive at
   one tick, summed over all pools), the pools, whether those are proved to be optimal,
   and what is left alone, by reason;
2. schedulers: the sum of the pools of each, over the lower bound;
3. compile time: the median over the rounds of --buffer-merge over parsing and over
   one-shot-bufferize, and its parts as shares of the whole pipeline, from parsing to the
   LLVM dialect. One process takes all stages in turn, round by round: ratios are of one
   round. Milliseconds are of this machine at that time;
4. what failed.

With `--peaks FILE`, a table with the columns `program,peak,exact`, checks that the pools
of the largest function take no more than `peak` MB and, where `exact` is `yes`, that all
pools are exactly the lower bound, or the bound that is proved with alignment.

Exit code: 0, 1 if anything of a program failed (the others are measured all the same),
2 if there is nothing to measure.
"""

import argparse
import csv
import json
import os
import sys
import tempfile

import programs
from programs import Failure

STAGES = ["parse", "bufferize", "cleanup", "merge", "deallocate", "lower"]
PARTS = ["analysis", "scheduling", "rewrite"]


def split_pools(path, folder):
    """Write the rows of each pool of the table `path` to a file of its own; return the
    files."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    pools = {}
    for row in rows[1:]:
        pools.setdefault(row[0].rpartition("/")[0], []).append(row)
    paths = []
    for i, pool in enumerate(pools.values()):
        paths.append(os.path.join(folder, f"pool-{i}.csv"))
        with open(paths[-1], "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([rows[0], *pool])
    return paths


def measure_schedulers(tools, table, folder, capacity, row):
    """Ask every registered scheduler for every pool of `table`."""
    limit = [f"--capacity={capacity}"] if capacity else []
    sums, bound = {}, 0
    for path in split_pools(table, folder):
        result = json.loads(tools.run(
            [tools.own("buffer-merge-schedule"), path, "--compare", "--json",
             "--ignore-offsets", *limit], "schedulers"))
        bound += result["lowerBound"]
        for entry in result["schedulers"]:
            scheduler = sums.setdefault(entry["scheduler"], {"pool": 0})
            if "error" in entry:
                scheduler.setdefault("error", entry["error"])
            elif "error" not in scheduler:
                scheduler["pool"] += entry["pool"]
    for name, scheduler in sums.items():
        if "error" in scheduler:
            del scheduler["pool"]
            row["failures"].append(f"scheduler {name}: {scheduler['error']}")
        else:
            scheduler["ratio"] = scheduler["pool"] / bound if bound else 1.0
    row["schedulers"] = sums
    row["schedulersLowerBound"] = bound


def measure_bytes(tools, path, folder, row):
    """Fill in what a report says; return the table of the buffers."""
    def plan(options, name):
        target = os.path.join(folder, name)
        tools.run([tools.own("buffer-merge-opt"), path, "-o", os.devnull,
                   "--remarks-filter=^$", f"--buffer-lifetimes={options} report={target}"],
                  "lifetimes")
        return target

    # What schedulers are compared by: one pool of each scope, and nothing in place.
    alone = "limit-peak=none in-place=false"
    table_path = plan(alone, "report.csv")
    with open(plan(alone, "report.json")) as file:
        report = json.load(file)
    with open(plan("limit-peak=deallocated", "planned.json")) as file:
        program = json.load(file)["program"]
    pools, needs = {}, {}  # bytes of each function: pools alone, and with what stays
    bound = proved_bound = pool_bytes = 0
    for pool in report["pools"]:
        if "reason" in pool:
            continue  # its buffers are among those left
        if pool.get("storage") == "none":
            continue  # nothing needs its bytes
        bound += pool["lowerBound"]
        proved_bound += pool["provedBound"]
        pool_bytes += pool["poolSize"]
        function = pool.get("function", "")
        for sums in (pools, needs):
            sums[function] = sums.get(function, 0) + pool["poolSize"]
    left = {}
    for reason in report["left"]:
        left[reason["reason"]] = {"allocations": len(reason["buffers"]),
                                  "bytes": sum(b["size"] for b in reason["buffers"])}
        for buffer in reason["buffers"]:
            function = buffer.get("function", "")
            needs[function] = needs.get(function, 0) + buffer["size"]
    totals = report["totals"]
    row.update(
        allocations=totals["merged"] + totals["left"], merged=totals["merged"],
        allocatedBytes=program["allocatedBytes"], baselineBytes=program["baselineBytes"],
        plannedBytes=program["peakBytes"],
        mergedBytes=totals["mergedBytes"], leftBytes=totals["leftBytes"],
        lowerBound=bound, provedBound=proved_bound, poolBytes=pool_bytes, left=left,
        largestFunctionPoolBytes=max(pools.values(), default=0),
        largestFunctionBytes=max(needs.values(), default=0))
    return table_path


def measure_times(tools, path, rounds, row):
    """Fill in the seconds of each stage of each round."""
    if rounds == 0:
        return
    result = json.loads(tools.run(
        [tools.own("buffer-merge-compile-benchmark"), path, f"--rounds={rounds}"],
        "compile time"))
    row["rounds"] = result["rounds"]
    if "lower" not in result["rounds"][0]:
        row["failures"].append("compile time: lowering fails")
    whole = [sum(r.get(stage, 0) for stage in STAGES) for r in row["rounds"]]
    row["times"] = times = {
        f"{stage}Seconds": programs.median([r[stage] for r in row["rounds"]])
        for stage in [*STAGES, *PARTS] if stage in row["rounds"][0]}
    times["wholeSeconds"] = programs.median(whole)

    def ratio(part, of):
        return programs.median([r[part] / t for r, t in zip(row["rounds"], of)])

    times["mergeOverParse"] = ratio("merge", [r["parse"] for r in row["rounds"]])
    if "bufferize" in row["rounds"][0]:
        times["mergeOverBufferize"] = ratio("merge", [r["bufferize"] for r in row["rounds"]])
    if "lower" in row["rounds"][0]:
        for part in ["merge", *PARTS]:
            times[f"{part}Share"] = ratio(part, whole)


def measure(tools, name, path, args, row):
    """Measure one program; what fails is in the row, too."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.mlir")
        buffers = os.path.join(folder, "buffers.mlir")
        with open(source, "w") as file:
            file.write(programs.read_text(path))
        command = [tools.own("buffer-merge-compile-benchmark"), source, "-o", buffers,
                   "--rounds=0"]
        result = json.loads(tools.run(command, {3: "bufferization", None: "reading"}))
        row["level"] = "tensors" if result["tensors"] else "buffers"
        table = measure_bytes(tools, buffers, folder, row)
        for step in (lambda: measure_schedulers(tools, table, folder, args.capacity, row),
                     lambda: measure_times(tools, source, args.rounds, row)):
            try:
                step()
            except Failure as failure:
                row["failures"].append(str(failure))


def check_peaks(path, rows):
    """Compare with the table `path`; return the number of programs that miss."""
    by_name = {row["program"]: row for row in rows}
    table, misses = [], 0
    with open(path, newline="") as file:
        entries = list(csv.DictReader(file))
    for entry in entries:
        row = by_name.get(entry["program"])
        if row is None:
            continue
        peak = entry["peak"]
        if "poolBytes" not in row:
            table.append([entry["program"], peak, *["-"] * 4, "failed"])
            misses += 1
            continue
        # As many digits as are published.
        decimals = len(peak.partition(".")[2])
        is_below = round(row["largestFunctionPoolBytes"] / 1e6, decimals) <= float(peak)
        bound, proved = row["lowerBound"], row["provedBound"]
        if row["poolBytes"] == 0:
            verdict = "nothing is merged"
        elif not is_below:
            verdict = "above the peak"
        elif row["poolBytes"] == bound:
            verdict = "the lower bound"
        elif row["poolBytes"] == proved:
            verdict = "the proved bound"
        elif entry["exact"] != "yes":
            verdict = "at most the peak"
        else:
            verdict = "above the lower bound"
        misses += verdict.startswith("above")
        table.append([entry["program"], peak, row["largestFunctionPoolBytes"],
                      row["largestFunctionBytes"], bound, row["poolBytes"], verdict])
    print("\nPeaks: MB alive at once as published, for the largest function; bytes of its "
          "pools, alone and with what stays;\nlower bound and pools of all functions:\n")
    programs.print_table(["program", "published", "pools", "with the rest", "lower bound",
                          "all pools", "verdict"], table)
    return misses


def print_bytes(rows):
    table = []
    for row in rows:
        if "poolBytes" not in row:
            table.append([row["program"], *["-"] * 10, row["failures"][0]])
            continue
        left = ", ".join(f"{count['allocations']} {reason}"
                         for reason, count in row["left"].items())
        table.append([
            row["program"], row["allocations"],
            programs.format_bytes(row["allocatedBytes"]),
            programs.format_bytes(row["baselineBytes"]),
            programs.format_bytes(row["plannedBytes"]),
            programs.format_bytes(row["lowerBound"]),
            programs.format_bytes(row["poolBytes"]),
            f"{row['poolBytes'] / row['lowerBound']:.3f}" if row["lowerBound"] else "-",
            "yes" if row["poolBytes"] == row["provedBound"] else "not proved",
            f"{row['mergedBytes'] / row['poolBytes']:.2f}" if row["poolBytes"] else "-",
            programs.format_bytes(row["leftBytes"]), left or "-"])
    programs.print_table(
        ["program", "buffers", "allocated", "deallocated", "planned", "lower bound", "pools",
         "pools / bound", "optimal", "saving", "left alone", "reasons"], table)


def print_schedulers(rows, columns=8):
    """Schedulers in rows, programs in columns, so many at a time."""
    rows = [row for row in rows if row.get("schedulersLowerBound")]
    names = list(dict.fromkeys(name for row in rows for name in row["schedulers"]))
    for start in range(0, len(rows), columns):
        part = rows[start:start + columns]
        print()
        programs.print_table(
            ["scheduler", *[row["program"] for row in part]],
            [[name, *[f"{s['ratio']:.3f}" if "ratio" in (s := row["schedulers"][name])
                      else "fails" for row in part]] for name in names])


def print_times(rows):
    table = []
    for row in rows:
        times = row.get("times")
        if not times:
            continue

        def ms(stage):
            seconds = times.get(f"{stage}Seconds")
            return "-" if seconds is None else f"{1e3 * seconds:.2f}"

        def number(key, digits=3):
            return f"{times[key]:.{digits}f}" if key in times else "-"

        def share(key):
            return f"{100 * times[key]:.2f} %" if key in times else "-"

        table.append([row["program"], number("mergeOverParse"), number("mergeOverBufferize"),
                      share("mergeShare"), *[share(f"{part}Share") for part in PARTS],
                      ms("parse"), ms("bufferize"), ms("merge"), ms("whole")])
    programs.print_table(
        ["program", "merge / parse", "merge / bufferize", "merge", "analysis", "scheduling",
         "rewrite", "parse ms", "bufferize ms", "merge ms", "whole ms"], table)


def write_csv(path, rows):
    """Write one line for each program, with a column for everything that any has."""
    flat = []
    for row in rows:
        line = {key: value for key, value in row.items()
                if not isinstance(value, (dict, list))}
        for name, scheduler in row.get("schedulers", {}).items():
            line[f"pool:{name}"] = scheduler.get("pool", "")
        for reason, count in row.get("left", {}).items():
            line[f"left:{reason}"] = count["allocations"]
        line.update(row.get("times", {}))
        line["failures"] = "; ".join(row["failures"])
        flat.append(line)
    # The fullest line knows the order best.
    columns = list(dict.fromkeys(key for line in sorted(flat, key=len, reverse=True)
                                 for key in line if key != "failures")) + ["failures"]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of programs, or one program")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    parser.add_argument("--rounds", type=int, default=5,
                        help="rounds of the compile time; 0 leaves it out (default 5)")
    parser.add_argument("--capacity", type=int,
                        help="most bytes of a pool for the table of schedulers")
    parser.add_argument("--peaks", metavar="FILE", help="check the peaks in this table")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file")
    parser.add_argument("--csv", metavar="FILE", help="write one line a program to this file")
    programs.Tools.add_options(parser, limit=120)
    args = parser.parse_args()
    tools = programs.Tools.from_options(args)
    found = programs.find_programs(args.folder, args.only)
    if not found:
        print(f"{args.folder}: no programs (*.mlir, *.mlir.gz)"
              + (f" that match '{args.only}'" if args.only else ""), file=sys.stderr)
        return 2

    rows = []
    for name, path in found:
        print(name, file=sys.stderr, flush=True)
        row = {"program": name, "failures": []}
        rows.append(row)
        try:
            measure(tools, name, path, args, row)
        except Failure as failure:
            row["failures"].append(str(failure))

    print_bytes(rows)
    if any(row.get("schedulersLowerBound") for row in rows):
        print("\nPools over the lower bound, by scheduler:")
        print_schedulers(rows)
    if any("times" in row for row in rows):
        print("\nCompile time: ratios of one round, the median of the rounds; merge and its "
              "parts as shares of the whole\npipeline. Milliseconds are of this machine:\n")
        print_times(rows)
    misses = check_peaks(args.peaks, rows) if args.peaks else 0
    failures = [[row["program"], failure] for row in rows for failure in row["failures"]]
    if failures:
        print("\nFailed:\n")
        programs.print_table(["program", "why"], failures)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"version": 1, "programs": rows}, file, indent=2)
            file.write("\n")
    if args.csv:
        write_csv(args.csv, rows)
    return 1 if failures or misses else 0


if __name__ == "__main__":
    sys.exit(main())
