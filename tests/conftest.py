"""Fixtures that several test files share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The one Spark session of a test run: starting it is most of what Spark costs here."""
    os.environ.setdefault("PYTHONPATH", os.path.dirname(__file__))  # noqa: PTH120  # a string for the workers
    from spark.session import start_session, stop_session  # noqa: PLC0415  # only tests that need Spark pay for it

    session = start_session("local[2]")
    yield session
    stop_session(session)
