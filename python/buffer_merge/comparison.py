# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is different between two plans."""

from html import escape


class Comparison:
    """`pool_before` and `pool_after` in bytes, and `changes`: rows (name, change, before,
    after), in the order of the buffers, those that are gone last. A change is `new`,
    `gone`, `grew`, `shrank` (sizes) or `moved` (offsets)."""

    def __init__(self, before, after):
        self.pool_before, self.pool_after = before.pool_size, after.pool_size
        self.changes = []
        old = {name: index for index, name in enumerate(before.problem.names)}
        for index, name in enumerate(after.problem.names):
            size, offset = after.problem.sizes[index], int(after.offsets[index])
            if name not in old:
                self.changes.append((name, "new", None, size))
                continue
            old_index = old.pop(name)
            old_size = before.problem.sizes[old_index]
            old_offset = int(before.offsets[old_index])
            if size != old_size:
                change = "grew" if size > old_size else "shrank"
                self.changes.append((name, change, old_size, size))
            elif offset != old_offset:
                self.changes.append((name, "moved", old_offset, offset))
        for name, index in old.items():
            self.changes.append((name, "gone", before.problem.sizes[index], None))

    def __str__(self):
        lines = [f"pool {self.pool_before} -> {self.pool_after}"]
        for name, change, before, after in self.changes:
            numbers = [str(number) for number in (before, after) if number is not None]
            lines.append(f"{name} {change} {' -> '.join(numbers)}")
        return "\n".join(lines)

    def _repr_html_(self):
        return f"<pre>{escape(str(self))}</pre>"


def compare(before, after):
    """Return what is different in `after`. Buffers are the same if their names are."""
    return Comparison(before, after)
