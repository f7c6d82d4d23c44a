"""Execution of trials: each with set-up, warm-up, fault, observation and teardown, in a bounded pool."""

from probe.runner.schedule.pool import Progress, run_plan
from probe.runner.tools import Options, Tools

__all__ = ["Options", "Progress", "Tools", "run_plan"]
