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
    path = [str(Path(__file__).parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))  # workers load tests/judges.py
    from spark.session import start_session, stop_session  # noqa: PLC0415  # only tests that need Spark pay for it

    session = start_session("local[2]")
    yield session
    stop_session(session)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what drives a browser last: its library keeps an event loop in the test's thread to the end of the run."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
