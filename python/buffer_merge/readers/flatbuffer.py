# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The little of FlatBuffers that TFLite models need, without their schema."""

import struct


class Table:
    """The table at a position of a buffer. A field that is missing is None or empty."""

    def __init__(self, data, position):
        self.data, self.position = data, position

    @staticmethod
    def get_root(data):
        return Table(data, struct.unpack_from("<I", data, 0)[0])

    def find(self, field):
        """Return the position of a field, None if it is missing."""
        vtable = self.position - struct.unpack_from("<i", self.data, self.position)[0]
        size = struct.unpack_from("<H", self.data, vtable)[0]
        entry = 4 + 2 * field
        if entry >= size:
            return None
        offset = struct.unpack_from("<H", self.data, vtable + entry)[0]
        return self.position + offset if offset else None

    def get_number(self, field, form, default=0):
        """Return a number whose form is as in `struct`."""
        position = self.find(field)
        if position is None:
            return default
        return struct.unpack_from("<" + form, self.data, position)[0]

    def follow(self, field):
        """Return the position that an offset leads to, None if it is missing."""
        position = self.find(field)
        if position is None:
            return None
        return position + struct.unpack_from("<I", self.data, position)[0]

    def get_length(self, field):
        """Return the number of entries of a vector."""
        position = self.follow(field)
        if position is None:
            return 0
        return struct.unpack_from("<I", self.data, position)[0]

    def get_numbers(self, field, form):
        count = self.get_length(field)
        if not count:
            return []
        position = self.follow(field)
        return list(struct.unpack_from(f"<{count}{form}", self.data, position + 4))

    def get_bytes(self, field):
        return bytes(self.get_numbers(field, "B"))

    def get_positions(self, field):
        """Return the positions of the tables of a vector."""
        start = (self.follow(field) or 0) + 4
        return [
            start + 4 * index + offset
            for index, offset in enumerate(self.get_numbers(field, "I"))
        ]

    def get_tables(self, field):
        return [Table(self.data, position) for position in self.get_positions(field)]
