"""Arrow looks for pandas when it first gets a Python list, and loads it if it is installed.

The store has no use for pandas, and loading it takes as much CPU as ten trials.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pyarrow as pa


class _NoPandas(MetaPathFinder):
    """Finds nothing, and refuses pandas."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # the interface of importlib
        target: ModuleType | None = None,  # noqa: ARG002  # the interface of importlib
    ) -> ModuleSpec | None:
        """Raise ImportError for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("the store does not use pandas", name=fullname)
        return None


def without_pandas() -> None:
    """Let Arrow decide now that there is no pandas, unless this process has loaded it or Spark, which needs it."""
    if "pandas" in sys.modules or "pyspark" in sys.modules:
        pa.array([0])
        return
    refusal = _NoPandas()
    sys.meta_path.insert(0, refusal)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(refusal)
