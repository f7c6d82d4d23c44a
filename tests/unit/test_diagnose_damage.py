"""Damaged captures: no exception, no endless loop, and what was read is counted."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probe.diagnose.analysis import analyse
from probe.diagnose.input.file_set import open_inputs
from probe.diagnose.observation import Wire
from probe.diagnose.report import lines
from probe.diagnose.report_json import as_json
from probe.errors import ProbeError
from probe.model import Request
from probe.site.render.diagnosis_page import page
from tests.support.inventories import SAMPLES
from tests.support.packets import Packet, Talk, ordinary, pcap, pcapng, produce, produced

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BUILDERS = (pcap, pcapng)


def read(data: bytes) -> tuple[list[Wire], list[str]]:
    """Read a capture; an input that is refused has one line."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.cap"
        path.write_bytes(data)
        try:
            with open_inputs([str(path)]) as found:
                events = list(found.events())
                return events, [item.reason for item in found.left()]
        except ProbeError as error:
            return [], [str(error)]


@cache
def sample(build: Callable[[Sequence[Packet]], bytes]) -> bytes:
    return build(ordinary(6).packets)


@cache
def events_of_sample(build: Callable[[Sequence[Packet]], bytes]) -> Sequence[Wire]:
    return read(sample(build))[0]


@QUICK
@given(
    st.sampled_from(BUILDERS),
    st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 7)), min_size=1, max_size=20),
)
def test_flipped_bits_do_no_harm(build: Callable[[Sequence[Packet]], bytes], flips: list[tuple[int, int]]) -> None:
    events, left = read(flipped(sample(build), flips))
    assert len(events) < 200
    assert not any("\n" in line for line in left)


@QUICK
@given(st.sampled_from(BUILDERS), st.integers(0, 1 << 20))
def test_a_file_that_was_cut_is_read_up_to_there(build: Callable[[Sequence[Packet]], bytes], place: int) -> None:
    data = sample(build)
    cut = data[: place % len(data)]
    events, left = read(cut)
    whole = events_of_sample(build)
    assert len(events) <= len(whole)
    asked = [event for event in events if isinstance(event, Request)]
    assert asked == [event for event in whole if isinstance(event, Request)][: len(asked)]
    assert events or left or len(cut) < 500


@QUICK
@given(st.sampled_from(BUILDERS), st.integers(1, 10_000))
def test_packed_files_that_were_cut_are_read_up_to_there(
    build: Callable[[Sequence[Packet]], bytes], place: int
) -> None:
    data = gzip.compress(sample(build))
    events, left = read(data[: 1 + place % (len(data) - 1)])
    assert events or left


@QUICK
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(("lose", "repeat", "late", "cut"))), max_size=25))
def test_any_mishap_of_packets_leaves_events_that_fit(mishaps: list[tuple[int, str]]) -> None:
    talk = Talk().open()
    for corr in range(15):
        talk.ask(produce(corr), 150).answer(produced(corr), 40)
    packets: list[Packet | None] = list(talk.close().packets)
    for number, mishap in mishaps:
        place = number % len(packets)
        one = packets[place]
        if one is None:
            continue
        if mishap == "lose":
            packets[place] = None
        elif mishap == "repeat":
            packets.insert(place, one)
        elif mishap == "cut":
            packets[place] = Packet(one.at, one.data, min(30, len(one.data) - 40))
        else:
            packets.append(packets.pop(place))
    events, _ = read(pcap([one for one in packets if one is not None]))
    for event in events:
        if isinstance(event, Request):
            assert (event.api, event.version) == (0, 9)
            assert 0 <= event.corr < 15
            assert {row.topic for row in event.rows} <= {"orders"}


@QUICK
@given(st.binary(max_size=2000), st.booleans())
def test_arbitrary_payloads_are_no_kafka(payload: bytes, began: bool) -> None:
    talk = Talk().open().ask(payload).answer(payload).ask(payload).close()
    events, left = read(pcap(talk.packets[0 if began else 3 :]))
    assert events == [] or began
    assert len(left) <= 1


def test_random_bytes_behind_every_beginning_of_a_file_end_in_one_line() -> None:
    rng = random.Random(3)
    for head in (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\x0a\x0d\x0d\x0a", b"\x1f\x8b"):
        for size in (0, 3, 20, 300, 70_000):
            events, left = read(head + rng.randbytes(size))
            assert events == []
            assert len(left) <= 2


def test_lengths_that_do_not_fit_end_the_file(tmp_path: Path) -> None:
    data = bytearray(pcap(ordinary().packets))
    data[24 + 8 : 24 + 12] = b"\xff\xff\xff\x7f"
    _, left = read(bytes(data))
    assert left == ["not read to its end: a packet of 2147483647 bytes is declared"]
    other = bytearray(pcapng(ordinary().packets))
    other[32] = 0xFF
    _, left = read(bytes(other))
    assert len(left) == 1
    assert left[0].startswith("not read to its end: a block of ")


def reported(data: bytes, name: str) -> list[str]:
    """Return every output of a diagnosis of a file, or the line by which it is refused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            with open_inputs([str(path)]) as source:
                found = analyse(source, whose=lambda *_: None, back_off_ms=lambda _: 100, pictures=3)
        except ProbeError as error:
            return [str(error)]
    return [*lines(found, [], everything=True), as_json(found, []), page(found, [])]


def troubled() -> list[Packet]:
    """Return packets of a client that is refused and works again, so that there is something to say."""
    talk = Talk().open()
    for corr in range(12):
        talk.ask(produce(corr, b"x")).answer(produced(corr, 56 if 3 < corr < 7 else 0))
        talk.at += 300_000
    return talk.close().packets


@QUICK
@given(
    st.sampled_from(BUILDERS),
    st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 7)), min_size=1, max_size=30),
)
def test_every_output_is_written_of_a_capture_with_flipped_bits(
    build: Callable[[Sequence[Packet]], bytes], flips: list[tuple[int, int]]
) -> None:
    texts = reported(flipped(build(troubled()), flips), "a.cap")
    assert not any("\n" in text for text in texts[:-2])


@QUICK
@given(
    st.sampled_from(("request-4.3.1.log", "request-2.6.2.log")),
    st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 7)), min_size=1, max_size=60),
)
def test_every_output_is_written_of_a_log_with_flipped_bits(name: str, flips: list[tuple[int, int]]) -> None:
    texts = reported(flipped((SAMPLES / name).read_bytes(), flips), name)
    assert not any("\n" in text for text in texts[:-2])


def flipped(data: bytes, flips: list[tuple[int, int]]) -> bytes:
    found = bytearray(data)
    for place, bit in flips:
        found[place % len(found)] ^= 1 << bit
    return bytes(found)
