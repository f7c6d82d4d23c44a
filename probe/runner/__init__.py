"""Execution of trials: each with set-up, warm-up, fault, observation and teardown, in a bounded pool.

Names are imported when first used, because commands that run nothing need only the options.
"""

from typing import TYPE_CHECKING

from probe.lazy_names import lazy_names

if TYPE_CHECKING:
    from probe.runner.schedule.pool import run_plan
    from probe.runner.schedule.run import Progress
    from probe.runner.tools import Options, Tools
else:
    __getattr__ = lazy_names(
        __name__, {"schedule.pool": ("run_plan",), "schedule.run": ("Progress",), "tools": ("Options", "Tools")}
    )

__all__ = ["Options", "Progress", "Tools", "run_plan"]
