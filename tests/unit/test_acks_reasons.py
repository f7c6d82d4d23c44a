"""A client that does not ask for all acknowledgements is not asked what only these meet."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import select_clients, select_profiles
from probe.cli.wiring.catalogue import by_number, families
from probe.model import Engine, Role
from probe.planning.selection import Selection, combinations


@pytest.mark.parametrize(
    ("client", "profile", "reason"),
    [
        ("kafka-go@0.4.51", "defaults", "kafka-go writes with acks=0, which waits for no other replica"),
        ("kafka-go@0.4.51", "isolated", ""),
        (
            "sarama@1.61.1",
            "defaults",
            "sarama writes with acks=1, which waits for no other replica; profile idempotent asks for all",
        ),
    ],
)
def test_what_needs_all_acknowledgements_is_asked_of_those_that_ask_for_them(
    client: str, profile: str, reason: str
) -> None:
    selection = Selection(
        clients=select_clients(families(), [client], by_number),
        scenarios=select_scenarios(["topic/too-few-replicas"]),
        roles=(Role.PRODUCER,),
        profiles=select_profiles([profile], (), None),
        own_profiles=False,
        engine=Engine.EMBEDDED,
        brokers=["3.9"],
    )
    assert {item.reason for item in combinations(selection)} == {reason}
