#!/usr/bin/env python3
"""Show what each part of the search of `auto` and `exact` is for.

    benchmarks/ablation.py [--build build/mutations] [--efforts 0,2,4] [--only-given]
                           [TABLE.csv ...]

Each part is switched off alone, in a build with BUFFER_MERGE_ENABLE_MUTATIONS, and the
pools of `auto` are compared with those of all parts: of the given tables, of three
variants of each (time reversed, six buffers in seven, sizes changed by up to 20 %), and of
random tables and a long chain that are generated, unless --only-given. The last column is `exact` at effort 5.
Prints a table in Markdown: how much larger pools are on average, in percent, and of how
many they are larger or smaller.

Exit code: 0.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import tempfile

PARTS = {
    "auto-beam": "beam in the order of time",
    "auto-repair": "repair",
    "auto-better-orders": "better orders",
    "auto-incumbent": "search from the best schedule",
    "search-jumps": "jumps",
    "search-no-goods": "no-goods",
    "search-entry": "bounds once more after each alternative",
    "search-twins": "twins",
    "search-random-orders": "random orders",
    "search-beams": "beams from bottom to top",
}


def vary(rows, seed):
    """Yield the variants of a table, as lists of (begin, end, size)."""
    numbers = random.Random(seed)
    last = max(end for _, end, _ in rows)
    yield rows
    yield [(last - end, last - begin, size) for begin, end, size in rows]
    yield [row for row in rows if numbers.random() < 6 / 7]
    yield [(begin, end, max(1, int(size * numbers.uniform(0.8, 1.2)) // 1024 * 1024))
           for begin, end, size in rows]


def make_random(count, alive, seed):
    """Return buffers that begin anywhere, `alive` at once on average."""
    numbers = random.Random(seed)
    begins = [numbers.randrange(count) for _ in range(count)]
    return [(begin, begin + numbers.randrange(1, 2 * alive), numbers.randrange(1, 1000) * 16)
            for begin in begins]


def make_tables(paths, only_given):
    """Return all tables."""
    tables = []
    for path in paths:
        with open(path, newline="") as file:
            rows = [(int(row["lower"]), int(row["upper"]), int(row["size"]))
                    for row in csv.DictReader(file)]
        tables += vary(rows, os.path.basename(path))
    if only_given:
        return tables
    tables += [make_random(*shape) for shape in ((150, 40, 1), (300, 25, 2), (800, 100, 3))]
    numbers = random.Random(4)
    tables.append([(i, i + 2, 64 * numbers.randrange(1, 1000)) for i in range(40000)])
    return tables


def measure(tool, path, arguments, mutation):
    """Return the pool in bytes with one part switched off."""
    output = subprocess.run([tool, path, "--json", *arguments], check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            env={**os.environ, "BUFFER_MERGE_MUTATION": mutation}).stdout
    return json.loads(output)["pool"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE.csv")
    parser.add_argument("--build", default="build/mutations")
    parser.add_argument("--efforts", default="0,2,4")
    parser.add_argument("--only-given", action="store_true")
    args = parser.parse_args()
    tool = os.path.join(args.build, "bin", "buffer-merge-schedule")
    columns = {f"effort {effort}": [f"--effort={effort}"] for effort in args.efforts.split(",")}
    columns["`exact`, effort 5"] = ["--scheduler=exact", "--effort=5"]
    print("| without |", " | ".join(columns), "|")
    print("|" + " --- |" * (len(columns) + 1))
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for index, rows in enumerate(make_tables(args.tables, args.only_given)):
            paths.append(os.path.join(folder, f"{index}.csv"))
            with open(paths[-1], "w", newline="") as file:
                csv.writer(file).writerows([("id", "lower", "upper", "size"),
                                            *((i, *row) for i, row in enumerate(rows))])
        base = {}
        for mutation, name in {"": "", **PARTS}.items():
            cells = []
            for column, arguments in columns.items():
                pools = [measure(tool, path, arguments, mutation) for path in paths]
                changes = [pool / whole - 1
                           for pool, whole in zip(pools, base.setdefault(column, pools))]
                cells.append(f"{100 * sum(changes) / len(changes):+.2f} % "
                             f"({sum(c > 0 for c in changes)}, {sum(c < 0 for c in changes)})")
            if name:
                print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
