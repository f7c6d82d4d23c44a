"""Share consumers (KIP-932) in captures: cells of share consumers speak of them, and of no other reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import pytest

from probe.cells.aggregate import SettledCell
from probe.diagnose.advice import advise
from probe.diagnose.client_identity import Library
from probe.diagnose.findings import Status
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Row
from probe.protocol import apis
from tests.support.wire_script import GROUP, NODES, OLD, Talk, WireScript


class Asked:
    """Evidence without a cell, which remembers the roles that it was asked for."""

    def __init__(self) -> None:
        self.roles: set[str] = set()

    def find(self, wanted: Wanted, *, facts: bool = False) -> Mapping[Cell, SettledCell]:
        assert facts
        self.roles = set(wanted.role or ())
        return {}

    def later(self, _: Collection[Cell]) -> Mapping[Cell, SettledCell]:
        return {}


def known_brokers() -> WireScript:
    return WireScript(nodes={f"10.0.1.{number}:9092": node for number, node in NODES.items()})


@pytest.mark.parametrize(("api", "roles"), [(apis.SHARE_FETCH, {"share"}), (apis.FETCH, {"consumer", "group"})])
def test_a_reader_has_the_evidence_of_readers_that_fetch_alike(api: int, roles: set[str]) -> None:
    script = known_brokers()
    talk = script.client("reader", api=api)
    talk.asks()
    talk.works(10)
    talk.fails(56, times=120)
    found = script.only()
    assert found.status is Status.STUCK
    (one,) = found.findings
    asked = Asked()
    advise(one, Library(family="java"), asked)
    assert asked.roles == roles


SESSION_NOT_FOUND, UNKNOWN_MEMBER = 122, 25


def reader(script: WireScript) -> Talk:
    """A share consumer whose session has epochs 0 to 3 at its broker."""
    talk = script.client("reader", api=apis.SHARE_FETCH)
    talk.asks()
    fetches(talk, range(4), each_ms=500)
    return talk


def fetches(talk: Talk, epochs: Iterable[int], each_ms: int, code: int = 0) -> None:
    """Ask for records in these epochs of the share session; with a code the broker refuses the whole request."""
    for epoch in epochs:
        asked = talk.request(apis.SHARE_FETCH, OLD, talk.row, session_epoch=epoch)
        talk.answer(asked, *(() if code else (talk.row,)), code=code)
        talk.script.wait(each_ms)


def test_a_share_session_that_a_broker_lost_is_named_with_its_epoch() -> None:
    script = known_brokers()
    talk = reader(script)
    fetches(talk, [4], each_ms=100, code=SESSION_NOT_FOUND)
    fetches(talk, range(9), each_ms=500)
    (one,) = script.only().findings
    assert one.status is Status.RECOVERED
    assert one.fenced == "its share session was refused at epoch 4, and it began another after 0.1 s"


def test_a_share_session_that_is_not_begun_anew_is_named_so() -> None:
    script = known_brokers()
    fetches(reader(script), range(4, 124), each_ms=100, code=SESSION_NOT_FOUND)
    (one,) = script.only().findings
    assert one.status is Status.STUCK
    assert one.fenced == "its share session was refused at epoch 4, and it began no other"


def test_a_connection_that_ends_while_the_application_is_busy_is_no_trouble() -> None:
    """A share consumer fetches when its application asks for more: nobody waits for the connection."""
    script = known_brokers()
    talk = reader(script)
    script.wait(3000)
    talk.is_cut(OLD)
    script.wait(55_000)
    fetches(talk, [4], each_ms=100, code=SESSION_NOT_FOUND)
    fetches(talk, range(9), each_ms=500)
    found = script.only()
    assert found.status is Status.RECOVERED
    assert found.findings[0].cuts == 0


def test_a_fetch_of_share_groups_that_waits_when_its_connection_ends_meets_that() -> None:
    script = known_brokers()
    talk = reader(script)
    talk.waits_for()
    talk.is_cut(OLD)
    script.ends_after(40_000)
    assert script.only().findings[0].cuts == 1


def test_a_member_of_a_share_group_that_is_fenced_is_named_with_its_epoch() -> None:
    script = WireScript()
    talk = script.client("reader", row=Row(key=GROUP), api=apis.SHARE_GROUP_HEARTBEAT)
    for sent, given, code in ((0, 1, 0), (1, 1, 0), (1, None, UNKNOWN_MEMBER), (0, 2, 0), (2, 2, 0)):
        asked = talk.request(apis.SHARE_GROUP_HEARTBEAT, OLD, Row(key=GROUP, epoch=sent))
        talk.answer(asked, Row(key=GROUP, epoch=given), code=code)
        script.wait(5000 if given else 100)
    (one,) = script.only().findings
    assert one.status is Status.RECOVERED
    assert one.fenced == "fenced at epoch 1, in again after 0.1 s as epoch 2"
