# Part of the buffer-merge project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Static memory planning: lifetimes in, offsets out.

>>> import buffer_merge
>>> plan = buffer_merge.plan([100, 40, 60], begins=[0, 1, 2], ends=[2, 3, 4])
>>> plan.pool_size, plan.is_optimal
(140, True)
"""

from .comparison import Comparison, compare
from .planner import (
    InvalidPlan,
    InvalidProblem,
    OverCapacity,
    Plan,
    PlanError,
    get_lower_bound,
    get_schedulers,
    get_version,
    plan,
    verify,
)
from .problem import Problem
from .runtime import RuntimePool

__all__ = [
    "Comparison",
    "InvalidPlan",
    "InvalidProblem",
    "OverCapacity",
    "Plan",
    "PlanError",
    "Problem",
    "RuntimePool",
    "compare",
    "get_lower_bound",
    "get_schedulers",
    "get_version",
    "plan",
    "verify",
]
