#!/usr/bin/env python3
"""Show which part of the bytes that accesses move a fast memory serves.

    benchmarks/regions.py FOLDER [--only REGEX] [--sizes 1/2,1/4,1MiB,2MiB,4MiB]
                          [--options 'scheduler=best-fit'] [--limit SECONDS]
                          [--json FILE] [--build build/release]

Each program is planned with a target of two regions of the default memory space: `fast`,
of as many bytes as --sizes says or that part of the peak of the program (each allocation
freed after its last use), and `slow`, which has room for everything. Prints for each

- the peak, and the bytes that accesses of merged buffers move;
- for each size, which part of these bytes accesses of buffers in `fast` move, in percent,
  and the seconds that planning took.

Exit code: 0; 1 if anything fails; 2 if there is no program.
"""

import argparse
import fractions
import json
import os
import sys
import tempfile
import time

import programs
from programs import Failure

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def parse_size(text):
    """Return a number of bytes, or the fraction of the peak that `text` stands for."""
    if "/" in text:
        return fractions.Fraction(text)
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return int(text[:-len(unit)]) * factor
    return int(text)


class Program:
    """One program, planned for several targets."""

    def __init__(self, tools, path, options, folder):
        self.tools, self.options = tools, options
        self.text = programs.read_text(path)
        self.report = os.path.join(folder, "report.json")

    def plan(self, options):
        """Return the report with further options, and the seconds that it took."""
        begin = time.monotonic()
        self.tools.opt(self.text,
                       f"buffer-lifetimes{{report={self.report} {self.options} {options}}}",
                       "planning")
        seconds = time.monotonic() - begin
        with open(self.report) as file:
            return json.load(file), seconds

    def measure(self, sizes):
        peak = self.plan("limit-peak=deallocated")[0]["program"]["baselineBytes"]
        row = {"peakBytes": peak, "sizes": []}
        for size in sizes:
            fast = int(size * peak) if isinstance(size, fractions.Fraction) else size
            target = {"regions": [{"name": "fast", "bytes": max(fast, 1)},
                                  {"name": "slow", "bytes": 1 << 50}]}
            report, seconds = self.plan(f"target={json.dumps(target)}")
            moved = {"fast": 0, "slow": 0}
            for pool in report["pools"]:
                for region in pool.get("regions", []):
                    moved[region["name"]] += region["movedBytes"]
            row["movedBytes"] = sum(moved.values())
            row["sizes"].append({"fastBytes": fast, "movedBytes": moved["fast"],
                                 "seconds": seconds})
        return row


def format_share(entry, total):
    if total == 0:
        return "-"
    return f"{100 * entry['movedBytes'] / total:.1f} % ({entry['seconds']:.1f} s)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of programs, or one program")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    parser.add_argument("--sizes", default="1/2,1/4,1MiB,2MiB,4MiB",
                        help="bytes of the fast region, or parts of the peak (%(default)s)")
    parser.add_argument("--options", default="", help="further options of buffer-lifetimes")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file")
    programs.Tools.add_options(parser, limit=300)
    args = parser.parse_args()
    tools = programs.Tools.from_options(args)
    try:
        sizes = [parse_size(text) for text in args.sizes.split(",")]
    except (ValueError, ZeroDivisionError):
        parser.error(f"--sizes '{args.sizes}' is no list such as 1/2,1MiB")
    found = programs.find_programs(args.folder, args.only)
    if not found:
        print(f"{args.folder}: no programs (*.mlir, *.mlir.gz)"
              + (f" that match '{args.only}'" if args.only else ""), file=sys.stderr)
        return 2
    rows, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in found:
            try:
                rows[name] = Program(tools, path, args.options, folder).measure(sizes)
            except Failure as failure:
                failures.append([name, str(failure)])
    cells = [[name, programs.format_bytes(row["peakBytes"]),
              programs.format_bytes(row["movedBytes"]),
              *(format_share(entry, row["movedBytes"]) for entry in row["sizes"])]
             for name, row in rows.items()]
    programs.print_table(["program", "peak", "moved", *args.sizes.split(",")], cells)
    for name, failure in failures:
        print(f"{name}: {failure}", file=sys.stderr)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=2)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
