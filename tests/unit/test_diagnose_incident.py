"""Recordings of real brokers in the incident, the reason of a storm, and sizes that an input does not have."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest

from probe.diagnose.analysis import analyse
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import Status
from probe.diagnose.input.file_set import open_inputs
from probe.diagnose.names import BrokerNames
from probe.diagnose.observation import LogZone, ZoneBy
from probe.diagnose.report import details
from probe.model import Request, Trigger
from probe.protocol import apis
from tests.support.wire_script import NEW, WireScript

NOT_LEADER, STORAGE_ERROR = 6, 56


def test_the_reason_of_a_storm_is_what_it_exceeds() -> None:
    script = WireScript()
    talk = script.client()
    talk.works(5)
    talk.fails(NOT_LEADER)
    for _ in range(60):
        talk.asks()
        script.wait(5)
    talk.works(40, broker=NEW)
    (found,) = script.only().findings
    assert found.status is Status.STORMS
    assert "asks too often" in found.reason
    texts = list(details(found, BrokerNames(script.diagnose().brokers)))
    assert [text for text in texts if "asks too often" in text] == [f"storms: {found.reason}"]


def test_an_input_without_sizes_says_nothing_of_bytes() -> None:
    script = WireScript()
    talk = script.client()
    talk.works(5)
    talk.fails(STORAGE_ERROR, times=200)
    (sized,) = script.only().findings
    script.written = [replace(event, size=0) if isinstance(event, Request) else event for event in script.written]
    (found,) = script.only().findings
    assert sized.futile_bytes_per_s
    assert (found.futile_per_s, found.futile_bytes_per_s) == (sized.futile_per_s, None)
    assert not [text for text in details(found, BrokerNames(script.diagnose().brokers)) if "kB/s" in text]


REAL = Path(__file__).parents[1] / "data" / "incident"
CAPTURE, LOGS = [REAL / "clients.pcap.gz"], sorted(REAL.glob("broker-*-request.log.gz"))
"""What tcpdump (`-i any`) and two real brokers of 4.4 recorded of one Java client when a disk died: from 1.5 s before
to 4 s after its first error. It produces by topic id on a connection that began before. Between client and brokers
stands a proxy; the brokers' local time is five and a half hours ahead of UTC."""


def diagnosed(*paths: Path) -> tuple[Diagnosis, LogZone | None]:
    with open_inputs(list(map(str, paths))) as source:
        return analyse(source, whose=lambda *_: None, back_off_ms=lambda _: 100), source.log_zone


@pytest.mark.parametrize(
    ("paths", "zone"),
    [
        (CAPTURE, None),
        (LOGS, LogZone(UTC, ZoneBy.ASSUMED)),
        (CAPTURE + LOGS, LogZone(timezone(timedelta(hours=5, minutes=30)), ZoneBy.CAPTURE)),
    ],
    ids=["capture", "log", "both"],
)
def test_a_recording_of_real_brokers_that_begins_late_says_what_became_of_the_client(
    paths: list[Path], zone: LogZone | None
) -> None:
    found, taken_as = diagnosed(*paths)
    (client,) = found.clients
    assert client.status is Status.RECOVERED
    (one,) = client.findings
    assert (one.item.partition, one.item.name.startswith("?")) == (0, False)
    assert [(error.code, error.api, error.count) for error in one.errors] == [(STORAGE_ERROR, apis.PRODUCE, 4)]
    assert one.asked is not None
    assert (one.asked.count, one.asked.trigger, one.leader) == (3, Trigger.ERROR, 2)
    assert client.connections == 2
    assert taken_as == zone
