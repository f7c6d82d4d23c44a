"""Session time-outs of groups as a Spark expression, against the function of look-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyspark.sql.functions as F  # noqa: N812  # the name every Spark program uses
import pytest

from probe.model import Client
from probe.model.session_timeouts import session_ms as expected
from probe.model.session_timeouts import timeouts
from spark.session_timeouts import session_ms

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
LATER = ("0.0.1", "99.0.0", "2.0.0-rc1", "3.0.0+local.ab")
PROFILES = (
    "isolated",
    "defaults+client.id=a++b",
    "short-limits",
    "short-limits++x",
    "short-limits+session.timeout.ms=9000",
    "defaults+Consumer.Group.Session.Timeout=30s",
    "defaults+client.id=a++++session.timeout.ms=9000",
    "defaults+client.id=a+++session.timeout.ms=9000",
    "defaults+session.timeout.ms=0",
    "defaults+session.timeout.ms=soon",
    "defaults+session.timeout.ms=9000++",
    "defaults+session.timeout.ms=9000+zone=a",
    "defaults+session_timeout_ms=2m",
    "autocommit+election=1000,400+group.sessionTimeout=7000ms",
)


def test_spark_says_what_look_ups_say(spark: SparkSession) -> None:
    spans = {
        (row.family, version) for row in timeouts() for version in (row.until, f"{row.until}.1", *LATER) if row.until
    }
    clients = sorted({("rskafka", "0.6.0"), *spans})
    asked = [(family, version, profile) for family, version in clients for profile in PROFILES]
    rows = spark.createDataFrame(asked, "family STRING, version STRING, profile STRING")
    found = rows.withColumn("found", F.expr(session_ms(""))).collect()
    assert len(found) == len(asked)
    for row in found:
        client = Client(row["family"], row["version"])
        assert row["found"] == expected(client, row["profile"]), row
    assert len({row["found"] for row in found}) > 5
