"""A ZooKeeper ensemble: the addresses of its members, and proxies between them that can close connections."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from probe.errors import EngineError
from probe.model.endpoint import LOOPBACK, Endpoint

CHUNK = 65_536
ASK_S = 2.0
STATUS_LINE = re.compile(r"^(?P<key>Mode|Connections): (?P<value>\w+)$", re.MULTILINE)
ENSEMBLE: Mapping[str, str] = {"initLimit": "10", "syncLimit": "5"}
"""In ticks, as in ZooKeeper's own example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """The addresses of one member of an ensemble."""

    node: int
    client: Endpoint
    """Address at which it serves brokers."""
    quorum: Endpoint
    """Address at which it accepts followers while it leads."""
    election: Endpoint


@dataclass(frozen=True, slots=True)
class MemberStatus:
    """Status of a ZooKeeper server as it reports it."""

    mode: str
    """`leader`, `follower`, `standalone`; empty while it does not serve."""
    sessions: int
    """Number of its connections, without the one that asks for the status."""


def members(free: Iterator[Endpoint], size: int) -> tuple[Member, ...]:
    """Choose the addresses of as many members as `size` says."""
    return tuple(
        Member(node=node, client=next(free), quorum=next(free), election=next(free)) for node in range(1, size + 1)
    )


def properties(mine: Member, ensemble: Sequence[Member], doors: Mapping[tuple[int, int], Endpoint]) -> dict[str, str]:
    """Return the properties of the ensemble for a member, which reaches the quorum ports of others by `doors`."""
    found = dict(ENSEMBLE)
    for other in ensemble:
        quorum = doors.get((mine.node, other.node), other.quorum)
        found[f"server.{other.node}"] = f"{quorum}:{other.election.port}"
    return found


async def ask_status(address: Endpoint) -> MemberStatus:
    """Return the status of a ZooKeeper server by its four-letter command `srvr`. OSError if it does not answer."""
    async with asyncio.timeout(ASK_S):
        reader, writer = await asyncio.open_connection(address.host, address.port)
        try:
            writer.write(b"srvr")
            return read_status((await reader.read()).decode(errors="replace"))
        finally:
            writer.close()


def read_status(text: str) -> MemberStatus:
    r"""Parse the answer to `srvr`.

    >>> read_status("Zookeeper version: 3\nConnections: 3\nMode: follower\nNode count: 5\n")
    MemberStatus(mode='follower', sessions=2)
    """
    values = {found["key"]: found["value"] for found in STATUS_LINE.finditer(text)}
    return MemberStatus(values.get("Mode", ""), max(0, int(values.get("Connections", "1")) - 1))


async def serves(address: Endpoint) -> None:
    """Return if a member leads or follows; otherwise raise EngineError or OSError."""
    if not (await ask_status(address)).mode:
        raise EngineError("it has no quorum yet")


@dataclass
class QuorumProxies:
    """Proxies between all pairs of members: `(source, target)` leads to the quorum port of `target`."""

    members: Sequence[Member] = ()
    addresses: dict[tuple[int, int], Endpoint] = field(default_factory=dict)
    passed: Counter[int] = field(default_factory=Counter)
    """Number of connections per source that a proxy passed on."""
    _open: dict[tuple[int, int], set[asyncio.StreamWriter]] = field(default_factory=dict)

    def close_connections(self, source: int, target: int) -> int:
        """Close the connections from source to target, as if the target closed them; return their number."""
        ends = self._open.pop((source, target), set())
        for end in ends:
            end.close()
        return len(ends) // 2

    async def statuses(self) -> Mapping[int, MemberStatus]:
        """Return the status of every member that answers."""
        found = {}
        for member in self.members:
            with contextlib.suppress(OSError):
                found[member.node] = await ask_status(member.client)
        return found

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[QuorumProxies]:
        """Listen until the context ends, then close all connections."""
        async with contextlib.AsyncExitStack() as stack:
            for source in self.members:
                for target in self.members:
                    if source is not target:
                        server = await self._proxy(source, target)
                        stack.callback(server.close)
            try:
                yield self
            finally:
                for source_node, target_node in list(self._open):
                    self.close_connections(source_node, target_node)

    async def _proxy(self, source: Member, target: Member) -> asyncio.Server:
        way = (source.node, target.node)

        async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                answers, asks = await asyncio.open_connection(target.quorum.host, target.quorum.port)
                self._open.setdefault(way, set()).update((writer, asks))
                self.passed[source.node] += 1
                await asyncio.gather(_pump(reader, asks), _pump(answers, writer))
                self._open.get(way, set()).difference_update((writer, asks))
            writer.close()

        server = await asyncio.start_server(pass_on, LOOPBACK, 0)
        self.addresses[way] = Endpoint(host=LOOPBACK, port=server.sockets[0].getsockname()[1])
        return server


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward all bytes, and the end of the stream."""
    with contextlib.suppress(OSError):
        while part := await reader.read(CHUNK):
            writer.write(part)
            await writer.drain()
    writer.close()
