"""Fixtures that several test files share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
"""Generated cases take as long as they need: a busy machine breaks both bounds."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Yield the one Spark session of a test run: its start is most of the time that Spark takes."""
    path = [str(Path(__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))  # workers load tests/support/judges.py
    from spark.session import start_session, stop_session  # noqa: PLC0415  # only tests that need Spark import it

    session = start_session("local[2]")
    yield session
    stop_session(session)


@pytest.fixture(autouse=True)
def _no_shipped_evidence(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let look-ups find no evidence in this package: what a release ships must not decide a test."""
    monkeypatch.setenv("PROBE_EVIDENCE", str(tmp_path_factory.getbasetemp() / "none.sqlite"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests, and group those that must run in the same worker.

    Tests that need Spark share its session and come first, because they take longest. Tests that drive a browser come
    last: its library keeps an event loop in the test's thread until the run ends. Every other file is one group.
    """
    sorted_by_kind: dict[str, list[pytest.Item]] = {"spark": [], "": [], "browser": []}
    for item in items:
        kind = _kind(item)
        sorted_by_kind[kind].append(item)
        item.add_marker(_group(kind or item.path.stem))
    items[:] = chain.from_iterable(sorted_by_kind.values())


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later pass of the garbage collector: it stays."""
    gc.freeze()


def _kind(item: pytest.Item) -> str:
    return next((mark.name for mark in item.iter_markers() if mark.name in {"browser", "spark"}), "")


@cache
def _group(name: str) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(name)
