"""Whether pyspark is installed. Commands that need it are listed and explained without it."""

from __future__ import annotations

import importlib.util

from probe.toolchain.tools import ToolError


def need_spark() -> None:
    """Raise ToolError if pyspark is not installed."""
    if importlib.util.find_spec("pyspark") is None:
        raise ToolError(
            "the Python package pyspark is not installed; `python3 run.py setup` installs it in a checkout, "
            "`pip install 'pyspark>=4.3,<5' 'pandas<3'` elsewhere"
        )
