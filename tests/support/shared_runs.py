"""A run of a driver that several tests share: it is played once, and fails once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from probe.errors import ProvisionError
from probe.toolchain.tools import BuildError, ToolError

Result = TypeVar("Result")


def run_once(run: Coroutine[Any, Any, Result]) -> Result | Exception:
    """Play it, and return its failure: every test of a failing driver reports the same reason at once."""
    try:
        return asyncio.run(run)
    except Exception as error:  # noqa: BLE001  # raised for each test by `result_of`
        return error


def is_ours(error: Exception) -> bool:
    """Return whether a driver is missing because its sources do not compile."""
    return isinstance(error, BuildError) or isinstance(error.__cause__, BuildError)


def result_of(outcome: Result | Exception) -> Result:
    """Return what was played; skip without the client or the cluster, but not for a driver that does not compile."""
    if isinstance(outcome, (ProvisionError, ToolError)) and not is_ours(outcome):
        pytest.skip(str(outcome))
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
