#!/usr/bin/env python3
"""Compare the bytes that programs hold: with stock deallocation, and merged.

    benchmarks/footprint.py FOLDER [--library FILE]... [--only REGEX] [--limit SECONDS]
                            [--options 'scheduler=best-fit'] [--pools alloc] [--json FILE]
                            [--build build/release]

Each program on buffers is compiled, with its driver as a part of it, as

    stock       after the buffer-deallocation-pipeline; as it is if it frees its buffers
                itself
    liveness    and then optimize-allocation-liveness: each buffer is freed after its last
                use, as far as stock passes can do it; the baseline of the ratios
    KIND        both, then --buffer-merge with pool=KIND (alloc, stack, arena, global;
                --pools selects some)

without optimize-allocation-liveness where it fails,

and run once each. Prints for each

- the largest number of bytes asked of the allocator that were held at once, counted from
  the beginning of @main on;
- how far the stack reached, and the bytes of variables that begin as zero (.bss), both
  beyond what `liveness` has of them;
- the ratio of their sum to that of `liveness`, and the bytes by which it is higher; what
  alignment may add, at most --padding bytes for each merged buffer and each pool, is
  allowed;
- allocations executed; and of the merge, how many buffers were merged, with how many
  bytes, into pools of how many bytes;

and a table with a row for each program, which also has the bytes of copies in the program,
each executed once, with `liveness` and merged.

All must print the same. Exit code: 0; 1 if anything fails, prints something else, or if a
pool on the heap (alloc, arena) raises the peak by more than is allowed; 2 if there is no program.
"""

import argparse
import json
import os
import re
import sys
import tempfile

import executables
import programs
import run_time
from executables import NotExecutable
from programs import Failure

KINDS = ["alloc", "stack", "arena", "global"]


def count_copied(text):
    """Return the bytes of all memref.copy of static shape in `text`, each executed once."""
    copied = 0
    for shape, bits in re.findall(
            r"memref\.copy [^:]*: memref<((?:\d+x)*)(?:[a-z]+(\d+)|index)", text):
        extent = 1
        for size in shape.split("x")[:-1]:
            extent *= int(size)
        copied += extent * max(int(bits or 64) // 8, 1)
    return copied


def provide_arena(text):
    """Return `text` with a @main that allocates the arena that the one in it needs."""
    function = re.search(r"^  func\.func (?:public )?@main\(%\w+: memref<\?xi8> \{"
                         r"buffer_merge\.arena\}\)(?: -> (\w+))?.*?"
                         r"buffer_merge\.arena = \{alignment = (\d+) : i64, bytes = (\d+) : i64\}",
                         text, flags=re.MULTILINE)
    if not function:
        return text  # it needs none
    result, alignment, size = function.groups()
    text = re.sub(r"@main\b", "@merged_main", text)
    head, _, tail = text.rpartition("\n}\n")
    returned = f" -> {result}" if result else ""
    return head + f"""
  func.func @main(){returned} {{
    %arena = memref.alloc() {{alignment = {alignment} : i64}} : memref<{size}xi8>
    %cast = memref.cast %arena : memref<{size}xi8> to memref<?xi8>
    {"%r = " if result else ""}call @merged_main(%cast) : (memref<?xi8>) -> {result or "()"}
    return{f" %r : {result}" if result else ""}
  }}
}}
""" + tail


class Program:
    """One program and what it holds in each variant."""

    def __init__(self, tools, path, args, libraries, counter, folder):
        self.tools, self.args, self.libraries = tools, args, libraries
        self.counter, self.folder = counter, folder
        text, driver = executables.prepare(tools, path)
        self.stock = [] if executables.frees_buffers(text) else [run_time.DEALLOCATE]
        if driver is not None:
            text = programs.attach_driver(text, driver)
        self.baseline = self.stock + [run_time.LIVENESS]
        try:
            for stage in self.stock:
                tools.opt(text, stage, stage)
        except Failure as failure:
            raise NotExecutable(str(failure)) from failure
        self.text = text
        self.expected = None

    def measure(self):
        """Return one row of figures for each variant."""
        rows = [self.run("stock", self.text, self.stock),
                self.run("liveness", self.text, self.find_stages(self.text))]
        for kind in self.args.pools:
            try:
                merged, totals = self.merge(kind)
                rows.append({**self.run(kind, merged, []), **totals})
            except Failure as failure:
                rows.append({"variant": kind, "failure": str(failure)})
        base = dict(rows[1])
        for row in rows:
            if "failure" in row:
                continue
            for part in ("stackBytes", "bssBytes"):
                row[part] = max(0, row[part] - base[part])
            row["bytes"] = row["heapBytes"] + row["stackBytes"] + row["bssBytes"]
            row["excess"] = row["bytes"] - base["heapBytes"]
            row["ratio"] = row["bytes"] / base["heapBytes"] if base["heapBytes"] else None
            # The stack varies by what is spilled to it.
            row["isHigher"] = row["heapBytes"] - base["heapBytes"] > self.args.padding * (
                row.get("merged", 0) + row.get("pools", 0))
        return rows

    def find_stages(self, merged):
        """Return those of the baseline, without optimize-allocation-liveness if it fails:
        where a callee may return its argument, it moves a deallocation behind a return."""
        text = merged
        for stage in self.stock:
            text = self.tools.opt(text, stage, stage)
        try:
            self.tools.opt(text, run_time.LIVENESS, run_time.LIVENESS)
        except Failure:
            return self.stock
        return self.baseline

    def merge(self, kind):
        report = os.path.join(self.folder, "report.json")
        options = f"pool={kind} report={report} {self.args.options}"
        text = self.text
        for stage in self.find_stages(text):
            text = self.tools.opt(text, stage, stage)
        merged = self.tools.opt(text, f"buffer-merge{{{options}}}", "merging")
        with open(report) as file:
            report = json.load(file)
        totals = report["totals"]
        pools = [pool for pool in report["pools"] if "reason" not in pool]
        return merged, {
            "merged": totals["merged"], "mergedBytes": totals["mergedBytes"],
            "poolBytes": totals["poolBytes"], "pools": len(pools)}

    def run(self, variant, text, stages):
        for stage in stages:
            text = self.tools.opt(text, stage, stage)
        if variant == "arena":
            text = provide_arena(text)
        copied = count_copied(text)
        executable = os.path.join(self.folder, "program")
        executables.compile_program(self.tools, text, None, self.libraries, self.args.O,
                                    executable)
        output = os.path.join(self.folder, "output")
        counts_path = os.path.join(self.folder, "count.json")
        run_time.execute(executable, output,
                         {"LD_PRELOAD": self.counter, "ALLOCATION_COUNTER": counts_path},
                         self.tools.limit)
        printed = run_time.read_output(output)
        if self.expected is None:
            self.expected = printed
        if printed != self.expected:
            raise Failure("prints something else")
        with open(counts_path) as file:
            counts = json.load(file)
        if counts["lost"]:
            raise Failure("too many allocations to count")
        sections = self.tools.run([self.tools.stock("llvm-size"), "-A", executable], "size")
        bss = re.search(r"^\.bss +(\d+)", sections, flags=re.MULTILINE)
        return {"variant": variant, "heapBytes": counts["peakBytes"],
                "stackBytes": counts["stackBytes"], "bssBytes": int(bss[1]) if bss else 0,
                "allocations": counts["allocations"], "copiedBytes": copied}


def list_cells(row):
    """Return the row of a table."""
    if "failure" in row:
        return [row["variant"], row["failure"]] + ["-"] * 8
    merged = [row["merged"], programs.format_bytes(row["mergedBytes"]),
              programs.format_bytes(row["poolBytes"])] if "merged" in row else ["-"] * 3
    return [row["variant"], programs.format_bytes(row["heapBytes"]),
            programs.format_bytes(row["stackBytes"]), programs.format_bytes(row["bssBytes"]),
            f"{row['ratio']:.3f}" if row["ratio"] is not None else "-", row["excess"],
            row["allocations"], *merged]


def print_summary(rows):
    """Print a row for each program of `rows`, those of the JSON file: ratios to liveness."""
    by_program = {}
    for row in rows:
        by_program.setdefault(row["program"], {})[row["variant"]] = row
    kinds = [kind for kind in KINDS if any(kind in variants for variants in by_program.values())]

    def list_ratio(row):
        return f"{row['ratio']:.3f}" if row.get("ratio") is not None else "-"

    table = []
    for name, variants in by_program.items():
        pools = variants.get(kinds[0], {}) if kinds else {}
        counts = [variants[kind].get("allocations", "-") for kind in ("liveness", *kinds)]
        copied = [programs.format_bytes(row["copiedBytes"]) if "copiedBytes" in row else "-"
                  for row in (variants["liveness"], pools)]
        table.append([
            name, list_ratio(variants["stock"]),
            programs.format_bytes(variants["liveness"]["heapBytes"]),
            *(list_ratio(variants[kind]) for kind in kinds), ", ".join(map(str, counts)),
            ", ".join(copied),
            *((pools["merged"], programs.format_bytes(pools["mergedBytes"]),
               programs.format_bytes(pools["poolBytes"])) if "merged" in pools else "---")])
    programs.print_table(["program", "stock", "liveness", *kinds, "allocations", "copied",
                          "merged", "of bytes", "pools"], table)
    averages = []
    for kind in kinds:
        ratios = [variants[kind]["ratio"] for variants in by_program.values()
                  if variants[kind].get("ratio") is not None]
        if ratios:
            averages.append(f"`{kind}` {sum(ratios) / len(ratios):.3f}")
    if averages:
        print(f"\nOn average: {', '.join(averages)}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of programs, or one program")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    parser.add_argument("--options", default="", help="further options of buffer-merge")
    parser.add_argument("--pools", nargs="+", default=KINDS, choices=KINDS, metavar="KIND",
                        help="kinds of pools (default: all)")
    parser.add_argument("--padding", type=int, default=64, metavar="BYTES",
                        help="what each merged buffer and each pool may add (default %(default)s)")
    parser.add_argument("-O", default="2", choices=list("0123"), help="optimization level")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file")
    executables.add_library_option(parser)
    programs.Tools.add_options(parser, limit=300)
    args = parser.parse_args()
    tools = programs.Tools.from_options(args)
    found = programs.find_programs(args.folder, args.only)
    if not found:
        print(f"{args.folder}: no programs (*.mlir, *.mlir.gz)"
              + (f" that match '{args.only}'" if args.only else ""), file=sys.stderr)
        return 2

    everything, skipped, failures = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        counter = os.path.join(folder, "allocation_counter.so")
        source = os.path.join(programs.ROOT, "benchmarks", "allocation_counter.c")
        try:
            tools.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", counter], "counter")
            libraries = executables.build_libraries(tools, args.library, folder)
        except Failure as failure:
            print(failure, file=sys.stderr)
            return 2
        for name, path in found:
            print(name, file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as own_folder:
                try:
                    rows = Program(tools, path, args, libraries, counter, own_folder).measure()
                except NotExecutable as failure:
                    skipped.append([name, str(failure)])
                    continue
                except Failure as failure:
                    failures.append([name, str(failure)])
                    continue
            print(f"\n{name}:\n")
            programs.print_table(
                ["variant", "heap peak", "stack", ".bss", "ratio to liveness", "more bytes",
                 "allocations", "merged", "of bytes", "pools"],
                [list_cells(row) for row in rows])
            everything += [{"program": name, **row} for row in rows]
            failures += [[name, f"{row['variant']}: {row['failure']}"]
                         for row in rows if "failure" in row]
            failures += [[name, f"{row['variant']} holds {row['excess']} bytes more"]
                         for row in rows
                         if row["variant"] in ("alloc", "arena") and row.get("isHigher")]
    if everything:
        print("\nAll of them: ratios to liveness; allocations of liveness and of each kind; bytes "
              f"copied, of liveness and of {args.pools[0]}:\n")
        print_summary(everything)
    for title, table in (("Not measured", skipped), ("Failed", failures)):
        if table:
            print(f"\n{title}:\n")
            programs.print_table(["program", "why"], table)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"version": 1, "rows": everything}, file, indent=2)
            file.write("\n")
    return 1 if failures or not everything else 0


if __name__ == "__main__":
    sys.exit(main())
