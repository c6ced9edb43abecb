# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models. Needs the package onnx (python3-onnx)."""

from ..problem import Problem

# Bytes of an element, by TensorProto.DataType. Others have no fixed size.
_ELEMENT_BYTES = {
    1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8,
    14: 8, 15: 16, 16: 2,
}  # fmt: skip


def _get_bytes(value, dims):
    """Return the bytes of a ValueInfoProto, None if they are not known."""
    tensor = value.type.tensor_type
    count = _ELEMENT_BYTES.get(tensor.elem_type)
    if count is None or not tensor.HasField("shape"):
        return None
    for dim in tensor.shape.dim:
        size = dim.dim_value if dim.HasField("dim_value") else dims.get(dim.dim_param)
        if size is None:
            return None
        count *= size
    return count


def _get_inputs(node):
    """Return the values that a node reads, those that its bodies take from outside
    included."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        bodies = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
        for body in bodies:
            for inner in body.node:
                names += _get_inputs(inner)
            names += [output.name for output in body.output]
    return names


def read_onnx(model, *, dims=None, alignment=64, capacity=None):
    """Return the Problem of the values that the nodes of a model compute for each other,
    in the order of the nodes: a tick is a node. `model` is a path or a ModelProto, with
    the shapes of values, or such that shapes can be inferred. `dims` has the sizes of
    symbolic dimensions, by name.

    Inputs and outputs of the model, weights and constants are not in it, nor are values inside
    of the bodies of `If`, `Loop` and `Scan`. Views (`Reshape` and the like) count as
    copies. A value of unknown size is a ValueError."""
    import onnx
    import onnx.shape_inference

    if not isinstance(model, onnx.ModelProto):
        model = onnx.load(model, load_external_data=False)
    dims = dims or {}
    # Inference knows numbers only.
    named = onnx.ModelProto()
    named.CopyFrom(model)
    for value in (*named.graph.input, *named.graph.value_info, *named.graph.output):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in dims:
                dim.dim_value = dims[dim.dim_param]
    graph = onnx.shape_inference.infer_shapes(named, data_prop=True).graph

    infos = {value.name: value for value in graph.value_info}
    outputs = {value.name for value in graph.output}
    begins, ends = {}, {}
    for tick, node in enumerate(graph.node):
        for name in _get_inputs(node):
            if name in begins:
                ends[name] = tick + 1
        if node.op_type == "Constant":
            continue
        for name in node.output:
            if name and name not in outputs:
                begins[name], ends[name] = tick, tick + 1
    sizes = {}
    for name in begins:
        sizes[name] = _get_bytes(infos[name], dims) if name in infos else None
        if sizes[name] is None:
            raise ValueError(f"the size of '{name}' is not known; see dims")
    names = [name for name in begins if sizes[name] > 0]
    return Problem(
        [sizes[name] for name in names],
        [begins[name] for name in names],
        [ends[name] for name in names],
        alignments=alignment,
        capacity=capacity,
        names=names,
    )
