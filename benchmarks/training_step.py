#!/usr/bin/env python3
"""Print a training step that converts its gradients: all at the end, or each at once.

  benchmarks/training_step.py [--layers 8] [--width 512] [--batch 32] [--early]

A perceptron on tensors: weights in bf16, everything else in f32. The gradients of the
weights are computed in f32, and returned in bf16. With --early each is converted when it
is there; this is what an order of operations can do at best.

  benchmarks/training_step.py | buffer-merge-opt --buffer-merge-pipeline=reorder -o /dev/null \\
      --remark-format=emitRemark --remarks-filter=memory-footprint
"""

import argparse

MAPS = {"mn": "m, n", "mk": "m, k", "km": "k, m", "kn": "k, n", "nk": "n, k"}


class Step:
    """The lines of the function."""

    def __init__(self, args):
        self.args = args
        self.weights = f"tensor<{args.width}x{args.width}xbf16>"
        self.gradients = f"tensor<{args.width}x{args.width}xf32>"
        self.rows = f"tensor<{args.batch}x{args.width}xf32>"
        self.lines = []

    def add(self, *lines):
        """Add lines."""
        self.lines += lines

    def multiply(self, name, left, right, type_name):
        """Compute %name of two operands: each with its map and type."""
        (a, a_map, a_type), (b, b_map, b_type) = left, right
        is_half = "bf16" in b_type
        self.add(
            f"  %e_{name} = tensor.empty() : {type_name}",
            f"  %f_{name} = linalg.fill ins(%zero : f32) outs(%e_{name} : {type_name}) -> {type_name}",
            f"  %{name} = linalg.generic {{indexing_maps = [#{a_map}, #{b_map}, #mn],"
            ' iterator_types = ["parallel", "parallel", "reduction"]}'
            f" ins({a}, {b} : {a_type}, {b_type}) outs(%f_{name} : {type_name}) {{",
            f"  ^bb0(%a: f32, %b: {'bf16' if is_half else 'f32'}, %c: f32):",
        )
        if is_half:
            self.add("    %w = arith.extf %b : bf16 to f32")
        self.add(
            f"    %p = arith.mulf %a, {'%w' if is_half else '%b'} : f32",
            "    %s = arith.addf %c, %p : f32",
            "    linalg.yield %s : f32",
            f"  }} -> {type_name}",
        )

    def convert(self, layer):
        """Convert the gradient of a layer."""
        self.add(
            f"  %e_c{layer} = tensor.empty() : {self.weights}",
            f"  %c{layer} = linalg.map {{ arith.truncf }} ins(%g{layer} : {self.gradients})"
            f" outs(%e_c{layer} : {self.weights})",
        )

    def build(self):
        """Return the text of the module."""
        layers, rows, weights = range(self.args.layers), self.rows, self.weights
        self.add(*(f"#{name} = affine_map<(m, n, k) -> ({dims})>" for name, dims in MAPS.items()))
        parameters = [f"%x: {rows}", f"%d: {rows}", *(f"%w{i}: {weights}" for i in layers)]
        results = ", ".join([weights] * len(layers))
        self.add(f"func.func @step({', '.join(parameters)}) -> ({results}) {{",
                 "  %zero = arith.constant 0.0 : f32")
        inputs = ["%x"]
        for i in layers:
            self.multiply(f"h{i}", (inputs[-1], "mk", rows), (f"%w{i}", "kn", weights), rows)
            self.add(f"  %e_x{i} = tensor.empty() : {rows}",
                     f"  %x{i} = linalg.tanh ins(%h{i} : {rows}) outs(%e_x{i} : {rows}) -> {rows}")
            inputs.append(f"%x{i}")
        delta = "%d"
        for i in reversed(layers):
            self.multiply(f"g{i}", (inputs[i], "km", rows), (delta, "kn", rows), self.gradients)
            if self.args.early:
                self.convert(i)
            if i:
                self.multiply(f"d{i}", (delta, "mk", rows), (f"%w{i}", "nk", weights), rows)
                delta = f"%d{i}"
        if not self.args.early:
            for i in reversed(layers):
                self.convert(i)
        self.add(f"  return {', '.join(f'%c{i}' for i in layers)} : {results}", "}")
        return "\n".join(self.lines)


def main():
    """Print the program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--early", action="store_true")
    print(Step(parser.parse_args()).build())


if __name__ == "__main__":
    main()
