"""Share consumers (KIP-932) in captures: cells of share consumers speak of them, and of no other reader."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from probe.cells.aggregate import SettledCell
from probe.diagnose.advice import advise
from probe.diagnose.client_identity import Library
from probe.diagnose.findings import Status
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.protocol import apis
from tests.support.wire_script import NODES, WireScript


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


@pytest.mark.parametrize(("api", "roles"), [(apis.SHARE_FETCH, {"share"}), (apis.FETCH, {"consumer", "group"})])
def test_a_reader_has_the_evidence_of_readers_that_fetch_alike(api: int, roles: set[str]) -> None:
    script = WireScript(nodes={f"10.0.1.{number}:9092": node for number, node in NODES.items()})
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
