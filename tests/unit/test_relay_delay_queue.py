"""Delayed responses: all bytes are forwarded in order and on time, however they are split."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from probe.relay.delay_queue import DelayQueue
from tests.support.protocol_wire import framed

HELD, FREE = 3, 12
DELAY_US = 1000


def frame(corr: int, size: int) -> bytes:
    return framed(corr.to_bytes(4, "big") + bytes(size))


def gate(**where: object) -> DelayQueue:
    """Return a queue in which responses with even correlation ids are delayed."""
    return DelayQueue(
        lambda corr: HELD if corr % 2 == 0 else FREE,
        lambda api: DELAY_US if api == HELD else 0,
        **where,  # type: ignore[arg-type]  # `missing` and `head`
    )


def release(held: DelayQueue) -> list[tuple[int, bytes]]:
    out = []
    while (at := held.next_at) is not None:
        assert held.due(at - 1) == b""
        out.append((at, held.due(at)))
    return out


@settings(deadline=None, max_examples=150)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8), st.lists(st.integers(1, 30), min_size=1, max_size=60))
def test_bytes_and_order_are_kept(sizes: list[int], steps: list[int]) -> None:
    data = b"".join(frame(corr, size) for corr, size in enumerate(sizes))
    held, at, now = gate(), 0, 0
    for step in [*steps, len(data)]:
        held.put(data[at : at + step], now)
        at, now = at + step, now + 10
    out = release(held)
    assert b"".join(part for _, part in out) == data
    assert [when for when, _ in out] == sorted(when for when, _ in out)
    assert held.empty
    assert held.waiting == 0


def test_a_delayed_response_delays_those_after_it() -> None:
    held = gate()
    held.put(frame(1, 5) + frame(2, 5) + frame(3, 5), 100)
    assert release(held) == [(100, frame(1, 5)), (100 + DELAY_US, frame(2, 5) + frame(3, 5))]


def test_the_rest_of_a_started_frame_is_not_delayed() -> None:
    whole = frame(2, 5)
    held = gate(missing=3)
    held.put(whole[-3:] + frame(1, 0), 100)
    assert release(held) == [(100, whole[-3:] + frame(1, 0))]


def test_a_partly_forwarded_length_is_not_sent_twice() -> None:
    whole = frame(2, 5)
    held = gate(head=whole[:2])
    assert held.empty
    held.put(whole[2:7], 100)
    assert held.next_at is None
    assert not held.empty
    held.put(whole[7:], 110)
    assert release(held) == [(110 + DELAY_US, whole[2:])]


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 16), st.lists(st.integers(1, 20), min_size=1, max_size=20))
def test_only_the_given_part_of_a_cut_frame_is_handed_out(most: int, steps: list[int]) -> None:
    before, whole, after = frame(1, 5), frame(2, 9), frame(3, 5)
    held = gate(passing=lambda api, size: most if api == HELD and size == len(whole) else None)
    data, at, out = before + whole + after, 0, b""
    for step in [*steps, len(data)]:
        held.put(data[at : at + step], at)
        at += step
        out += b"".join(part for _, part in release(held))
    assert out == before + whole[:most]
    assert held.over


def test_a_cut_frame_does_not_end_before_its_part_is_due() -> None:
    held = gate(passing=lambda _api, _size: 6)
    held.put(frame(2, 5), 100)
    assert held.due(100) == b""
    assert not held.over
    assert held.due(100 + DELAY_US) == frame(2, 5)[:6]
    assert held.over
