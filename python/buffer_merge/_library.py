# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C library: its structs, as in buffer-merge-c/Planner.h, and where it lies."""

import ctypes
import os

OK = 0
INVALID_ARGUMENT = 1
INVALID_PROBLEM = 2
OVER_CAPACITY = 3
INVALID_PLAN = 4
OUT_OF_MEMORY = 5
INTERNAL_ERROR = 6

NO_OFFSET = -1

_SONAME = "libbuffer-merge-planner.so.0"
_INT64S = ctypes.POINTER(ctypes.c_int64)


class Problem(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("num_buffers", ctypes.c_size_t),
        ("sizes", _INT64S),
        ("begins", _INT64S),
        ("ends", _INT64S),
        ("alignments", _INT64S),
        ("fixed_offsets", _INT64S),
        ("num_gaps", ctypes.c_size_t),
        ("gaps", _INT64S),
        ("num_conflicts", ctypes.c_size_t),
        ("conflicts", _INT64S),
        ("num_in_place", ctypes.c_size_t),
        ("in_place", _INT64S),
        ("num_same_places", ctypes.c_size_t),
        ("same_places", _INT64S),
        ("capacity", ctypes.c_int64),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("scheduler", ctypes.c_char_p),
        ("effort", ctypes.c_int64),
        ("decision_steps", ctypes.c_int64),
        ("progress", ctypes.c_void_p),
        ("user_data", ctypes.c_void_p),
    ]


class Result(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("pool_size", ctypes.c_int64),
        ("pool_alignment", ctypes.c_int64),
        ("lower_bound", ctypes.c_int64),
        ("peak_tick", ctypes.c_int64),
        ("proved_bound", ctypes.c_int64),
        ("total_bytes", ctypes.c_int64),
        ("is_optimal", ctypes.c_int64),
        ("message", ctypes.c_char * 512),
    ]


def _load():
    """Load BUFFER_MERGE_PLANNER if it is set, else the library of the prefix that this
    package is installed in, else what the loader finds."""
    prefix = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../..")
    installed = [os.path.join(prefix, name, _SONAME) for name in ("lib", "lib64")]
    path = os.environ.get("BUFFER_MERGE_PLANNER") or next(
        filter(os.path.exists, installed), _SONAME
    )
    library = ctypes.CDLL(path)
    problem, result = ctypes.POINTER(Problem), ctypes.POINTER(Result)
    library.bm_plan.argtypes = [problem, ctypes.POINTER(Options), _INT64S, result]
    library.bm_verify.argtypes = [problem, _INT64S, result]
    library.bm_get_bounds.argtypes = [problem, result]
    library.bm_get_num_schedulers.restype = ctypes.c_size_t
    for function in (library.bm_get_scheduler_name, library.bm_get_scheduler_description):
        function.argtypes = [ctypes.c_size_t]
        function.restype = ctypes.c_char_p
    library.bm_get_version.restype = ctypes.c_char_p
    return library


library = _load()
