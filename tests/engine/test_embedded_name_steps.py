"""Steps on names as calls of the relay, in their order. No cluster is started."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from probe.engines.embedded.network import Network
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.model.endpoint import Endpoint
from probe.scenarios.steps.brokers import ChangeAddress, ChangeAddresses, ReturnBroker
from probe.scenarios.steps.step import Step

SUBJECT = Subject(topic="t", affected=0, bystander=1, instance="i", client_id="i", old=2, bootstrap=(1, 2, 3))
OLD = SUBJECT.old
MOVES = {"move", "move_behind_name", "hide_name", "accept", "refuse", "readdress", "back"}


class Calls:
    """A relay that records which of its methods are called for which broker, and the calls of the cluster."""

    def __init__(self) -> None:
        self.made: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(broker: int, **options: object) -> Endpoint:
            self.made.append((" ".join([name, *(option for option in options if options[option])]), broker))
            return Endpoint(host=f"b{broker}.test", port=1)

        return call

    async def cut(self, broker: int) -> None:
        self.made.append(("cut", broker))

    async def readdress(self, _: Sequence[Endpoint]) -> None:
        self.made.append(("readdress", -1))

    async def back(self, broker: int) -> None:
        self.made.append(("back", broker))


def calls(*steps: Step, events: Sequence[pb.Event] = ()) -> list[tuple[str, int]]:
    """Return the calls that steps lead to, once the last of them is done."""

    async def whole() -> list[tuple[str, int]]:
        relay = Calls()
        network = Network(relay, relay.readdress, relay.back)  # type: ignore[arg-type]  # it only records
        network.before(steps, SUBJECT)
        await network.after(steps, SUBJECT)
        for event in events:
            await network.on_event(event)
        if network._moving is not None:
            await network._moving
        return [call for call in relay.made if call[0].split()[0] in MOVES]

    return asyncio.run(whole())


def test_a_broker_that_moves_behind_its_name_is_advertised_as_before() -> None:
    moved = calls(ChangeAddress(down_ms=0, behind_name=True))
    assert moved == [("refuse", OLD), ("move_behind_name", OLD), ("back", OLD)]


def test_a_name_keeps_the_former_address() -> None:
    moved = calls(ChangeAddress(down_ms=0, behind_name=True, keeps_former=True))
    assert moved == [("refuse", OLD), ("move_behind_name keeps", OLD), ("back", OLD)]


def test_a_name_is_hidden_until_its_broker_is_back() -> None:
    moved = calls(ChangeAddress(down_ms=0, behind_name=True, hides_name=True))
    assert moved == [("refuse", OLD), ("hide_name", OLD), ("move_behind_name", OLD), ("back", OLD)]


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_each_broker_of_a_rolling_restart_moves_once(turn: int) -> None:
    broker = NODES.turns(OLD)[turn]
    down, up = (pb.Event(kind=kind, broker=broker) for kind in (pb.Event.STOPPED, pb.Event.RETURNED))
    moved = calls(ReturnBroker(turn=turn, behind_name=True), events=(down, up, up))
    assert moved == [("refuse", broker), ("move_behind_name", broker), ("accept", broker)]


def test_a_bootstrap_name_leads_elsewhere_once_the_brokers_have_other_names() -> None:
    moved = calls(ChangeAddresses(down_ms=0, behind_name=True))
    refused = [("refuse", node) for node in NODES.addresses]
    renamed = [("move", node) for node in NODES]
    assert moved == [*refused, *renamed, ("readdress", -1), ("move_behind_name", NODES.bootstrap)]
