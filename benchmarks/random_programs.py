#!/usr/bin/env python3
"""Write random programs on buffers, for the benchmarks that take a folder of programs.

    benchmarks/random_programs.py FOLDER FIRST LAST

Writes the programs of the seeds from FIRST to before LAST as FOLDER/NUMBER.mlir, always the
same ones. They have loops that carry buffers, branches and functions that return them, and
buffers of a few sizes, all multiples of 1 KiB, so that alignment adds next to nothing to what
benchmarks/footprint.py compares. Each program prints some of what it computes.
"""

import argparse
import os
import random
import sys

CONSTANTS = """\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32"""


def get_type(rows):
    return f"memref<{rows}x16xf32>"


class Program:
    """One random program. A buffer is a pair of its name and its number of rows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.num_values = [], 0
        self.sizes = [16 * 4 ** self.random.randint(0, 3) for _ in range(3)]
        # For each function: its name, the rows of its argument, and those of its result or None.
        self.functions = []

    def write(self, indent, line):
        self.lines.append(indent + line)

    def name(self):
        self.num_values += 1
        return f"%v{self.num_values}"

    def choose_size(self):
        return self.random.choice(self.sizes)

    def allocate(self, indent, rows, source=None):
        """Return a new buffer, computed from the buffer `source` if there is one."""
        buffer, kind = self.name(), get_type(rows)
        self.write(indent, f"{buffer} = memref.alloc() : {kind}")
        if source and source[1] == rows:
            self.write(indent, f"linalg.add ins({source[0]}, {source[0]} : {kind}, {kind}) "
                               f"outs({buffer} : {kind})")
            return buffer, rows
        value = self.load(indent, source, "%c1") if source else "%half"
        self.write(indent, f"linalg.fill ins({value} : f32) outs({buffer} : {kind})")
        return buffer, rows

    def load(self, indent, buffer, column):
        value = self.name()
        self.write(indent, f"{value} = memref.load {buffer[0]}[%c0, {column}] : "
                           f"{get_type(buffer[1])}")
        return value

    def print_element(self, indent, buffer):
        value = self.load(indent, buffer, "%c1")
        self.write(indent, f"func.call @printF32({value}) : (f32) -> ()")
        self.write(indent, "func.call @printNewline() : () -> ()")

    def call(self, indent, buffers):
        function, rows, result_rows = self.random.choice(self.functions)
        argument = next((buffer for buffer in buffers if buffer[1] == rows), None)
        argument = argument or self.allocate(indent, rows)
        if result_rows is None:
            self.write(indent, f"func.call @{function}({argument[0]}) : "
                               f"({get_type(rows)}) -> ()")
            return
        result = self.name()
        self.write(indent, f"{result} = func.call @{function}({argument[0]}) : "
                           f"({get_type(rows)}) -> {get_type(result_rows)}")
        buffers.append((result, result_rows))

    def add_body(self, indent, buffers, least, most, depth, yielded=None):
        """Add the body of a region, which yields a new buffer of so many rows, or nothing."""
        inner = self.add_statements(indent + "  ", buffers,
                                    self.random.randint(least, most), depth + 1)
        if yielded is not None:
            value = self.allocate(indent + "  ", yielded, self.random.choice(inner))
            self.write(indent, f"  scf.yield {value[0]} : {get_type(yielded)}")

    def add_loop(self, indent, buffers, depth):
        index = self.name()
        self.write(indent, f"scf.for {index} = %c0 to %c3 step %c1 {{")
        self.add_body(indent, buffers, 2, 4, depth)
        self.write(indent, "}")

    def add_carrying_loop(self, indent, buffers, depth):
        start, rows = self.random.choice(buffers)
        index, carried, result = self.name(), self.name(), self.name()
        self.write(indent, f"{result} = scf.for {index} = %c0 to %c3 step %c1 "
                           f"iter_args({carried} = {start}) -> ({get_type(rows)}) {{")
        self.add_body(indent, buffers + [(carried, rows)], 1, 4, depth, rows)
        self.write(indent, "}")
        buffers.append((result, rows))

    def add_branch(self, indent, buffers, depth):
        value = self.load(indent, self.random.choice(buffers), "%c0")
        condition = self.name()
        self.write(indent, f"{condition} = arith.cmpf ogt, {value}, %half : f32")
        if self.random.random() < 0.5:
            self.write(indent, f"scf.if {condition} {{")
            self.add_body(indent, buffers, 1, 3, depth)
            if self.random.random() < 0.5:
                self.write(indent, "} else {")
                self.add_body(indent, buffers, 1, 3, depth)
            self.write(indent, "}")
            return
        result, rows = self.name(), self.choose_size()
        self.write(indent, f"{result} = scf.if {condition} -> ({get_type(rows)}) {{")
        self.add_body(indent, buffers, 0, 2, depth, rows)
        self.write(indent, "} else {")
        self.add_body(indent, buffers, 0, 2, depth, rows)
        self.write(indent, "}")
        buffers.append((result, rows))

    def add_statements(self, indent, buffers, count, depth=0):
        """Add `count` statements that use `buffers`. Return these and the new ones."""
        buffers = list(buffers)
        nested = [self.add_loop, self.add_carrying_loop, self.add_branch]
        for _ in range(count):
            choice = self.random.random()
            if choice < 0.4 or not buffers:
                source = self.random.choice(buffers + [None]) if buffers else None
                buffers.append(self.allocate(indent, self.choose_size(), source))
            elif choice < 0.5 and self.functions:
                self.call(indent, buffers)
            elif choice < 0.9 and depth < 2:
                self.random.choice(nested)(indent, buffers, depth)
            else:
                self.print_element(indent, self.random.choice(buffers))
        return buffers

    def add_function(self, name):
        rows = self.choose_size()
        result_rows = self.choose_size() if self.random.random() < 0.6 else None
        result = f" -> {get_type(result_rows)}" if result_rows else ""
        self.write("", f"func.func private @{name}(%argument: {get_type(rows)}){result} {{")
        self.write("", CONSTANTS)
        buffers = self.add_statements("  ", [("%argument", rows)], self.random.randint(2, 6))
        if result_rows:
            value = self.allocate("  ", result_rows, self.random.choice(buffers))
            self.write("", f"  return {value[0]} : {get_type(result_rows)}")
        else:
            self.write("", "  return")
        self.write("", "}")
        self.functions.append((name, rows, result_rows))

    def build(self):
        """Return the text of the program."""
        for number in range(self.random.randint(0, 3)):
            self.add_function(f"f{number}")
        self.write("", "func.func @main() {")
        self.write("", CONSTANTS)
        for buffer in self.add_statements("  ", [], self.random.randint(5, 12))[-2:]:
            self.print_element("  ", buffer)
        self.write("", "  return\n}")
        self.write("", "func.func private @printF32(f32)")
        self.write("", "func.func private @printNewline()")
        return "\n".join(self.lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for seed in range(args.first, args.last):
        with open(os.path.join(args.folder, f"{seed:06}.mlir"), "w") as file:
            file.write(Program(seed).build())
    return 0


if __name__ == "__main__":
    sys.exit(main())
