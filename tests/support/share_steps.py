"""Steps of a transcript about share groups (KIP-932)."""

from __future__ import annotations

from probe.model import AppKind
from probe.protocol.apis import SHARE_ACKNOWLEDGE, SHARE_FETCH
from tests.support.transcript import AFFECTED, BEAT, NEW, Script
from tests.support.transcript_steps import Step, row


def shared(count: int = 1, broker: int = NEW) -> Step:
    """Add records, one per interval: given, delivered, accepted, and that confirmed."""

    def step(script: Script) -> None:
        for _ in range(count):
            start = script.now
            offset = fed(script)
            give(script, offset, broker)
            deliver(script, offset)
            accept(script, offset, broker)
            confirm(script, offset)
            script.now = start + BEAT

    return step


def fed(script: Script) -> int:
    """Store one record, and return its offset."""
    return script.store(AFFECTED, script.next_sequence(AFFECTED), "feed")


STEP_US = 2000
"""Time from one event to the next, longer than an answer takes."""


def give(script: Script, offset: int, broker: int = NEW) -> None:
    """Let a ShareFetch give one record."""
    asked = script.request(SHARE_FETCH, broker, row(AFFECTED))
    script.answer(asked, row(AFFECTED, offset=offset, records=1))
    script.now += STEP_US


def deliver(script: Script, offset: int) -> None:
    """Let the application have one record, written 20 ms ago."""
    script.app(AppKind.RECEIVED, partition=AFFECTED, sequence=offset, offset=offset, origin_at=script.now - 20_000)


def accept(script: Script, offset: int, broker: int = NEW, code: int = 0) -> None:
    """Let a ShareAcknowledge accept one record; the broker answers with an error code."""
    asked = script.request(SHARE_ACKNOWLEDGE, broker, row(AFFECTED, offset=offset, records=1))
    script.answer(asked, row(AFFECTED, code=code))
    script.now += STEP_US


def confirm(script: Script, offset: int) -> None:
    """Let the library tell its application that one record is accepted."""
    script.app(AppKind.COMMITTED, partition=AFFECTED, offset=offset)
