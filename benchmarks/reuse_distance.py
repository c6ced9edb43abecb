#!/usr/bin/env python3
"""Model how often the lines of a pool are still in a cache when they are used again.

    benchmarks/reuse_distance.py plan.csv... [--caches 32,256,1024] [--repeat 2]

A plan is a table with the columns id, lower, upper (or end), size and offset, as
`report=plan.csv` of the passes and `buffer-merge-schedule` write it. In the model every
buffer is written from the first to the last line at the first tick of its lifetime, and
read in the same way at the last; the program runs --repeat times. The reuse distance of
a touch is the number of other lines touched since the same line was touched before: a
fully associative LRU cache of more lines than that has it still. Prints for each plan
the pool, the mean distance in KiB, and the share of touches that miss in caches of so
many KiB; first touches miss and are left out of the mean.

The model knows the accesses at both ends of a lifetime and nothing else: no weights, no
code, no prefetcher.
"""

import argparse
import csv

LINE = 64


def read_plan(path):
    """Return the (lower, upper, size, offset) of each buffer of a table."""
    buffers = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            upper = int(row["upper"]) if "upper" in row else int(row["end"]) + 1
            buffers.append((int(row["lower"]), upper, int(row["size"]), int(row["offset"])))
    return buffers


def list_touches(buffers):
    """Return the (first line, lines) that are touched, in the order of ticks."""
    touches = []
    for i, (lower, upper, size, offset) in enumerate(buffers):
        lines = (offset // LINE, (offset + size - 1) // LINE - offset // LINE + 1)
        # At one tick what is read comes before what is written.
        touches.append((lower, 1, i, lines))
        touches.append((upper - 1, 0, i, lines))
    return [lines for *_, lines in sorted(touches)]


def measure_distances(touches, repeat):
    """Return a dictionary from reuse distance, None for first touches, to how many."""
    total = repeat * sum(count for _, count in touches)
    # A Fenwick tree over time with a 1 at the last touch of each line.
    tree = [0] * (total + 1)
    last = {}
    histogram = {}
    now = 0

    def add(position, value):
        while position <= total:
            tree[position] += value
            position += position & -position

    def count_until(position):
        result = 0
        while position > 0:
            result += tree[position]
            position -= position & -position
        return result

    for first, count in touches * repeat:
        for line in range(first, first + count):
            now += 1
            distance = None
            if line in last:
                distance = len(last) - count_until(last[line])
                add(last[line], -1)
            histogram[distance] = histogram.get(distance, 0) + 1
            last[line] = now
            add(now, 1)
    return histogram


def summarize(buffers, caches, repeat=2):
    """Return the pool in bytes, the mean distance in KiB, and the share of touches that
    miss in each of `caches`, in KiB."""
    histogram = measure_distances(list_touches(buffers), repeat)
    pool = max((offset + size for _, _, size, offset in buffers), default=0)
    total = sum(histogram.values())
    reused = total - histogram.get(None, 0)
    mean = sum(d * n for d, n in histogram.items() if d is not None) / max(reused, 1)
    misses = [sum(n for d, n in histogram.items()
                  if d is None or d * LINE >= cache * 1024) / max(total, 1)
              for cache in caches]
    return pool, mean * LINE / 1024, misses


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="+")
    parser.add_argument("--caches", default="32,256,1024")
    parser.add_argument("--repeat", type=int, default=2)
    args = parser.parse_args()
    caches = [int(cache) for cache in args.caches.split(",")]
    names = "".join(f"{f'miss {cache}K':>12}" for cache in caches)
    print(f"{'plan':24}{'pool':>12}{'mean KiB':>10}{names}")
    for path in args.plans:
        pool, mean, misses = summarize(read_plan(path), caches, args.repeat)
        shares = "".join(f"{miss:12.3f}" for miss in misses)
        print(f"{path[-24:]:24}{pool:12}{mean:10.1f}{shares}")


if __name__ == "__main__":
    main()
