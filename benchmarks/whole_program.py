#!/usr/bin/env python3
"""Show what one plan for the whole program saves, on the heap and without one.

    benchmarks/whole_program.py FOLDER [--only REGEX] [--entries NAME,NAME]
                                [--options 'scheduler=best-fit'] [--limit SECONDS]
                                [--json FILE] [--build build/release]

Each program is planned as a whole; with --entries, only these are called from
outside, and what they do not call is removed. Prints for each, in bytes:

    heap           the most that is held at one time if each allocation is freed after its
                   last use
    pools          the same with a pool for each function
    each function  a global for the pool of each function
    pool=global    the globals of entries, with what they call inside
    exclusive      one global for all entries (globals.entries of the target)

The last three are in .bss, without what stays on the heap, and with limit-peak=none. Exit code: 0; 1 if anything
fails; 2 if there is no program.
"""

import argparse
import json
import os
import re
import sys
import tempfile

import programs
from programs import Failure


class Program:
    """One program, planned in several ways."""

    def __init__(self, tools, path, args, folder):
        self.tools, self.options = tools, args.options
        self.text = programs.read_text(path)
        if args.entries:
            self.text = tools.opt(self.text,
                                  f"symbol-privatize{{exclude={args.entries}}},symbol-dce",
                                  "removing what is not called")
        self.report = os.path.join(folder, "report.json")
        self.header = os.path.join(folder, "header.h")

    def plan(self, options):
        """Return the report and the bytes of all globals with further options."""
        self.tools.opt(self.text,
                       f"buffer-lifetimes{{report={self.report} emit-header={self.header} "
                       f"{self.options} {options}}}", "planning")
        with open(self.header) as file:
            sizes = re.findall(r"#define \w+_POOL_BYTES (\d+)", file.read())
        with open(self.report) as file:
            return json.load(file), sum(map(int, sizes))

    def measure(self):
        pools = self.plan("limit-peak=deallocated")[0]["program"]
        # As with globals, every function has a pool, even for one buffer.
        apart = self.plan('pool=stack target={"stack": {"limit": "1024GiB"}} limit-peak=none')[0]
        return {
            "heapBytes": pools["baselineBytes"],
            "poolsBytes": pools["peakBytes"],
            "functionsBytes": sum(pool["poolSize"] for pool in apart["pools"]
                                  if not pool.get("reason") and pool.get("storage") != "none"),
            "globalBytes": self.plan("pool=global limit-peak=none")[1],
            "exclusiveBytes": self.plan(
                'pool=global target={"globals": {"entries": "exclusive"}} limit-peak=none')[1],
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of programs, or one program")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    parser.add_argument("--entries", metavar="NAME,...",
                        help="the functions that are called from outside")
    parser.add_argument("--options", default="", help="further options of buffer-lifetimes")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file")
    programs.Tools.add_options(parser, limit=300)
    args = parser.parse_args()
    tools = programs.Tools.from_options(args)
    found = programs.find_programs(args.folder, args.only)
    if not found:
        print(f"{args.folder}: no programs (*.mlir, *.mlir.gz)"
              + (f" that match '{args.only}'" if args.only else ""), file=sys.stderr)
        return 2
    rows, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in found:
            try:
                rows[name] = Program(tools, path, args, folder).measure()
            except Failure as failure:
                failures.append([name, str(failure)])
    programs.print_table(["program", "heap", "pools", "each function", "pool=global",
                          "exclusive"],
                         [[name, *(f"{number:,}" for number in row.values())]
                          for name, row in rows.items()])
    for name, failure in failures:
        print(f"{name}: {failure}", file=sys.stderr)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=2)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
