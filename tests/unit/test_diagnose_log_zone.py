"""The time zone of request logs, and requests that a capture and a log both show."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from probe.diagnose.input.log_lines import time_of
from probe.diagnose.input.log_zone import parse_zone
from probe.diagnose.observation import LogZone, Source, ZoneBy, zone_text
from probe.errors import ProbeError
from probe.model import Opened
from tests.support.inputs import WholeInput, read
from tests.support.packets import CLIENT, START, Talk, pcap, produce, produced

KOLKATA = timezone(timedelta(hours=5, minutes=30))
PAIRS = 8
ReadBoth = Callable[[Sequence[int], Sequence[str]], WholeInput]
"""Reads a capture with these correlation ids, and a log of these lines."""


def captured(numbers: Sequence[int]) -> bytes:
    """Return a capture of requests, a second apart from the start on."""
    talk = Talk().open()
    for corr in numbers:
        talk.at = START + corr * 1_000_000
        talk.ask(produce(corr)).answer(produced(corr))
    return pcap(talk.packets)


def logged(
    corr: int, zone: timezone = KOLKATA, *, client: tuple[str, int] = CLIENT, stamp: str = "", **more: str
) -> str:
    """Return the line of the same request, in the broker's local time."""
    at = datetime.fromtimestamp((START + corr * 1_000_000 + 1000) / 1e6, KOLKATA)
    text = stamp or at.strftime("[%Y-%m-%d %H:%M:%S,") + f"{at.microsecond // 1000:03d}]"
    parts = [{"index": 2, "errorCode": 6, "baseOffset": -1, "logAppendTimeMs": -1, "logStartOffset": -1,
              "recordErrors": [], "errorMessage": None}]  # fmt: skip
    values = {
        "isForwarded": False,
        "requestHeader": {"requestApiKey": 0, "requestApiVersion": 9, "correlationId": corr, "clientId": "shop",
                          "requestApiKeyName": "PRODUCE"} | more,
        "request": {"transactionalId": None, "acks": -1, "timeoutMs": 1000,
                    "topicData": [{"name": "orders", "partitionData": [{"index": 2, "recordsSizeInBytes": 300}]}]},
        "response": {"responses": [{"name": "orders", "partitionResponses": parts}], "throttleTimeMs": 0},
        "connection": f"10.9.9.9:19092-{client[0]}:{client[1]}-0",
        "totalTimeMs": 1.0,
        "listener": "EXT",
    }  # fmt: skip
    return f"{text} DEBUG Completed request:{json.dumps(values)} (kafka.request.logger)\n"


@pytest.fixture
def seen(tmp_path: Path) -> ReadBoth:
    def of(numbers: Sequence[int], lines: Sequence[str]) -> WholeInput:
        capture, log = tmp_path / "clients.pcap", tmp_path / "kafka-request.log"
        capture.write_bytes(captured(numbers))
        log.write_text("".join(lines))
        return read(capture, log)

    return of


def asked(found: WholeInput) -> list[tuple[int, int]]:
    return [(event.at, event.corr) for event in found.requests]


def test_stamps_without_a_zone_are_those_of_the_zone_that_is_asked_for() -> None:
    moment = 1_795_788_922_536_000
    line = "[2026-11-27 19:45:22,536] DEBUG"
    assert time_of(line, KOLKATA) == moment
    assert time_of(line) == moment + 19_800_000_000
    assert time_of("2026-11-27 15:15:22.536+0100 DEBUG", KOLKATA) == moment  # it names its own


def test_a_named_zone_has_its_summer_time() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert time_of("[2026-07-01 12:00:00,000]", berlin) == time_of("[2026-07-01 10:00:00,000]")
    assert time_of("[2026-12-01 12:00:00,000]", berlin) == time_of("[2026-12-01 11:00:00,000]")


@pytest.mark.parametrize(
    ("text", "hours"), [("+0530", 5.5), ("+05:30", 5.5), ("-08:00", -8), ("UTC", 0), ("Asia/Kolkata", 5.5)]
)
def test_a_zone_is_a_name_or_an_offset(text: str, hours: float) -> None:
    zone = parse_zone(text)
    assert datetime(2026, 11, 27, tzinfo=zone.zone).utcoffset() == timedelta(hours=hours)
    assert zone.by is ZoneBy.OPTION


@pytest.mark.parametrize("text", ["Europe/Nowhere", "", "+25:00", "5", "../../etc/passwd", "Europe"])
def test_what_is_no_zone_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ProbeError, match="no such time zone; write a name such as Europe/Berlin, or an offset"):
        parse_zone(text)


def test_a_capture_beside_the_log_shows_its_zone(seen: ReadBoth) -> None:
    found = seen(range(PAIRS), [logged(corr) for corr in range(3, PAIRS + 3)])
    assert found.log_zone == LogZone(KOLKATA, ZoneBy.CAPTURE)
    assert {corr: at for at, corr in asked(found)} == {corr: START + corr * 1_000_000 for corr in range(PAIRS + 3)}


def test_a_log_of_another_time_is_taken_as_utc(seen: ReadBoth) -> None:
    found = seen(range(PAIRS), [logged(corr) for corr in range(100, 110)])
    assert found.log_zone == LogZone(UTC, ZoneBy.ASSUMED)


def test_few_requests_of_another_client_show_no_zone(seen: ReadBoth) -> None:
    lines = [logged(corr, clientId="other") for corr in range(PAIRS)] + [logged(corr) for corr in range(3)]
    assert seen(range(PAIRS), lines).log_zone == LogZone(UTC, ZoneBy.ASSUMED)


def test_a_log_whose_stamps_name_their_zone_needs_none(seen: ReadBoth) -> None:
    lines = [logged(corr, stamp=f"2023-11-14T22:13:{20 + corr:02d}.001Z") for corr in range(PAIRS)]
    found = seen(range(PAIRS), lines)
    assert found.log_zone is None
    assert len(found.requests) == PAIRS


def test_a_request_in_both_counts_once(seen: ReadBoth) -> None:
    found = seen(range(PAIRS), [logged(corr) for corr in range(PAIRS)])
    assert [corr for _, corr in asked(found)] == list(range(PAIRS))
    assert len(found.responses) == PAIRS
    assert len([event for event in found.events if isinstance(event, Opened)]) == 1
    assert {found.connections[event.conn].source for event in found.events} == {Source.CAPTURE}


def test_a_request_that_a_proxy_passes_on_counts_once(seen: ReadBoth) -> None:
    found = seen(range(PAIRS), [logged(corr, client=("10.0.0.7", 55_555)) for corr in range(PAIRS)])
    assert len(found.requests) == PAIRS


def test_what_the_log_has_besides_is_kept(seen: ReadBoth) -> None:
    lines = [logged(corr) for corr in range(PAIRS + 4)]  # the capture ends before
    lines += [logged(corr, client=("10.0.0.8", 40_001)) for corr in range(PAIRS)]  # another host
    lines += [logged(corr, client=("10.0.0.7", 40_009)) for corr in range(PAIRS)]  # another process there
    found = seen(range(PAIRS), sorted(lines))
    assert len(found.requests) == 3 * PAIRS + 4
    assert len(found.responses) == 3 * PAIRS + 4
    times = [event.at for event in found.events if not isinstance(event, Opened)]
    assert times == sorted(times)


def test_zones_have_words() -> None:
    assert zone_text(UTC, START) == "UTC"
    assert zone_text(KOLKATA, START) == "UTC+05:30"
    assert zone_text(ZoneInfo("Europe/Berlin"), START) == "Europe/Berlin"
