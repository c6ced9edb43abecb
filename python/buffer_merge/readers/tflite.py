# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFLite models, and the plans that TensorFlow Lite for Microcontrollers takes from their
metadata."""

import math
import struct

from ..problem import Problem
from .flatbuffer import Table

# Fields of the schema (version 3), by table.
_VERSION, _CODES, _SUBGRAPHS, _DESCRIPTION, _BUFFERS = range(5)
_METADATA_BUFFER, _METADATA, _SIGNATURES = range(5, 8)
_TENSORS, _INPUTS, _OUTPUTS, _OPERATORS = range(4)
_SHAPE, _TYPE, _BUFFER, _NAME, _QUANTIZATION, _IS_VARIABLE = range(6)
_OPERATOR_INPUTS, _OPERATOR_OUTPUTS, _INTERMEDIATES = 1, 2, 8
_DATA, _DATA_OFFSET = 0, 1

# Bytes of an element, by TensorType. Others have no fixed size.
_ELEMENT_BYTES = {0: 4, 1: 2, 2: 4, 3: 1, 4: 8, 6: 1, 7: 2, 8: 8, 9: 1, 10: 8, 11: 16,
                  12: 8, 15: 4, 16: 2}  # fmt: skip

_PLAN_NAME = b"OfflineMemoryAllocation"


def _read_model(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[4:8] != b"TFL3":
        raise ValueError(f"{path}: this is no TFLite model")
    return Table.get_root(data)


def read_tflite(path, *, subgraph=0, alignment=16, capacity=None):
    """Return the Problem of the tensors of a subgraph that have no data in the model: a
    tick is an operator, inputs are alive from the first one and outputs until the last
    one, as the interpreter for microcontrollers has it. Names are `INDEX:NAME` of each
    tensor. What kernels ask for when they run is not in it. A tensor of unknown size is
    a ValueError."""
    model = _read_model(path)
    graph = model.get_tables(_SUBGRAPHS)[subgraph]
    has_data = [
        buffer.get_length(_DATA) > 0 or buffer.get_number(_DATA_OFFSET, "Q") > 1
        for buffer in model.get_tables(_BUFFERS)
    ]
    operators = graph.get_tables(_OPERATORS)
    end = max(len(operators), 1)
    uses = {index: [0] for index in graph.get_numbers(_INPUTS, "i")}
    for tick, operator in enumerate(operators):
        for field in (_OPERATOR_INPUTS, _OPERATOR_OUTPUTS, _INTERMEDIATES):
            for index in operator.get_numbers(field, "i"):
                uses.setdefault(index, []).append(tick)
    for index in graph.get_numbers(_OUTPUTS, "i"):
        uses.setdefault(index, []).append(end - 1)

    rows = []
    for index, tensor in enumerate(graph.get_tables(_TENSORS)):
        # Operands that are left out are -1.
        if index not in uses or has_data[tensor.get_number(_BUFFER, "I")]:
            continue
        name = f"{index}:{tensor.get_bytes(_NAME).decode('utf-8', 'replace')}"
        shape = tensor.get_numbers(_SHAPE, "i")
        element = _ELEMENT_BYTES.get(tensor.get_number(_TYPE, "b"))
        if element is None or any(size < 0 for size in shape):
            raise ValueError(f"{path}: the size of '{name}' is not known")
        size = element * math.prod(shape)
        begin, last = min(uses[index]), max(uses[index])
        if tensor.get_number(_IS_VARIABLE, "B"):
            begin, last = 0, end - 1
        if size:
            rows.append((name, size, begin, last + 1))
    return Problem(
        [row[1] for row in rows],
        [row[2] for row in rows],
        [row[3] for row in rows],
        alignments=alignment,
        capacity=capacity,
        names=[row[0] for row in rows],
    )


class _Prefix:
    """What is written in front of a model, whose bytes stay as they are: offsets lead
    forward only."""

    def __init__(self):
        self.data = bytearray()
        self.links = []  # Where an offset is, and what it leads to.
        self.marks = {}

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def link(self, target):
        """Add an offset to `target`: a mark, or a position in the model."""
        self.links.append((len(self.data), target))
        self.data += bytes(4)

    def add_table(self, mark, fields):
        """Add a table whose fields are numbers of 32 bits, marks in bytes, or (position,)
        in the model; None is missing."""
        self.align(4)
        present = [field for field in fields if field is not None]
        vtable_size, offset = 4 + 2 * len(fields), 4
        self.data += bytes((len(self.data) + vtable_size) % 4)
        vtable = len(self.data)
        self.data += struct.pack("<HH", vtable_size, 4 + 4 * len(present))
        for field in fields:
            self.data += struct.pack("<H", 0 if field is None else offset)
            offset += 0 if field is None else 4
        self.marks[mark] = len(self.data)
        self.data += struct.pack("<i", len(self.data) - vtable)
        for field in present:
            if isinstance(field, int):
                self.data += struct.pack("<I", field)
            else:
                self.link(field)

    def add_offsets(self, mark, targets):
        self.align(4)
        self.marks[mark] = len(self.data)
        self.data += struct.pack("<I", len(targets))
        for target in targets:
            self.link(target)

    def add_bytes(self, mark, content, alignment):
        self.data += bytes(-(len(self.data) + 4) % alignment)
        self.marks[mark] = len(self.data)
        # The byte behind is the end of a string.
        self.data += struct.pack("<I", len(content)) + content + b"\0"

    def finish(self):
        self.align(64)
        for position, target in self.links:
            to = self.marks[target] if isinstance(target, bytes) else (
                len(self.data) + target[0]
            )
            struct.pack_into("<I", self.data, position, to - position)
        return bytes(self.data)


def write_tflite(path, plan, output, *, subgraph=0):
    """Write the model at `path` to `output`, with the offsets of `plan`, one of what
    `read_tflite` has returned, as metadata: tensors that are not in it are planned when
    the model is loaded. An earlier plan of the model is replaced."""
    model = _read_model(path)
    graph = model.get_tables(_SUBGRAPHS)[subgraph]
    offsets = [-1] * len(graph.get_positions(_TENSORS))
    for name, offset in zip(plan.problem.names, plan.offsets):
        offsets[int(name.partition(":")[0])] = int(offset)
    content = struct.pack(f"<{3 + len(offsets)}i", 1, subgraph, len(offsets), *offsets)

    buffers = [(position,) for position in model.get_positions(_BUFFERS)]
    if any(Table(model.data, at).get_number(_DATA_OFFSET, "Q") > 1 for (at,) in buffers):
        raise ValueError(f"{path}: buffers outside of the tables are not supported")
    if any(model.find(field) is not None for field in range(_SIGNATURES + 1, 32)):
        raise ValueError(f"{path}: the model has members that are not known")
    metadata = [
        (position,)
        for position in model.get_positions(_METADATA)
        if Table(model.data, position).get_bytes(0) != _PLAN_NAME
    ]

    def keep(field):
        position = model.follow(field)
        return None if position is None else (position,)

    prefix = _Prefix()
    prefix.link(b"model")
    prefix.data += b"TFL3"
    prefix.add_table(
        b"model",
        [
            model.get_number(_VERSION, "I"),
            keep(_CODES),
            keep(_SUBGRAPHS),
            keep(_DESCRIPTION),
            b"buffers",
            keep(_METADATA_BUFFER),
            b"metadata",
            keep(_SIGNATURES),
        ],
    )
    prefix.add_offsets(b"buffers", [*buffers, b"plan buffer"])
    prefix.add_offsets(b"metadata", [*metadata, b"plan"])
    prefix.add_table(b"plan", [b"name", len(buffers)])
    prefix.add_table(b"plan buffer", [b"content"])
    prefix.add_bytes(b"name", _PLAN_NAME, 4)
    prefix.add_bytes(b"content", content, 16)
    with open(output, "wb") as file:
        file.write(prefix.finish() + model.data)


def read_tflite_offsets(path, *, subgraph=0):
    """Return the offset of each tensor of a subgraph by the plan in the metadata, -1 where
    it has none; None without a plan."""
    model = _read_model(path)
    for metadata in model.get_tables(_METADATA):
        if metadata.get_bytes(0) != _PLAN_NAME:
            continue
        buffer = model.get_tables(_BUFFERS)[metadata.get_number(1, "I")]
        _, of_subgraph, count, *offsets = memoryview(buffer.get_bytes(_DATA)).cast("i")
        if of_subgraph == subgraph:
            return offsets[:count]
    return None
