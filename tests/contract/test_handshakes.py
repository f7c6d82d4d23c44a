"""First requests of real clients, as a whole trial keeps them."""

from __future__ import annotations

from itertools import combinations

import pytest

from probe.model import History, Request, Role
from probe.model.handshake import Handshake, Purpose
from probe.model.rows import header_json, history_of
from probe.protocol.apis import FETCH, PRODUCE
from tests.support.real_cells import planned, play

pytestmark = pytest.mark.real
CLIENTS = ("sarama@1.43.3", "librdkafka@2.3.0", "java@3.9.1", "kafka-python@2.0.2")
WORK = {Role.PRODUCER: (Purpose.PRODUCE, PRODUCE), Role.GROUP: (Purpose.FETCH, FETCH)}


def working(history: History, purpose: Purpose) -> Handshake:
    """Return the first connection by which the client worked, without its number and broker."""
    return next(found for found in history.header.handshakes if purpose in found.purposes)


def told(found: Handshake) -> tuple[object, ...]:
    """Return what does not depend on chance, as the order of brokers and of requests of several partitions does."""
    names = (found.software_name, found.software_version)
    return (found.purposes, found.versions, names, found.metadata, found.fetch, found.produce)


def test_real_clients_have_different_handshakes() -> None:
    """The clients are ready where other contract tests have built them; the roles run at the same time."""
    items = [planned(client, "disk/storage-error", role) for client in CLIENTS for role in WORK]
    histories = [history for history, _ in play(items)]
    for role, (purpose, api) in WORK.items():
        mine = [history for history in histories if history.header.cell.role is role]
        assert len(mine) == len(CLIENTS)
        seen = [told(working(history, purpose)) for history in mine]
        assert all(one != other for one, other in combinations(seen, 2))
        for history in mine:
            found = working(history, purpose)
            assert dict(found.versions)[api] in {
                event.version for event in history.events if isinstance(event, Request) and event.api == api
            }
            assert (found.produce if role is Role.PRODUCER else found.fetch) is not None
    for history in histories:
        assert_kept_once_and_private(history)


def assert_kept_once_and_private(history: History) -> None:
    header, subject = history.header, history.header.subject
    assert len({found.purposes for found in header.handshakes}) == len(header.handshakes) >= 1
    judged = {
        event.conn for event in history.events if isinstance(event, Request) and event.client_id == subject.client_id
    }
    assert {found.conn for found in header.handshakes} <= judged
    kept = repr(header.handshakes)
    assert [name for name in (subject.topic, subject.client_id, subject.group) if name and name in kept] == []
    assert history_of(header_json(header), (), (), ()).header == header
