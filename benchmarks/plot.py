#!/usr/bin/env python3
"""Draw what benchmarks/suite.py has measured: allocated bytes and pools, as SVG.

    benchmarks/plot.py suite.json -o docs/images/benchmarks.svg [--only REGEX]

One row for each program that has a pool: what its merged buffers take one by one, their
pools, and the lower bound as a line, on a logarithmic scale. Needs nothing but Python.
"""

import argparse
import json
import math
import re
import sys
from xml.sax.saxutils import escape

import programs

WIDTH, LEFT, RIGHT, ROW, TOP = 860, 230, 170, 34, 58


def draw(rows):
    low = min(row["lowerBound"] for row in rows)
    high = max(row["mergedBytes"] for row in rows)
    first = math.floor(math.log10(low))
    last = math.ceil(math.log10(high))
    height = TOP + ROW * len(rows) + 34
    scale = (WIDTH - LEFT - RIGHT) / max(last - first, 1)

    def x(count):
        return LEFT + (math.log10(count) - first) * scale

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="22" font-size="15" fill="#222222">Bytes of merged buffers: '
           'one by one, and in pools</text>']
    for i, (color, text) in enumerate((("#b9c9dc", "allocated"), ("#1f5a96", "pools"))):
        out += [f'<rect x="{LEFT + 110 * i}" y="32" width="12" height="12" fill="{color}"/>',
                f'<text x="{LEFT + 18 + 110 * i}" y="43" fill="#222222">{text}</text>']
    out += [f'<line x1="{LEFT + 226}" x2="{LEFT + 226}" y1="31" y2="45" stroke="#c0392b" '
            'stroke-width="2"/>',
            f'<text x="{LEFT + 234}" y="43" fill="#222222">lower bound</text>']
    bottom = TOP + ROW * len(rows)
    for power in range(first, last + 1):
        position = LEFT + (power - first) * scale
        out += [f'<line x1="{position:.1f}" x2="{position:.1f}" y1="{TOP}" y2="{bottom}" '
                'stroke="#dddddd"/>',
                f'<text x="{position:.1f}" y="{bottom + 18}" text-anchor="middle" '
                f'fill="#555555">{programs.format_bytes(10 ** power).replace(".00", "").replace(".0", "")}</text>']
    for i, row in enumerate(rows):
        y = TOP + ROW * i
        name = re.sub(r"\.mlir(\.gz)?$", "", row["program"])
        allocated, pool, bound = row["mergedBytes"], row["poolBytes"], row["lowerBound"]
        out += [
            f'<text x="{LEFT - 8}" y="{y + 21}" text-anchor="end" fill="#222222">'
            f'{escape(name)}</text>',
            f'<rect x="{LEFT}" y="{y + 5}" width="{x(allocated) - LEFT:.1f}" height="11" '
            f'fill="#b9c9dc"><title>{escape(name)}: {allocated} bytes allocated</title></rect>',
            f'<rect x="{LEFT}" y="{y + 17}" width="{x(pool) - LEFT:.1f}" height="11" '
            f'fill="#1f5a96"><title>{escape(name)}: {pool} bytes of pools</title></rect>',
            f'<line x1="{x(bound):.1f}" x2="{x(bound):.1f}" y1="{y + 14}" y2="{y + 31}" '
            f'stroke="#c0392b" stroke-width="2"><title>lower bound {bound}</title></line>',
            f'<text x="{WIDTH - RIGHT + 8}" y="{y + 21}" fill="#222222">'
            f'{programs.format_bytes(allocated)} → {programs.format_bytes(pool)}</text>']
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="what suite.py --json has written")
    parser.add_argument("-o", dest="output", required=True, help="the SVG file to write")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    args = parser.parse_args()
    with open(args.results) as file:
        rows = [row for row in json.load(file)["programs"]
                if row.get("lowerBound") and re.search(args.only or "", row["program"])]
    if not rows:
        print(f"{args.results}: no program has a pool", file=sys.stderr)
        return 1
    rows.sort(key=lambda row: -row["mergedBytes"])
    with open(args.output, "w") as file:
        file.write(draw(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
