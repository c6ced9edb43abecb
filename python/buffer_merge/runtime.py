# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools whose bytes are known when the program runs."""

import ast
import operator
import re

_NAME = re.compile(r"dim\(arg\d+, *\d+\)|arg\d+|v\d+")


class RuntimePool:
    """A pool whose bytes are a formula, such as max(64 * dim(arg0, 1), 256).

    `names` are those that the formula has no number for."""

    def __init__(self, formula, alignment=1):
        self.formula = formula
        self.alignment = alignment
        self.names = list(dict.fromkeys(_NAME.findall(formula)))

    def __repr__(self):
        return f"RuntimePool({self.formula})"

    def bytes(self, values=None, **others):
        """Return the bytes where the names have these values, 0 or more: by name in
        `values`, as in `{"dim(arg0, 1)": 512, "arg2": 4}`, or as keywords, as in
        `arg2=4`. A formula of one name takes it by any keyword, as in `seq=512`."""
        values = {**(values or {}), **others}
        if len(self.names) == len(values) == len(others) == 1:
            values = dict(zip(self.names, values.values()))
        if set(values) != set(self.names):
            raise ValueError(f"expected values of {self.names}, not of {list(values)}")
        values = {name: operator.index(value) for name, value in values.items()}
        if any(value < 0 for value in values.values()):
            raise ValueError("a value is below 0")
        text = _NAME.sub(lambda match: str(values[match[0]]), self.formula)
        return self._evaluate(ast.parse(text, mode="eval").body)

    def _evaluate(self, node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            apply = operator.add if isinstance(node.op, ast.Add) else operator.mul
            return apply(self._evaluate(node.left), self._evaluate(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            operands = [self._evaluate(operand) for operand in node.args]
            if node.func.id == "roundup" and len(operands) == 1:
                return -(-operands[0] // self.alignment) * self.alignment
            if node.func.id in ("max", "min") and operands:
                return {"max": max, "min": min}[node.func.id](operands)
        raise ValueError(f"not a number of bytes: {self.formula}")
