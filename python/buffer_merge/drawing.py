# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory maps as SVG, which notebooks and browsers show."""

from html import escape

WIDTH, HEIGHT = 640, 240

# More rectangles than this would only slow a browser down: the largest are drawn.
MOST_BUFFERS = 2000


def draw_map(problem, offsets, pool_size):
    """Return an SVG of a plan: ticks from left to right, offsets from bottom to top, a
    rectangle for each interval of a buffer, with its name and numbers as its title."""
    ticks = sorted(set(problem.begins) | set(problem.ends))
    first, last = (ticks[0], ticks[-1]) if ticks else (0, 1)
    x_scale = WIDTH / max(last - first, 1)
    y_scale = HEIGHT / max(pool_size, 1)
    shown = sorted(range(len(problem)), key=lambda index: (-problem.sizes[index], index))
    intervals = problem.get_live_intervals()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" style="background:#f4f4f4">'
    ]
    for index in shown[:MOST_BUFFERS]:
        size, offset = problem.sizes[index], int(offsets[index])
        title = escape(
            f"{problem.names[index]}: ticks {problem.begins[index]} to "
            f"{problem.ends[index]}, bytes {offset} to {offset + size}"
        )
        y = HEIGHT - (offset + size) * y_scale
        for begin, end in intervals[index]:
            parts.append(
                f'<rect x="{(begin - first) * x_scale:.2f}" y="{y:.2f}" '
                f'width="{(end - begin) * x_scale:.2f}" height="{size * y_scale:.2f}" '
                f'fill="hsl({index * 137 % 360},60%,70%)" stroke="#333" '
                f'stroke-width="0.5"><title>{title}</title></rect>'
            )
    parts.append("</svg>")
    return "".join(parts)
