# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems and plans from files. A reader that needs a package imports it when it is
called."""

from .report import read_report, read_runtime_pools
from .table import read_plan, read_table

__all__ = ["read_plan", "read_report", "read_runtime_pools", "read_table"]
