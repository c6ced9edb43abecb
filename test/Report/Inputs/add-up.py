"""Check that the numbers of reports add up, from the parts to the sums and back.

add-up.py TOOL WORK FOLDER... runs TOOL, buffer-merge-opt, on every program in the
folders, and prints what does not agree, and how many reports were checked. A folder that
is not there has no programs.
"""

import concurrent.futures
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

# One for each program.
OPTIONS = ["", "dynamic=bounded", "pool=global", "in-place=false", "pool=arena"]


def plan(tool, program, options, path):
    """Return the report for a program, with its text, table and summary; or nothing."""
    files = [path.with_suffix(end) for end in (".json", ".txt", ".csv")]
    for file in files:
        file.unlink(missing_ok=True)
    reports = ",".join(map(str, files)) + ",summary"
    run = subprocess.run(
        [tool, program, "--allow-unregistered-dialect"]
        + [f"--buffer-lifetimes={options} report={reports}", "-o", path],
        capture_output=True,
        text=True,
        errors="replace",
    )
    # A program that is wrong, or that is not about one module.
    if run.returncode or not all(file.exists() for file in files):
        return None
    report = json.loads(files[0].read_text())
    lines = [l for l in run.stderr.splitlines() if l.startswith("buffer-merge of ")]
    return report, files[1].read_text(), files[2].read_text(), lines[0]


def check_merged(tool, program, path):
    """Return what does not agree if the program is merged: the plan, and what the result
    takes. What alignment adds to pools is not counted in plans."""
    merged = path.with_suffix(".merged.mlir")
    peaks = []
    for source, pass_name, options, key in (
        (program, "buffer-merge", "alignment=1 dynamic=none", "peakBytes"),
        (merged, "buffer-lifetimes", "dynamic=none", "baselineBytes"),
    ):
        report = path.with_suffix(f".{key}.json")
        report.unlink(missing_ok=True)
        subprocess.run(
            [tool, source, "--allow-unregistered-dialect"]
            + [f"--{pass_name}={options} report={report}", "-o", merged],
            capture_output=True,
        )
        if not report.exists():
            return []
        plan = json.loads(report.read_text())
        if any(p["poolSize"] % p["poolAlignment"] or "sync" in p for p in plan["pools"]):
            return []
        peaks.append(plan["program"][key])
    return [] if len(set(peaks)) == 1 else [f"planned, merged: {peaks}"]


def check(report, text, table, summary, program):
    """Return what does not agree in a report, of which `program` is the IR."""
    found = []

    def same(what, *numbers):
        if len(set(numbers)) != 1:
            found.append(f"{what}: {numbers}")

    def at_least(what, large, *small):
        if any(n > large for n in small):
            found.append(f"{what}: {large} < {small}")

    totals, total = report["totals"], report["program"]
    allocations = len(re.findall(r'= memref\.alloc\(|"memref\.alloc"\(', program))
    same("allocations", totals["merged"] + totals["left"], allocations)
    left = [b for reason in report["left"] for b in reason["buffers"]]
    same("left", len(left), totals["left"])
    same("bytes left", sum(b["size"] for b in left), totals["leftBytes"])
    made = [pool for pool in report["pools"] if "reason" not in pool]
    first = [b for p in made for b in p["buffers"] if "callee" not in b and b.get("value", 1) == 1]
    runtime = [b for p in report.get("runtimePools", []) for b in p["buffers"]]
    merged = sum(b.get("allocations", 1) for b in first) + len(runtime)
    same("merged", merged, totals["merged"])
    same("bytes merged", sum(b["size"] for b in first + runtime), totals["mergedBytes"])
    added = sum(pool.get("addedBytes", pool["poolSize"]) for pool in made)
    added += sum(int(p["bytes"]) for p in report.get("runtimePools", []) if p["bytes"].isdigit())
    same("bytes of pools", added, totals["poolBytes"])
    at_least("allocated", total["allocatedBytes"], totals["mergedBytes"] + totals["leftBytes"])
    for pool in report["pools"]:
        at_least("pool", pool["poolSize"], pool.get("provedBound", 0), pool["lowerBound"])
        at_least("pool", pool["poolSize"], *(b["offset"] + b["size"] for b in pool["buffers"]))
    functions = report.get("functions", [])
    for key in ("baselineBytes", "peakBytes"):
        at_least(key, total[key], *(f.get(key, 0) for f in functions))
    # What the largest function holds. Memory spaces have their peaks at other ticks.
    if holds := total.get("holds"):
        peaks = {f["name"]: f["peakBytes"] for f in functions}
        most = max(
            sum(h["bytes"] for h in holds if h["begin"] <= tick < h["end"])
            for tick in {h["begin"] for h in holds}
        )
        at_least("holds", peaks[total["largestFunction"]], most)
        if not re.search(r"memref<[^>]*, [#\d\"]", program):
            same("holds", peaks[total["largestFunction"]], most)
    at_least("working set", total["peakBytes"], total.get("workingSetBytes", 0))

    # What people read is what is in the file.
    count = rf"{totals['merged']} allocations? of {totals['mergedBytes']} bytes merged into {totals['poolBytes']} bytes"
    stays = rf"{totals['left']} of {totals['leftBytes']} bytes left alone"
    peak = f"at the peak {total['baselineBytes']} bytes {report.get('baseline', 'as given')}, {total['peakBytes']} as planned"
    head = text[: text.find("\n\n")]
    for pattern in (count, stays, rf"program: {total['allocatedBytes']} bytes allocated", re.escape(peak)):
        if not re.search(pattern, head):
            found.append(f"text: no {pattern}")
    numbered = [pool for pool in made if pool.get("storage") != "none"]
    merging = rf": {totals['merged']} allocations? merged into {len(numbered) + len(report.get('runtimePools', []))} pools?, "
    for pattern in (merging, rf"{totals['left']} left alone; {total['allocatedBytes']} bytes allocated", re.escape(peak)):
        if not re.search(pattern, summary):
            found.append(f"summary: no {pattern}")
    # What is in an argument is not for solvers.
    at_least("rows", sum(len(p["buffers"]) for p in report["pools"]), len(table.splitlines()) - 1)
    return found


def main():
    tool, work, *folders = sys.argv[1:]
    Path(work).mkdir(parents=True, exist_ok=True)
    programs = [p for folder in folders for p in sorted(Path(folder).rglob("*.mlir"))]

    def run(job):
        number, program = job
        path = Path(work) / f"{number}.mlir"
        # The same of each program, whichever others there are.
        options = OPTIONS[zlib.crc32(program.name.encode()) % len(OPTIONS)]
        planned = plan(tool, program, options, path)
        if not planned:
            return None
        found = check(*planned, path.read_text(errors="replace"))
        return found + check_merged(tool, program, path)

    checked = bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, found in zip(programs, pool.map(run, enumerate(programs))):
            checked += found is not None
            bad += bool(found)
            for line in found or []:
                print(f"{program}: {line}")
    print(f"{checked} reports, {bad} do not add up")


if __name__ == "__main__":
    main()
