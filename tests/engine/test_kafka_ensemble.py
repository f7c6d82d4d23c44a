"""The quorum proxies of a ZooKeeper ensemble: which connection is closed, and how the ensemble reacts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from probe.engines.kafka.cluster import properties
from probe.engines.kafka.cluster.properties import Addresses
from probe.engines.kafka.cluster.workspace import free_addresses
from probe.engines.kafka.faults import zookeeper_follower
from probe.engines.kafka.faults.zookeeper_follower import drop_follower, roles
from probe.engines.kafka.ports import FaultTarget
from probe.engines.kafka.zookeeper import ensemble
from probe.engines.kafka.zookeeper.ensemble import Member, MemberStatus, QuorumProxies
from probe.errors import EngineError
from probe.model.endpoint import Endpoint
from probe.scenarios.steps.real_brokers import DropFollower
from tests.support.scripted_kafka import Cluster, subject

BUSY_S = 20.0


def members(count: int = 3) -> tuple[Member, ...]:
    return ensemble.members(free_addresses(), count)


def test_all_ports_of_an_ensemble_differ() -> None:
    found = members()
    assert [one.node for one in found] == [1, 2, 3]
    assert len({address for one in found for address in (one.client, one.quorum, one.election)}) == 9


def test_a_member_reaches_others_through_the_quorum_proxies() -> None:
    mine, other = (
        Member(node=1, client=Endpoint.parse("h:1"), quorum=Endpoint.parse("h:2"), election=Endpoint.parse("h:3")),
        Member(node=2, client=Endpoint.parse("h:4"), quorum=Endpoint.parse("h:5"), election=Endpoint.parse("h:6")),
    )
    settings = ensemble.properties(
        mine, (mine, other), {(1, 2): Endpoint.parse("h:77"), (2, 1): Endpoint.parse("h:88")}
    )
    assert (settings["server.1"], settings["server.2"]) == ("h:2:3", "h:77:6")


def test_brokers_know_all_members() -> None:
    own, *quorum = map(Endpoint.parse, ("h:1", "h:4", "h:5", "h:6"))
    where = Addresses(external={1: own}, advertised={1: own}, internal={1: own}, quorum=tuple(quorum))
    assert properties.broker("3.4.1", 1, where, (Path("/d"),), kraft=False)["zookeeper.connect"] == "h:4,h:5,h:6"


@pytest.mark.parametrize(
    ("text", "served"),
    [
        (
            "Zookeeper version: 3.6.4\nReceived: 5\nConnections: 4\nMode: leader\nNode count: 9\n",
            MemberStatus("leader", 3),
        ),
        ("This ZooKeeper instance is not currently serving requests\n", MemberStatus("", 0)),
        ("", MemberStatus("", 0)),
    ],
)
def test_the_status_of_a_member_is_parsed(text: str, served: MemberStatus) -> None:
    assert ensemble.read_status(text) == served


def test_the_follower_with_the_most_sessions_is_chosen() -> None:
    statuses = {1: MemberStatus("follower", 2), 2: MemberStatus("leader", 9), 3: MemberStatus("follower", 1)}
    assert roles(statuses) == (2, 1)


@pytest.mark.parametrize(
    "statuses", [{}, {1: MemberStatus("standalone", 3)}, {1: MemberStatus("leader", 1), 2: MemberStatus("", 0)}]
)
def test_a_missing_leader_or_follower_is_an_error(statuses: dict[int, MemberStatus]) -> None:
    with pytest.raises(EngineError, match="a leader and followers"):
        roles(statuses)


class Echo:
    """A server on a member's quorum port that returns what it receives."""

    def __init__(self, member: Member) -> None:
        self.member = member

    async def __aenter__(self) -> None:
        quorum = self.member.quorum
        self.server = await asyncio.start_server(self.talk, quorum.host, quorum.port)

    async def __aexit__(self, *_: object) -> None:
        self.server.close()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while asked := await reader.read(100):
            writer.write(asked)
        writer.close()


async def through(proxies: QuorumProxies, way: tuple[int, int]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(proxies.addresses[way].host, proxies.addresses[way].port)
    writer.write(b"hello")
    assert await reader.readexactly(5) == b"hello"
    return reader, writer


def test_closing_connections_ends_only_established_ones() -> None:
    async def run(all_members: Sequence[Member]) -> None:
        proxies = QuorumProxies(all_members)
        async with asyncio.timeout(BUSY_S), Echo(all_members[1]), proxies.open():
            assert len(proxies.addresses) == 6
            first, first_writer = await through(proxies, (1, 2))
            third, third_writer = await through(proxies, (3, 2))
            assert proxies.passed == {1: 1, 3: 1}
            assert proxies.close_connections(1, 2) == 1
            assert await first.read() == b"", "the end looks as if the other member had closed the connection"
            third_writer.write(b"more")
            assert await third.readexactly(4) == b"more"
            assert proxies.close_connections(2, 1) == 0
            _, again = await through(proxies, (1, 2))
            assert proxies.passed == {1: 2, 3: 1}
            for writer in (first_writer, third_writer, again):
                writer.close()

    asyncio.run(run(members()))


def test_the_statuses_omit_a_member_that_is_down() -> None:
    assert asyncio.run(QuorumProxies(members()).statuses()) == {}


def scene(tmp_path: Path) -> tuple[FaultTarget, Any]:
    cluster: Any = Cluster(tmp_path)
    return FaultTarget(cluster=cluster, subjects=[subject()], election_ms=0, steps=(DropFollower(),)), cluster


def test_the_action_waits_until_the_follower_rejoins(tmp_path: Path) -> None:
    found, cluster = scene(tmp_path)
    asyncio.run(drop_follower(DropFollower(), found))
    assert [line for line in cluster.told if "note" not in line] == ["slam 3 2", "fault_on 2"]


def test_the_action_fails_if_the_follower_does_not_rejoin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, cluster = scene(tmp_path)
    monkeypatch.setattr(zookeeper_follower, "REJOINS_S", 0.05)
    monkeypatch.setattr(cluster.quorum_proxies, "close_connections", lambda *_: 1)
    with pytest.raises(TimeoutError):
        asyncio.run(drop_follower(DropFollower(), found))


def test_a_follower_without_a_connection_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, cluster = scene(tmp_path)
    monkeypatch.setattr(cluster.quorum_proxies, "close_connections", lambda *_: 0)
    with pytest.raises(EngineError, match="has no connection"):
        asyncio.run(drop_follower(DropFollower(), found))
    assert "fault_on 2" not in cluster.told
