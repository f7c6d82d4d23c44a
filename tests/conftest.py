"""Fixtures that several test files share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The one Spark session of a test run: starting it is most of what Spark costs here."""
    path = [str(Path(__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))  # workers load tests/support/judges.py
    from spark.session import start_session, stop_session  # noqa: PLC0415  # only tests that need Spark pay for it

    session = start_session("local[2]")
    yield session
    stop_session(session)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say what stays together where two workers share the run, and in which order.

    What needs Spark shares its session and comes first, as it takes longest. What drives a browser comes last: its
    library keeps an event loop in the test's thread to the end of the run. Any other file stays whole.
    """
    order = ("spark", "", "browser")
    items.sort(key=lambda item: order.index(_kind(item)))
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_kind(item) or item.path.stem))


def _kind(item: pytest.Item) -> str:
    return next((kind for kind in ("browser", "spark") if item.get_closest_marker(kind)), "")
