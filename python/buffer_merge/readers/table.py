# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of buffers: MiniMalloc's CSV, and the JSON of buffer-merge-schedule."""

import csv
import json

from ..planner import verify
from ..problem import Problem

# Other names of columns. `end` is the last tick, as in MiniMalloc.
_SYNONYMS = {
    "buffer": "id",
    "buffer_id": "id",
    "begin": "lower",
    "start": "lower",
    "end-exclusive": "upper",
    "end-inclusive": "end",
}


def _read_rows(path):
    """Return the rows of a table, each a dict from columns to texts or numbers."""
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    if text.lstrip().startswith("{"):
        return json.loads(text)["buffers"]
    lines = [
        line
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise ValueError(f"{path}: the row with the names of the columns is missing")
    separator = next((char for char in "\t;" if char in lines[0]), ",")
    rows = [
        [field.strip() for field in row]
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True)
    ]
    names = [_SYNONYMS.get(name.lower(), name.lower()) for name in rows[0]]
    for row in rows[1:]:
        if len(row) != len(names):
            raise ValueError(f"{path}: {len(row)} fields instead of {len(names)}: {row}")
    return [dict(zip(names, row)) for row in rows[1:]]


def _read_gaps(text, is_inclusive):
    """Yield the gaps (begin, end) of a field such as `2-5 7-8`."""
    for part in text.split():
        # The first tick may be negative.
        begin, end = part[0] + part[1:].partition("-")[0], part[1:].partition("-")[2]
        yield int(begin), int(end) + is_inclusive


def _read(path):
    """Return the arguments of a Problem, and the offsets, None where there is none."""
    rows = _read_rows(path)
    for column in ("id", "lower", "size"):
        if rows and column not in rows[0]:
            raise ValueError(f"{path}: column '{column}' is missing")
    # Rows of size 0 are no buffers.
    empties = {str(row["id"]) for row in rows if int(row["size"]) == 0}
    rows = [row for row in rows if int(row["size"]) != 0]
    ids = {str(row["id"]): index for index, row in enumerate(rows)}
    if len(ids) != len(rows):
        raise ValueError(f"{path}: an id is there twice")
    is_inclusive = bool(rows) and "upper" not in rows[0]

    def resolve(row, column):
        for name in str(row.get(column) or "").split():
            if name not in empties:
                if name not in ids:
                    raise ValueError(f"{path}: {column}: there is no id '{name}'")
                yield ids[name]

    columns = {
        "sizes": [int(row["size"]) for row in rows],
        "begins": [int(row["lower"]) for row in rows],
        "ends": [int(row["end"]) + 1 if is_inclusive else int(row["upper"]) for row in rows],
        "alignments": [int(row.get("alignment") or 1) for row in rows],
        "names": list(ids),
        "gaps": [
            (index, *gap)
            for index, row in enumerate(rows)
            for gap in _read_gaps(row.get("gaps") or "", is_inclusive)
        ],
        "conflicts": [
            (index, other)
            for index, row in enumerate(rows)
            for other in resolve(row, "conflicts")
        ],
        "in_place": [
            (earlier, index, at_any_offset)
            for index, row in enumerate(rows)
            for column, at_any_offset in (("in-place", 0), ("in-place-any", 1))
            for earlier in resolve(row, column)
        ],
    }
    offsets = [
        int(row["offset"]) if row.get("offset") not in (None, "") else None for row in rows
    ]
    return columns, offsets


def read_table(path, *, fix_offsets=False, capacity=None):
    """Return the Problem of a table in MiniMalloc's CSV, with the columns that
    buffer-merge-schedule adds, or in the JSON that it prints. With `fix_offsets`,
    offsets of the table are fixed; otherwise they do not count. The columns hint,
    penalties, reads, writes and region do not count."""
    columns, offsets = _read(path)
    return Problem(
        **columns, fixed_offsets=offsets if fix_offsets else None, capacity=capacity
    )


def read_plan(path):
    """Return the Plan of a table in which each buffer has an offset, verified."""
    columns, offsets = _read(path)
    if None in offsets:
        raise ValueError(f"{path}: '{columns['names'][offsets.index(None)]}' has no offset")
    return verify(Problem(**columns), offsets)
