"""Requests that the relay refuses: above a number in any second, and above a version."""

from __future__ import annotations

from probe.model import Request
from probe.protocol.apis import API_VERSIONS, METADATA, PRODUCE
from probe.relay.request_gate import SECOND_US, RequestGate, versions_above


def asked(at: int, api: int = METADATA, version: int = 1) -> Request:
    return Request(at=at, conn=1, broker=1, corr=1, api=api, version=version)


def test_as_many_pass_in_any_second_as_may() -> None:
    gate = RequestGate((METADATA,), 2)
    assert [gate(asked(at)) for at in (0, 10, 20, 30)] == [False, False, True, True]
    assert not gate(asked(SECOND_US))
    assert gate(asked(SECOND_US + 5)), "the one at 10 us is less than a second ago"
    assert not gate(asked(SECOND_US + 10))


def test_other_requests_always_pass() -> None:
    gate = RequestGate((METADATA,), 1)
    assert not gate(asked(0))
    assert not gate(asked(1, PRODUCE))
    assert gate(asked(2))


def test_versions_above_the_highest_are_refused() -> None:
    refuses = versions_above(2)
    assert [refuses(asked(0, API_VERSIONS, version)) for version in (2, 3)] == [False, True]
    assert not refuses(asked(0, METADATA, 9))
