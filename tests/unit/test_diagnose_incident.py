"""What a diagnosis says of the incident, beyond its status: reasons of storms, sizes that an input does not have."""

from __future__ import annotations

from dataclasses import replace

from probe.diagnose.findings import Status
from probe.diagnose.names import BrokerNames
from probe.diagnose.report import details
from probe.model import Request
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
