#!/usr/bin/env python3
"""Say what the analysis takes every operation of MLIR for that a buffer may be passed to.

The records of MLIR's .td files say which operands and results may be memrefs. For each such
operand this makes the operation in its generic form, with a memref there, and
`buffer-merge-audit` asks the analysis what it is. The result is docs/Operations.md.

  utils/audit-operations.py            # print the page
  utils/audit-operations.py --update   # write it
  utils/audit-operations.py --check    # is it up to date? exit code 1 if not
  utils/audit-operations.py --list     # print what the records say, for --listed=FILE
"""

import argparse
import collections
import concurrent.futures
import difflib
import functools
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "Operations.md")
MEMREF = "memref<4x4xf32>"

# Attributes without which an operation cannot be asked for its effects.
ATTRIBUTES = {
    "affine.for": [
        "lowerBoundMap = affine_map<(d0) -> (d0)>",
        "upperBoundMap = affine_map<(d0) -> (d0)>",
        "step = 1 : index",
    ],
    "cf.switch": ["case_operand_segments = array<i32: 1>"],
    "llvm.switch": ["case_operand_segments = array<i32: 1>"],
}

HEADER = """# Operations

[TOC]

What the analysis takes every operation of MLIR 22.1 for that takes or returns a memref: made by
`utils/audit-operations.py --update` from the records of MLIR's `.td` files and the dialects that
`buffer-merge-opt` registers, and kept up to date by a test. For each operand that may be a memref the
operation is made, and the analysis is asked.

| word | what the operation does with a buffer |
| --- | --- |
| none | it neither needs its bytes nor makes an alias |
| alias | a result, or an argument of a region or of a block, is the buffer or a view of it |
| access | it may read or write its bytes until it is done |
| deferred access | it may do so when it is done, until a wait |
| deallocation | it frees it |
| not asked | it cannot be made without attributes or regions of its own |
| anything else | it is not understood, and the buffer stays, with that [reason](Lifetimes.md#why-an-allocation-stays) |

A result or another operand that may be of any type is taken to be plain data here, and calls to be of functions that
are not looked into. Terminators are listed as in an operation that is not known; otherwise they hand a
buffer to where the operation around them says. An operation that only takes or returns other types that may
hold an address (pointers, tensors, tokens, descriptors) is not listed: a buffer gets there only through an
operation that is listed here with a reason.
"""


class Records:
    """The records of one .td file."""

    def __init__(self, records):
        self.records = records

    def get(self, reference):
        return self.records[reference["def"]] if "def" in reference else reference

    def leaves(self, predicate):
        predicate = self.get(predicate)
        found = [predicate["predExpr"]] if predicate.get("predExpr") else []
        for child in predicate.get("children", []):
            found += self.leaves(child)
        return found

    def role(self, constraint):
        """Return `memref`, `any`, or a type that stands for those that are allowed."""
        if constraint.get("allowedTypes"):
            roles = [self.role(self.get(t)) for t in constraint["allowedTypes"]]
            for role in ("memref", "any"):
                if role in roles:
                    return role
            return roles[0]
        leaves = self.leaves(constraint["predicate"])
        text = " ".join(leaves)
        if re.search(r"MemRef|BufferLike|PointerLikeType|PtrLikeType|ShapedType>", text):
            return "memref"
        if all(leaf.strip("()") == "true" for leaf in leaves):
            return "any"
        for pattern, name in (
            ("MMAMatrixType", '!gpu.mma_matrix<16x16xf16, "AOp">'),
            ("FunctionType", "() -> ()"),
            ("IndexType", "index"),
            ("VectorType", "vector<4xf32>"),
            ("TensorType", "tensor<4xf32>"),
            (r"isSignlessInteger\(1\)", "i1"),
            ("Integer", "i32"),
            ("Float|isF|BF16", "f32"),
        ):
            if re.search(pattern, text):
                return name
        return "tuple<>"

    def values(self, dag):
        """Return (name, role, kind) for each operand or result of `dag`, where kind is
        `one`, `optional`, `variadic` or `nested`."""
        found = []
        for argument, name in dag["args"]:
            record = self.get(argument)
            if "OpVariable" in record["!superclasses"]:
                record = self.get(record["constraint"])
            classes = record["!superclasses"]
            if "TypeConstraint" not in classes:
                continue
            kind = "one"
            if "Optional" in classes:
                kind = "optional"
            elif "VariadicOfVariadic" in classes:
                kind = "nested"
            elif "Variadic" in classes:
                kind = "variadic"
            if kind != "one":
                record = self.get(record["baseType"])
                if "baseType" in record:
                    record = self.get(record["baseType"])
            found.append((name or "", self.role(record), kind))
        return found

    def operation(self, record):
        dialect = self.get(record["opDialect"])["name"]
        traits = [self.get(trait) for trait in record["traits"]]
        names = {trait["!name"] for trait in traits}
        regions = [self.get(region) for region, _ in record["regions"]["args"]]
        successors = [self.get(block) for block, _ in record["successors"]["args"]]
        return dict(
            name=f"{dialect}.{record['opName']}",
            operands=self.values(record["arguments"]),
            results=self.values(record["results"]),
            operand_segments="AttrSizedOperandSegments" in names,
            result_segments="AttrSizedResultSegments" in names,
            regions=sum("VariadicRegion" not in r["!superclasses"] for r in regions),
            successors=sum(
                "VariadicSuccessor" not in b["!superclasses"] for b in successors
            ),
        )


def read_file(prefix, path):
    """Return the operations that a .td file defines, or None if there are none or it is not
    complete by itself."""
    with open(path, encoding="utf-8") as file:
        if "Op<" not in file.read():
            return None
    folders = ["-I", f"{prefix}/include", "-I", os.path.dirname(path)]
    command = [f"{prefix}/bin/llvm-tblgen", "--dump-json", *folders, path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    records = json.loads(done.stdout)
    reader = Records(records)
    return [
        reader.operation(records[name])
        for name in records["!instanceof"].get("Op", [])
        if records[name].get("opDialect")
    ]


def read_operations(prefix):
    paths = sorted(glob.glob(f"{prefix}/include/mlir/**/*.td", recursive=True))
    operations = {}
    with concurrent.futures.ThreadPoolExecutor() as executor:
        for found in executor.map(functools.partial(read_file, prefix), paths):
            for operation in found or []:
                operations.setdefault(operation["name"], operation)
    return operations


def make_case(operation, audited):
    """Return the operation with a memref for operand number `audited` of the records."""
    types, segments, number = [], [], 0
    for index, (_, role, kind) in enumerate(operation["operands"]):
        if index == audited:
            number = len(types)
        count = 1 if kind == "one" or kind == "variadic" or index == audited else 0
        segments.append(count)
        is_memref = index == audited or role == "memref"
        types += ([MEMREF] if is_memref else ["f32" if role == "any" else role]) * count
    result_types, result_segments = [], []
    for _, role, kind in operation["results"]:
        count = int(kind == "one")
        result_segments.append(count)
        role = {"memref": MEMREF, "any": "f32"}.get(role, role)
        result_types += [role] * count
    properties = list(ATTRIBUTES.get(operation["name"], []))
    for name, are_there, sizes in (
        ("operandSegmentSizes", operation["operand_segments"], segments),
        ("resultSegmentSizes", operation["result_segments"], result_segments),
    ):
        if are_there and not any(text.startswith(name) for text in properties):
            properties.append(f"{name} = array<i32: {', '.join(map(str, sizes))}>")
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
    text = '"builtin.module"() ({\n'
    text += f"^bb0({arguments}):\n  " if arguments else "^bb0:\n  "
    if result_types:
        text += f"%r:{len(result_types)} = "
    text += f'"{operation["name"]}"(' + ", ".join(f"%{i}" for i in range(len(types))) + ")"
    if operation["successors"]:
        text += " [" + ", ".join(["^bb1"] * operation["successors"]) + "]"
    if properties:
        text += " <{" + ", ".join(properties) + "}>"
    if operation["regions"]:
        inside = ", ".join(f"%a{i}: f32" for i in range(len(types)))
        region = "{^bb0" + (f"({inside})" if inside else "") + ":}"
        text += " (" + ", ".join([region] * operation["regions"]) + ")"
    text += f" {{audit.operand = {number}}}"
    text += f" : ({', '.join(types)}) -> ({', '.join(result_types)})\n"
    if operation["successors"]:
        inside = ", ".join(f"%b{i}: {MEMREF}" for i in range(len(types)))
        text += f"^bb1({inside}):\n"
    return text + "}) : () -> ()\n"


def classify(tool, cases):
    """Return what `tool` prints for each of `cases`; a case that it ends at is asked again by
    itself, and is `not asked` if that is no better."""
    answers = []
    while len(answers) < len(cases):
        rest = cases[len(answers) :]
        done = subprocess.run(
            [tool], input="// -----\n".join(rest), capture_output=True, text=True
        )
        answers += done.stdout.splitlines()
        if done.returncode != 0:
            answers.append("not asked")
    return answers


def make_rows(tool, operations):
    listed = subprocess.run([tool, "--list"], capture_output=True, text=True, check=True)
    registered = set(listed.stdout.split())
    keys, cases, sources = [], [], []
    for name in sorted(registered & operations.keys()):
        operation = operations[name]
        operands = operation["operands"]
        for index, (operand, role, _) in enumerate(operands):
            if role in ("memref", "any"):
                keys.append((name, operand))
                cases.append(make_case(operation, index))
        if any(role == "memref" for _, role, _ in operation["results"]) and not any(
            role in ("memref", "any") for _, role, _ in operands
        ):
            sources.append(name)
    answers = classify(tool, cases)
    return keys, answers, sources, sorted(registered - operations.keys())


def names_of(names):
    return ", ".join(f"`{name}`" if name else "operands" for name in names)


def make_page(tool, operations):
    keys, answers, sources, others = make_rows(tool, operations)
    by_dialect = collections.defaultdict(list)
    counts = collections.Counter()
    for (name, operand), answer in zip(keys, answers, strict=True):
        word, _, basis = answer.partition("\t")
        counts[word] += 1
        by_dialect[name.split(".")[0]].append((name, operand, word, basis))
    lines = [HEADER]
    lines += ["## How many", "", "| word | operands |", "| --- | ---: |"]
    lines += [f"| {word} | {count} |" for word, count in sorted(counts.items())]
    lines += ["", "## By dialect", ""]
    for dialect, rows in sorted(by_dialect.items()):
        lines += [f"### {dialect}", "", "| operation | operands | word | rests on |"]
        lines += ["| --- | --- | --- | --- |"]
        groups = collections.defaultdict(list)
        for name, operand, word, basis in rows:
            groups[name, word, basis].append(operand)
        for (name, word, basis), operands in groups.items():
            lines.append(f"| `{name}` | {names_of(operands)} | {word} | {basis} |")
        lines.append("")
    lines += ["## Where memrefs come from", ""]
    lines += ["These return a memref and take none. Only `memref.alloc` is merged.", ""]
    lines += [names_of(sources) + ".", ""]
    lines += ["## Without a record", ""]
    lines += ["Registered, but in no `.td` file that is installed, or not by itself:", ""]
    lines += [(names_of(others) or "none") + ".", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=f"{ROOT}/build/dev/bin/buffer-merge-audit")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22", help="where LLVM is installed")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--listed", metavar="FILE", help="read that instead of the records")
    arguments = parser.parse_args()
    if arguments.listed:
        with open(arguments.listed, encoding="utf-8") as file:
            operations = json.load(file)
    else:
        operations = read_operations(arguments.llvm)
    if arguments.list:
        json.dump(operations, sys.stdout)
        return 0
    page = make_page(arguments.tool, operations)
    if arguments.update:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
        return 0
    if not arguments.check:
        sys.stdout.write(page)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    difference = list(
        difflib.unified_diff(old.split("\n"), page.split("\n"), PAGE, "now", lineterm="", n=0)
    )
    print("\n".join(difference))
    print("up to date" if not difference else "not up to date: run --update")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
