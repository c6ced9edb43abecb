#!/usr/bin/env python3
"""Compare how programs run: as bufferized, with stock deallocation, and merged.

    benchmarks/run_time.py FOLDER [--library FILE]... [--only REGEX] [--rounds N]
                           [--allocator NAME=FILE.so]... [--limit SECONDS]
                           [--cachegrind SECONDS] [--json FILE] [--csv FILE]

Each program on buffers that frees none of them itself is compiled (opt and llc -O2) as

    bufferized      as it is: nothing is freed
    dealloc         after the stock buffer-deallocation-pipeline
    liveness        and then optimize-allocation-liveness: malloc and free at the tightest
                    points, the baseline of the ratios
    merge-dealloc   --buffer-merge, then the stock pipeline
    dealloc-merge   the stock pipeline, then --buffer-merge

and run in turn, N rounds, each round in another order, with the malloc of the system and
with each other allocator: by default libjemalloc.so.2 and libmimalloc.so.2, where they
are installed (Debian: libjemalloc2, libmimalloc2.0). Prints for each

- wall time over that of `liveness` with the same allocator, in the same round: the median
  of the rounds, and the smallest and the largest; the same of processor time, which
  does not depend on what else runs. Seconds are of this machine;
- the peak resident set and page faults, of the process with all that belongs to it (code,
  weights, inputs);
- calls of the allocator and the peak of the bytes asked for, counted in a run of its own
  from the beginning of @main on;
- cache misses: those of perf where the machine counts them; else, for programs that run
  for less than `--cachegrind SECONDS`, the misses of data in a last level of 1 MiB (16
  ways, behind a first of 32 KiB) that cachegrind simulates. 0 leaves them out.

All must print the same. Exit code: 0, 1 if anything fails or prints something else, 2 if
there is no program.
"""

import argparse
import csv
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import executables
import programs
from executables import NotExecutable
from programs import Failure

DEALLOCATE = "buffer-deallocation-pipeline"
LIVENESS = "func.func(optimize-allocation-liveness)"
BASELINE = "liveness"
VARIANTS = {"bufferized": [],
            "dealloc": [DEALLOCATE],
            BASELINE: [DEALLOCATE, LIVENESS],
            "merge-dealloc": ["{merge}", DEALLOCATE],
            "dealloc-merge": [DEALLOCATE, "{merge}"]}
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"]


def find_allocators(extra):
    """Return {name: what to preload}; the system's malloc comes first."""
    allocators = {"malloc": None}
    for name in ("jemalloc", "mimalloc"):
        for pattern in (f"/usr/lib/*/lib{name}.so.2*", f"/usr/lib/lib{name}.so.2*",
                        f"/usr/lib64/lib{name}.so.2*"):
            found = sorted(glob.glob(pattern))
            if found:
                allocators[name] = found[0]
                break
    for option in extra:
        name, _, path = option.partition("=")
        if not path or not os.path.exists(path):
            print(f"--allocator {option}: expected NAME=FILE, and that the file exists",
                  file=sys.stderr)
            sys.exit(2)
        allocators[name] = os.path.abspath(path)
    return allocators


def execute(executable, output, environment, limit):
    """Run an executable into the file `output`; return its seconds and resources."""
    status_path = output + ".status"
    environment = {**os.environ, "PEAK_RESIDENT": status_path, **environment}
    with open(output, "wb") as file:
        start = time.monotonic()
        process = subprocess.Popen([executable], stdout=file, stderr=subprocess.DEVNULL,
                                   env=environment)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        timer.cancel()
        process.returncode = status
    if seconds >= limit:
        raise NotExecutable(f"runs for more than {limit:g} s")
    if status != 0:
        raise Failure(f"running: wait status {status}")
    with open(status_path) as file:
        peak = int(re.search(r"^VmHWM:\s+(\d+) kB", file.read(), flags=re.MULTILINE)[1])
    return {"seconds": seconds, "cpuSeconds": max(usage.ru_utime + usage.ru_stime, 1e-6),
            "peakResidentBytes": 1024 * peak,
            "pageFaults": usage.ru_minflt + usage.ru_majflt}


def read_output(path):
    with open(path, errors="replace") as file:
        return re.sub(r"base@ = 0x[0-9a-f]* ", "", file.read())


def count_with_perf(executable, environment):
    """Return the cache misses that perf counts, or None if it cannot."""
    if not shutil.which("perf"):
        return None
    result = subprocess.run(["perf", "stat", "-x,", "-e", "cache-misses", executable],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **environment})
    match = re.search(r"^(\d+),.*cache-misses", result.stderr, flags=re.MULTILINE)
    return int(match[1]) if match else None


def count_with_cachegrind(tools, executable, folder):
    """Return the misses of data in the last level of the caches above."""
    output = tools.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", *CACHES,
                        f"--cachegrind-out-file={folder}/cachegrind.out", executable],
                       "cachegrind", stderr_too=True)
    return int(re.search(r"LLd misses: +([\d,]+)", output)[1].replace(",", ""))


class Program:
    """One program, its variants and what was measured of them."""

    def __init__(self, tools, path, args, libraries, folder):
        self.tools, self.args, self.folder = tools, args, folder
        self.text, self.driver = executables.prepare(tools, path)
        if executables.frees_buffers(self.text):
            raise NotExecutable("frees its buffers itself")
        self.variants = {}
        for variant, stages in VARIANTS.items():
            text = self.text
            for stage in stages:
                text = tools.opt(text, args.merge if stage == "{merge}" else stage, stage)
            self.variants[variant] = self.compile(variant, text, libraries, "native")
            if self.uses_cachegrind():
                # Valgrind does not know the newest instructions of every machine.
                cpu = "x86-64-v2" if platform.machine() == "x86_64" else "native"
                self.compile(variant + ".simulated", text, libraries, cpu)

    def uses_cachegrind(self):
        return self.args.cachegrind > 0 and shutil.which("valgrind")

    def compile(self, name, text, libraries, cpu):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        target = os.path.join(folder, "program")
        executables.compile_program(self.tools, text, self.driver, libraries, self.args.O,
                                    target, cpu)
        return target

    def run(self, variant, environment):
        """Run a variant; fail if it prints something else than the first one run."""
        output = os.path.join(self.folder, "output")
        result = execute(self.variants[variant], output, environment, self.tools.limit)
        printed = read_output(output)
        if printed != self.__dict__.setdefault("expected", printed):
            raise Failure(f"{variant} prints something else")
        return result

    def measure(self, allocators, counter, rounds):
        """Return one row of figures for each variant and allocator."""
        cells = [(a, v) for a in allocators for v in VARIANTS]
        runs = {cell: [] for cell in cells}
        environments = {name: {"LD_PRELOAD": path} if path else {}
                        for name, path in allocators.items()}
        for i in range(rounds):
            # Every cell takes every place in turn; every second round goes backwards.
            start = i * len(cells) // rounds
            order = cells[start:] + cells[:start]
            for allocator, variant in order if i % 2 == 0 else order[::-1]:
                runs[allocator, variant].append(self.run(variant, environments[allocator]))
        rows = []
        counts = {variant: self.count(variant, counter) for variant in VARIANTS}
        for allocator, variant in cells:
            own, base = runs[allocator, variant], runs[allocator, BASELINE]
            ratios = sorted(a["seconds"] / b["seconds"] for a, b in zip(own, base))
            cpu_ratios = [a["cpuSeconds"] / b["cpuSeconds"] for a, b in zip(own, base)]
            rows.append({
                "allocator": allocator, "variant": variant,
                "wallRatio": programs.median(ratios), "wallRatioMin": ratios[0],
                "wallRatioMax": ratios[-1],
                "cpuRatio": programs.median(cpu_ratios),
                **{key: programs.median([run[key] for run in own]) for key in own[0]},
                **counts[variant],
                **self.count_misses(variant, allocator, environments[allocator]),
                "runs": own})
        return rows

    def count(self, variant, counter):
        result = os.path.join(self.folder, "count.json")
        self.run(variant, {"LD_PRELOAD": counter, "ALLOCATION_COUNTER": result})
        with open(result) as file:
            counts = json.load(file)
        if counts["lost"]:
            raise Failure("too many allocations to count")
        return {"allocatorCalls": counts["allocations"] + counts["frees"],
                "peakHeapBytes": counts["peakBytes"]}

    def count_misses(self, variant, allocator, environment):
        misses = count_with_perf(self.variants[variant], environment)
        if misses is not None:
            return {"cacheMisses": misses, "cacheMissesBy": "perf"}
        # Valgrind replaces the allocator by its own, so that this is one figure for all.
        if allocator == "malloc" and self.uses_cachegrind():
            executable = os.path.join(self.folder, variant + ".simulated", "program")
            start = time.monotonic()
            self.run(variant, {})
            if time.monotonic() - start < self.args.cachegrind:
                misses = count_with_cachegrind(self.tools, executable, self.folder)
                return {"cacheMisses": misses, "cacheMissesBy": "cachegrind"}
        return {}


def print_program(name, rows):
    print(f"\n{name}:\n")
    table = []
    for row in rows:
        table.append([
            row["variant"], row["allocator"], f"{row['wallRatio']:.3f}",
            f"{row['wallRatioMin']:.2f}-{row['wallRatioMax']:.2f}", f"{row['cpuRatio']:.3f}",
            f"{row['seconds']:.3f}",
            programs.format_bytes(row["peakResidentBytes"]),
            programs.format_bytes(row["peakHeapBytes"]), row["allocatorCalls"],
            row["pageFaults"], row.get("cacheMisses", "-")])
    programs.print_table(
        ["variant", "allocator", "wall / liveness", "range", "cpu / liveness", "seconds", "resident peak",
         "heap peak", "allocator calls", "page faults", "cache misses"], table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of programs, or one program")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--allocator", action="append", default=[], metavar="NAME=FILE.so",
                        help="another allocator to preload")
    parser.add_argument("--cachegrind", type=float, default=2, metavar="SECONDS",
                        help="simulate the caches of programs that run for less "
                        "(default %(default)s)")
    parser.add_argument("--options", default="", help="options of buffer-merge")
    parser.add_argument("-O", default="2", choices=list("0123"), help="optimization level")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file")
    parser.add_argument("--csv", metavar="FILE", help="write one line for each row to this file")
    executables.add_library_option(parser)
    programs.Tools.add_options(parser, limit=300)
    args = parser.parse_args()
    args.merge = f"buffer-merge{{{args.options}}}" if args.options else "buffer-merge"
    if args.rounds < 1:
        parser.error("--rounds must be at least 1")
    tools = programs.Tools.from_options(args)
    allocators = find_allocators(args.allocator)
    found = programs.find_programs(args.folder, args.only)
    if not found:
        print(f"{args.folder}: no programs (*.mlir, *.mlir.gz)"
              + (f" that match '{args.only}'" if args.only else ""), file=sys.stderr)
        return 2

    everything, skipped, failures = [], [], []
    print("Wall times are ratios to `liveness` with the same allocator, in the same round; "
          "seconds are of this machine.")
    with tempfile.TemporaryDirectory() as folder:
        counter = os.path.join(folder, "allocation_counter.so")
        source = os.path.join(programs.ROOT, "benchmarks", "allocation_counter.c")
        try:
            tools.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", counter], "counter")
            libraries = executables.build_libraries(tools, args.library, folder)
        except Failure as failure:
            print(failure, file=sys.stderr)
            return 2
        for i, (name, path) in enumerate(found):
            print(name, file=sys.stderr, flush=True)
            own_folder = os.path.join(folder, str(i))
            os.mkdir(own_folder)
            try:
                program = Program(tools, path, args, libraries, own_folder)
                rows = program.measure(allocators, counter, args.rounds)
                print_program(name, rows)
                everything += [{"program": name, **row} for row in rows]
            except NotExecutable as failure:
                skipped.append([name, str(failure)])
            except Failure as failure:
                failures.append([name, str(failure)])
            shutil.rmtree(own_folder)
    for title, table in (("Not measured", skipped), ("Failed", failures)):
        if table:
            print(f"\n{title}:\n")
            programs.print_table(["program", "why"], table)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"version": 1, "rows": everything}, file, indent=2)
            file.write("\n")
    if args.csv:
        flat = [{key: value for key, value in row.items() if key != "runs"}
                for row in everything]
        columns = list(dict.fromkeys(key for row in flat for key in row))
        with open(args.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(flat)
    return 1 if failures or not everything else 0


if __name__ == "__main__":
    sys.exit(main())
