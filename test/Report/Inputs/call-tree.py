"""Make and check programs in which each function calls the next one twice.

call-tree.py DEPTH prints the program, call-tree.py REPORT what its report says the
program holds.
"""

import collections
import json
import sys
from pathlib import Path


def make(depth):
    for number in range(depth + 1):
        print(f"func.func @f{number}(%x: i8, %i: index) {{")
        print("  %a = memref.alloc() : memref<64xi8>")
        print("  memref.store %x, %a[%i] : memref<64xi8>")
        if number < depth:
            print(f"  call @f{number + 1}(%x, %i) : (i8, index) -> ()\n" * 2)
        print("  %y = memref.load %a[%i] : memref<64xi8>")
        print("  memref.dealloc %a : memref<64xi8>")
        print("  return\n}")


def check(path):
    program = json.loads(Path(path).read_text())["program"]
    holds = program["holds"]
    change = collections.Counter()
    for hold in holds:
        change[hold["begin"]] += hold["bytes"]
        change[hold["end"]] -= hold["bytes"]
    held = most = 0
    for tick in sorted(change):
        held += change[tick]
        most = max(most, held)
    blocks = [hold for hold in holds if hold["what"] == "call" and hold["bytes"]]
    print(
        f"{len(holds)} items, {len(blocks)} calls as blocks, {most} bytes at the peak,"
        f" {program['peakBytes']} in the plan"
    )
    calls = collections.Counter(h["name"] for h in holds if h["what"] == "call")
    end = max(hold["end"] for hold in holds)
    print(
        f"@{program['largestFunction']} [0, {end}), "
        + ", ".join(f"{name} {calls[name]}" for name in sorted(calls))
    )


def main():
    (argument,) = sys.argv[1:]
    if argument.isdigit():
        make(int(argument))
    else:
        check(argument)


if __name__ == "__main__":
    main()
