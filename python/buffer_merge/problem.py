# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems: buffers with known lifetimes, as columns."""

import array
import ctypes

from . import _library


def to_column(values, name):
    """Return `values`, a list, an array, or whatever else has integers, as an
    array.array of 64-bit integers. Raise a TypeError or an OverflowError if one of them
    is not."""
    try:
        view = memoryview(values)
    except TypeError:
        view = None
    try:
        if view is None:
            return array.array("q", values)
        if view.ndim != 1:
            raise TypeError(f"it has {view.ndim} dimensions")
        column = array.array("q")
        if view.format in ("l", "q") and view.itemsize == 8 and view.c_contiguous:
            column.frombytes(view.cast("B"))
        else:
            column.extend(view.tolist())
        return column
    except (TypeError, OverflowError) as error:
        raise type(error)(f"{name}: {error}") from None


def to_rows(rows, width, name):
    """Return `rows` of `width` integers each, one after the other."""
    flat = array.array("q")
    for index, row in enumerate(rows):
        row = tuple(row)
        if len(row) != width:
            raise TypeError(f"{name}[{index}] has {len(row)} numbers, not {width}")
        flat.extend(to_column([int(value) for value in row], f"{name}[{index}]"))
    return flat


def to_pointer(column):
    """Return a pointer to `column`, which must live as long; null if it is empty."""
    if not column:
        return None
    address, _ = column.buffer_info()
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_int64))


class Problem:
    """Buffers and their lifetimes: `sizes` in bytes, `begins` (the first tick of each)
    and `ends` (the first tick after it), in lists or numpy arrays.

    `alignments` are powers of two, or one for all; `fixed_offsets` has None or -1 where
    nothing is fixed. `gaps` are rows (buffer, begin, end), `conflicts` and `same_places`
    pairs of buffers, `in_place` rows (earlier, later, whether at any offset).
    `capacity` is the largest pool that is of use. `names` are those of the buffers.

    Nothing is checked but types and lengths; planning, verifying and computing bounds
    check the rest."""

    def __init__(
        self,
        sizes,
        begins,
        ends,
        alignments=None,
        fixed_offsets=None,
        gaps=(),
        conflicts=(),
        in_place=(),
        same_places=(),
        capacity=None,
        names=None,
    ):
        # Whoever brings numpy gets numpy.
        self.uses_numpy = type(sizes).__module__.partition(".")[0] == "numpy"
        self.sizes = to_column(sizes, "sizes")
        self.begins = to_column(begins, "begins")
        self.ends = to_column(ends, "ends")
        count = len(self.sizes)
        if alignments is None:
            alignments = 1
        if isinstance(alignments, int):
            alignments = [alignments] * count
        self.alignments = to_column(alignments, "alignments")
        if fixed_offsets is None:
            fixed_offsets = [None] * count
        self.fixed_offsets = to_column(
            [
                _library.NO_OFFSET if offset is None else int(offset)
                for offset in fixed_offsets
            ],
            "fixed_offsets",
        )
        self.gaps = to_rows(gaps, 3, "gaps")
        self.conflicts = to_rows(conflicts, 2, "conflicts")
        self.in_place = to_rows(in_place, 3, "in_place")
        self.same_places = to_rows(same_places, 2, "same_places")
        self.capacity = capacity
        if capacity is not None and not 1 <= capacity < 1 << 63:
            raise ValueError(f"capacity {capacity} is not in [1, 2^63)")
        self.names = (
            [f"b{index}" for index in range(count)]
            if names is None
            else [str(name) for name in names]
        )
        for name in ("begins", "ends", "alignments", "fixed_offsets", "names"):
            length = len(getattr(self, name))
            if length != count:
                raise ValueError(f"{name} has {length} entries, sizes has {count}")

    def __len__(self):
        return len(self.sizes)

    def get_live_intervals(self):
        """Return for each buffer its intervals (begin, end): its lifetime less gaps."""
        intervals = [[] for _ in range(len(self))]
        froms = list(self.begins)
        for row in range(0, len(self.gaps), 3):
            index, begin, end = self.gaps[row : row + 3]
            intervals[index].append((froms[index], begin))
            froms[index] = end
        for index, end in enumerate(self.ends):
            intervals[index].append((froms[index], end))
        return intervals

    def to_struct(self):
        """Return the struct of the C library. It points into the columns."""
        struct = _library.Problem()
        struct.struct_size = ctypes.sizeof(struct)
        struct.num_buffers = len(self)
        for name in ("sizes", "begins", "ends", "alignments", "fixed_offsets"):
            setattr(struct, name, to_pointer(getattr(self, name)))
        for name, width in (
            ("gaps", 3),
            ("conflicts", 2),
            ("in_place", 3),
            ("same_places", 2),
        ):
            rows = getattr(self, name)
            setattr(struct, name, to_pointer(rows))
            setattr(struct, "num_" + name, len(rows) // width)
        struct.capacity = self.capacity or 0
        return struct
