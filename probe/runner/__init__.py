"""Runs cells: set up, warm up, break, watch, heal, tear down; and a bounded pool of them."""

from probe.runner.schedule.pool import Progress, run_plan
from probe.runner.tools import Options, Tools

__all__ = ["Options", "Progress", "Tools", "run_plan"]
