# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: what the C library makes of problems."""

import array
import ctypes

from . import _library
from .drawing import draw_map
from .problem import Problem, to_column, to_pointer


class PlanError(Exception):
    """Why there is no plan."""


class InvalidProblem(PlanError, ValueError):
    """The problem or an option contradicts what it is for."""


class InvalidPlan(PlanError):
    """Offsets that break a rule."""


class OverCapacity(PlanError):
    """No plan within the capacity. `pool_size` is the smallest pool found, 0 if none was
    looked for; it is proved that none fits if `proved_bound` is above the capacity."""

    def __init__(self, message, pool_size, proved_bound):
        super().__init__(message)
        self.pool_size = pool_size
        self.proved_bound = proved_bound


class Plan:
    """A place in one pool for each buffer of `problem`.

    `offsets` is a list, or a numpy array if the sizes were one. `pool_size`,
    `pool_alignment`, `lower_bound` and `proved_bound` are in bytes; no pool is smaller
    than either bound, and `is_optimal` says that the pool is as small as any."""

    def __init__(self, problem, offsets, result):
        self.problem = problem
        self.offsets = _like_sizes(problem, offsets)
        self.pool_size = result.pool_size
        self.pool_alignment = result.pool_alignment
        self.lower_bound = result.lower_bound
        self.peak_tick = result.peak_tick
        self.proved_bound = result.proved_bound
        self.total_bytes = result.total_bytes
        self.is_optimal = bool(result.is_optimal)

    def __repr__(self):
        proof = ", optimal" if self.is_optimal else f", at least {self.proved_bound}"
        return f"Plan({len(self.problem)} buffers, pool {self.pool_size}{proof})"

    def to_svg(self):
        """Return a map: ticks from left to right, offsets from bottom to top."""
        return draw_map(self.problem, self.offsets, self.pool_size)

    def _repr_html_(self):
        return f"<div>{repr(self)}</div>{self.to_svg()}"


def _like_sizes(problem, values):
    """Return `values`, an array.array, as what the sizes of `problem` were in."""
    if not problem.uses_numpy:
        return list(values)
    import numpy  # Only who has passed an array in has it.

    return numpy.array(values, dtype=numpy.int64)


def _as_problem(problem, columns):
    if isinstance(problem, Problem):
        if columns:
            raise TypeError(f"a Problem has its columns already, not {', '.join(columns)}")
        return problem
    return Problem(problem, **columns)


def _check(status, result):
    if status == _library.OK:
        return
    message = result.message.decode("utf-8", "replace")
    if status == _library.OVER_CAPACITY:
        raise OverCapacity(message, result.pool_size, result.proved_bound)
    if status == _library.INVALID_PLAN:
        raise InvalidPlan(message)
    if status == _library.OUT_OF_MEMORY:
        raise MemoryError(message)
    if status == _library.INTERNAL_ERROR:
        raise PlanError(message)
    raise InvalidProblem(message)


def _make_result():
    result = _library.Result()
    result.struct_size = ctypes.sizeof(result)
    return result


def plan(problem, *, scheduler="auto", effort=2, decision_steps=10_000_000, **columns):
    """Return a Plan for a Problem, or for the columns that one is made of:
    `plan(sizes, begins=..., ends=...)`.

    `effort`, from 0 (one pass) to 9, limits the steps of a search. With a capacity that
    the effort does not decide, higher ones may take `decision_steps` in all. The same
    problem has the same plan on every machine. Other threads run meanwhile."""
    problem = _as_problem(problem, columns)
    options = _library.Options()
    options.struct_size = ctypes.sizeof(options)
    options.scheduler = scheduler.encode()
    # Integers of 64 bits: ctypes would cut others.
    options.effort, options.decision_steps = to_column(
        [effort, decision_steps], "effort and decision_steps"
    )
    offsets = array.array("q", bytes(8 * len(problem)))
    struct, result = problem.to_struct(), _make_result()
    _check(
        _library.library.bm_plan(
            ctypes.byref(struct),
            ctypes.byref(options),
            to_pointer(offsets),
            ctypes.byref(result),
        ),
        result,
    )
    return Plan(problem, offsets, result)


def verify(problem, offsets):
    """Return a Plan of these offsets, whoever made them. Raise InvalidPlan, with the rule
    and the buffers, if they break one."""
    offsets = to_column(offsets, "offsets")
    if len(offsets) != len(problem):
        raise InvalidPlan(f"{len(offsets)} offsets for {len(problem)} buffers")
    struct, result = problem.to_struct(), _make_result()
    _check(
        _library.library.bm_verify(
            ctypes.byref(struct), to_pointer(offsets), ctypes.byref(result)
        ),
        result,
    )
    return Plan(problem, offsets, result)


def get_lower_bound(problem):
    """Return what every pool of `problem` needs, in bytes, as far as that is proved
    without planning."""
    struct, result = problem.to_struct(), _make_result()
    _check(
        _library.library.bm_get_bounds(ctypes.byref(struct), ctypes.byref(result)), result
    )
    return result.proved_bound


def get_schedulers():
    """Return the schedulers: what each one does, by its name."""
    library = _library.library
    return {
        library.bm_get_scheduler_name(index).decode(): (
            library.bm_get_scheduler_description(index).decode()
        )
        for index in range(library.bm_get_num_schedulers())
    }


def get_version():
    """Return the version of the library."""
    return _library.library.bm_get_version().decode()
