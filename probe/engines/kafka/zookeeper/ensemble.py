"""A ZooKeeper ensemble: who listens where, and doors of ours between its members, which can be slammed."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from probe.engines.kafka.cluster.workspace import HOST
from probe.errors import EngineError
from probe.model.endpoint import Endpoint

CHUNK = 65_536
ASK_S = 2.0
STATUS_LINE = re.compile(r"^(?P<key>Mode|Connections): (?P<value>\w+)$", re.MULTILINE)
ENSEMBLE: Mapping[str, str] = {"initLimit": "10", "syncLimit": "5"}
"""In ticks, as in ZooKeeper's own example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One ZooKeeper of several."""

    node: int
    client: Endpoint
    """Where it serves brokers."""
    quorum: Endpoint
    """Where it takes followers while it leads."""
    election: Endpoint


@dataclass(frozen=True, slots=True)
class MemberStatus:
    """What a ZooKeeper says of itself."""

    mode: str
    """`leader`, `follower`, `standalone`; empty while it serves nobody."""
    sessions: int
    """Connections that it has; ours, by which we ask, is left out."""


def members(free: Iterator[Endpoint], size: int) -> tuple[Member, ...]:
    """Choose where so many members listen."""
    return tuple(
        Member(node=node, client=next(free), quorum=next(free), election=next(free)) for node in range(1, size + 1)
    )


def properties(mine: Member, ensemble: Sequence[Member], doors: Mapping[tuple[int, int], Endpoint]) -> dict[str, str]:
    """Return what a member is told of the ensemble: it reaches the quorum ports of others by doors."""
    told = dict(ENSEMBLE)
    for other in ensemble:
        quorum = doors.get((mine.node, other.node), other.quorum)
        told[f"server.{other.node}"] = f"{quorum}:{other.election.port}"
    return told


async def ask_status(address: Endpoint) -> MemberStatus:
    """Ask a ZooKeeper by its four-letter word who it is. OSError if it does not answer."""
    async with asyncio.timeout(ASK_S):
        reader, writer = await asyncio.open_connection(address.host, address.port)
        try:
            writer.write(b"srvr")
            return read_status((await reader.read()).decode(errors="replace"))
        finally:
            writer.close()


def read_status(text: str) -> MemberStatus:
    r"""Read what `srvr` answers.

    >>> read_served("Zookeeper version: 3\nConnections: 3\nMode: follower\nNode count: 5\n")
    Served(mode='follower', sessions=2)
    """
    told = {found["key"]: found["value"] for found in STATUS_LINE.finditer(text)}
    return MemberStatus(told.get("Mode", ""), max(0, int(told.get("Connections", "1")) - 1))


async def serves(address: Endpoint) -> None:
    """Return when a member leads or follows. EngineError or OSError until then."""
    if not (await ask_status(address)).mode:
        raise EngineError("it has no quorum yet")


@dataclass
class QuorumProxies:
    """Our ports between each two members: `(from, to)` leads to the quorum port of `to`."""

    members: Sequence[Member] = ()
    addresses: dict[tuple[int, int], Endpoint] = field(default_factory=dict)
    passed: Counter[int] = field(default_factory=Counter)
    """How often each member came through any of its doors, and was let in."""
    _inside: dict[tuple[int, int], set[asyncio.StreamWriter]] = field(default_factory=dict)

    def close_connections(self, source: int, target: int) -> int:
        """Close what is established from one to the other, as if the other had; return how many it was."""
        ends = self._inside.pop((source, target), set())
        for end in ends:
            end.close()
        return len(ends) // 2

    async def statuses(self) -> Mapping[int, MemberStatus]:
        """Ask every member that answers who it is."""
        found = {}
        for member in self.members:
            with contextlib.suppress(OSError):
                found[member.node] = await ask_status(member.client)
        return found

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[QuorumProxies]:
        """Listen while inside."""
        async with contextlib.AsyncExitStack() as stack:
            for source in self.members:
                for target in self.members:
                    if source is not target:
                        server = await self._door(source, target)
                        stack.callback(server.close)
            try:
                yield self
            finally:
                for source_node, target_node in list(self._inside):
                    self.close_connections(source_node, target_node)

    async def _door(self, source: Member, target: Member) -> asyncio.Server:
        way = (source.node, target.node)

        async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                answers, asks = await asyncio.open_connection(target.quorum.host, target.quorum.port)
                self._inside.setdefault(way, set()).update((writer, asks))
                self.passed[source.node] += 1
                await asyncio.gather(_pump(reader, asks), _pump(answers, writer))
                self._inside.get(way, set()).difference_update((writer, asks))
            writer.close()

        server = await asyncio.start_server(come, HOST, 0)
        self.addresses[way] = Endpoint(host=HOST, port=server.sockets[0].getsockname()[1])
        return server


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass everything on, and the end too."""
    with contextlib.suppress(OSError):
        while part := await reader.read(CHUNK):
            writer.write(part)
            await writer.drain()
    writer.close()
