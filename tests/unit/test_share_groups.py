"""Share groups (KIP-932) as a role: on which lines and with which clients it is played, and that it has no level."""

from __future__ import annotations

import pytest

from probe.catalogue.baseline import baseline
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import select_clients, select_profiles
from probe.cells.levels import RoleLevel
from probe.cli.wiring.catalogue import by_number, families
from probe.model import Engine, Outcome, Role, Subject
from probe.model.roles import UNLEVELLED
from probe.planning.selection import Selection, combinations

SCENARIO = "disk/storage-error"


def reason(client: str, line: str, profile: str = "isolated") -> str:
    selection = Selection(
        clients=select_clients(families(), [client], by_number),
        scenarios=select_scenarios([SCENARIO]),
        roles=(Role.SHARE,),
        profiles=select_profiles([profile], (), None),
        engine=Engine.EMBEDDED,
        brokers=[line],
    )
    (found,) = combinations(selection)
    return found.reason


@pytest.mark.parametrize(
    ("client", "line", "profile", "wanted"),
    [
        ("java@4.4.0", "4.4", "isolated", ""),
        ("java@4.1.2", "4.2", "isolated", ""),
        ("java@4.4.0", "4.1", "isolated", "role share needs Kafka 4.2 or newer"),
        ("java@4.4.0", "3.9", "isolated", "share.version=0"),
        ("java@4.0.2", "4.4", "isolated", "java has role share since 4.1.0"),
        ("sarama@1.43.3", "4.4", "isolated", "sarama has no role share"),
        ("java@4.4.0", "4.4", "read-committed", "profile read-committed does not apply to role share"),
        ("java@4.4.0", "4.4", "consumer-protocol", "profile consumer-protocol does not apply to role share"),
    ],
)
def test_the_role_is_played_where_client_and_brokers_have_share_groups(
    client: str, line: str, profile: str, wanted: str
) -> None:
    found = reason(client, line, profile)
    assert wanted in found
    assert bool(found) is bool(wanted)


def test_a_refused_acceptance_conforms_where_the_leader_moves() -> None:
    (scenario,) = select_scenarios([SCENARIO])
    for role, conforms in ((Role.SHARE, True), (Role.GROUP, False)):
        variant = scenario.variant(role)
        assert variant is not None
        assert (Outcome.SURFACES in variant.expectation.conforms) is conforms


def test_the_frozen_baseline_gives_the_role_no_level() -> None:
    assert Role.SHARE in UNLEVELLED
    assert not baseline().of(Role.SHARE)
    assert RoleLevel(role=Role.SHARE, of=0).words == "not scored: the baseline has no scenario of this role"


def test_a_share_group_has_no_committed_offsets() -> None:
    group = Subject(topic="t", affected=0, bystander=1, instance="i", client_id="i", group="g", bystander_key="b")
    assert group.groups == ("g", "b")
    share = Subject(
        topic="t", affected=0, bystander=1, instance="i", client_id="i", group="g", bystander_key="b", shares=True
    )
    assert share.groups == ()
