"""Racks (KIP-392): the own key of a profile, who can have it, and what clients and brokers are given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from probe.catalogue.scenarios import default_scenarios
from probe.cli.app import app
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Profile, Role
from probe.model.cluster import Nodes
from probe.model.rack import Rack
from probe.planning.plan import Plan
from probe.runner.trial.harmless_election import holds_election
from probe.runner.trial.setup import make_start, make_subject
from tests.support.real_cells import planned

KILLED = "follower/killed"
TAP: Any = cast("Any", SimpleNamespace(address=lambda node: f"127.0.0.1:{node}"))


def plan(client: str, scenario: str = KILLED, role: Role = Role.CONSUMER, **more: Any) -> Plan:
    found, _ = RunSelection(clients=[client], scenarios=[scenario], roles=[role], seed=1, **more).whole()
    return found


def test_a_rack_is_an_own_key_of_the_profile() -> None:
    profile = Profile("isolated", (("a", "1"), ("z", "2")), rack=Rack.FOLLOWER)
    assert str(profile) == "isolated+a=1+rack=follower+z=2"
    assert Profile.parse(str(profile)) == profile


def test_a_property_of_that_name_stays_the_librarys() -> None:
    assert Profile.parse("isolated+rack=r1").rack is None
    assert Profile.parse(str(Profile("isolated", (("rack", "follower"),)))).rack is None


def test_another_rack_is_refused_in_one_line() -> None:
    done = CliRunner().invoke(app, ["plan", "--client", "java@4.4.0", "--rack", "leader"])
    assert str(done.exception) == "--rack leader: there is no 'leader'; write follower"


def test_scenarios_of_followers_have_racks_and_others_only_on_request() -> None:
    assert {item.cell.profile for item in plan("java@4.4.0").cells} == {"isolated+rack=follower"}
    assert {item.cell.profile for item in plan("java@4.4.0", "net/reset").cells} == {"isolated"}
    asked = plan("java@4.4.0", "net/reset", rack=Rack.FOLLOWER).cells
    assert {item.cell.profile for item in asked} == {"isolated+rack=follower"}
    assert all(item.variant.cluster.racks for item in asked)


@pytest.mark.parametrize(
    ("client", "line", "reason"),
    [
        ("kafka-go@0.4.51", "3.9", "kafka-go has no setting here by which a reader says in which rack it is"),
        (
            "aiokafka@0.13.0",
            "3.9",
            "aiokafka has client_rack since 0.14.0: client_rack came with 0.14.0 (KIP-392, #1159)",
        ),
        ("java@3.9.2", "1.1", "brokers do it since Kafka 2.4: A leader sends a reader to the follower in its rack"),
    ],
)
def test_the_plan_says_why_no_follower_serves_a_client(client: str, line: str, reason: str) -> None:
    clients = [client, "java@4.4.0"]
    asked = RunSelection(clients=clients, scenarios=[KILLED], roles=[Role.CONSUMER], seed=1, brokers=[line, "2.6"])
    found = [
        skip.reason for skip in asked.whole()[0].skips if (str(skip.cell.client), skip.cell.broker) == (client, line)
    ]
    assert found
    assert all(text.startswith(reason) for text in found if text)


def test_a_writer_has_no_rack() -> None:
    selection = RunSelection(clients=["java@4.4.0"], scenarios=["net/reset"], rack=Rack.FOLLOWER, seed=1)
    reasons = {skip.reason for skip in selection.whole()[0].skips if skip.cell.role is Role.PRODUCER}
    assert reasons == {"role producer reads nothing, and followers serve readers only"}


@pytest.mark.parametrize(
    ("client", "role", "setting"),
    [
        ("java@4.4.0", "consumer", "client.rack"),
        ("librdkafka@2.16.0", "consumer", "client.rack"),
        ("franz-go@1.22.3", "consumer", "Rack"),
        ("sarama@1.61.1", "consumer", "RackID"),
        ("kafkajs@2.2.4", "group", "consumer.rackId"),
        ("kafka-python@3.0.12", "group", "client_rack"),
        ("aiokafka@0.14.0", "consumer", "client_rack"),
    ],
)
def test_readers_are_in_the_rack_of_the_follower_that_fails(client: str, role: str, setting: str) -> None:
    item = planned(client, KILLED, role)
    start = make_start(item, make_subject(item, "me", 2), TAP, nodes=Nodes((1, 2, 3)))
    assert start.properties[setting] == "rack-2"


def test_where_the_leader_fails_another_follower_serves() -> None:
    """It is not the one that takes over, so it goes on to follow."""
    item = planned("java@4.4.0", "leader/elected", "consumer", rack=Rack.FOLLOWER)
    start = make_start(item, make_subject(item, "me", 1), TAP, nodes=Nodes((1, 2, 3)))
    assert start.properties["client.rack"] == "rack-3"


def test_without_a_rack_nobody_is_given_one() -> None:
    item = planned("java@4.4.0", "leader/elected", "consumer")
    assert "client.rack" not in make_start(item, make_subject(item, "me", 1), TAP).properties
    assert not item.variant.cluster.racks


def test_readers_of_followers_have_no_harmless_election() -> None:
    """It would end what the trial is about: the elected leader would send them elsewhere."""
    assert holds_election(planned("java@4.4.0", "leader/elected", "consumer"), young=False)
    assert not holds_election(planned("java@4.4.0", KILLED, "consumer"), young=False)


def test_every_declared_rack_has_its_source() -> None:
    declared = {name: family.rack for name, family in families().items() if family.rack is not None}
    assert {"java", "librdkafka", "franz-go", "sarama", "kafkajs", "kafka-python", "aiokafka"} <= set(declared)
    for name, span in declared.items():
        assert span.source, name
        assert span.setting, name


def test_no_usual_run_and_no_audit_plays_them() -> None:
    """Clients without a rack never meet them."""
    found = [item for item in default_scenarios().values() if item.name.startswith("follower/")]
    assert len(found) == 6
    assert all(item.asked for item in found)
