"""The record of the clients of an input, by address and client id."""

from __future__ import annotations

from collections import deque
from collections.abc import Set as Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from probe.diagnose.bursts import Bursts
from probe.diagnose.event_retention import Kept
from probe.diagnose.fetch_pattern import Search
from probe.diagnose.objects import Item, Kind, asked_for
from probe.diagnose.observation import Source
from probe.diagnose.proofs import LOG_WORK, side
from probe.diagnose.spells import Question
from probe.diagnose.troubles import ItemState
from probe.model import Request
from probe.protocol import apis
from probe.protocol.rows import UNKNOWN_ID
from probe.verdict.apis import COORDINATED, DISCOVERY
from probe.verdict.broker_delay import JOINS
from probe.verdict.judgement import STORM_WATCH_MS
from probe.verdict.recovery import QUIET_US

AFTER_US = STORM_WATCH_MS * 1000
"""A client is watched for storms for this time after its recovery."""
ITEMS = 5_000
"""Most objects of a client that are distinguished."""
PENDING = 10_000
"""Most requests of a client whose answers are awaited."""
FEW = 2
"""Questions in two seconds that no bound of a storm counts."""
QUESTIONS = 3
"""Questions about who serves an object, of which the times are kept."""
FIRST_CONNS = 64
"""Connections of a client whose handshakes are read for its fingerprint."""


EVERY_TOPIC = Item(Kind.PARTITION, "")
"""Metadata of all topics, or of none, is asked for."""


ACTIVE_US = 10_000_000
"""A connection was in use for an object if it carried work about it within this time."""


class ClientKey(NamedTuple):
    """The key of a client."""

    address: str
    client_id: str


@dataclass(slots=True)
class Link:
    """One connection of a client."""

    work: dict[Item, int] = field(default_factory=dict)
    """Objects that it carried work about, with the time of the last one."""
    answered: bool = False
    """Some request on it was answered."""
    broker: int = -1
    """Number of the address that it leads to."""
    sides: set[frozenset[int]] = field(default_factory=set)
    """APIs of partitions that it carries."""
    used: int = 0
    """Time of its last work."""
    log_in: int = 0
    """Time of the latest request of a log-in; 0 = none."""
    refused: bool = False
    """The latest log-in was refused, after which a broker ends the connection."""
    served: bool = False
    """Something else was answered after a log-in."""


@dataclass(slots=True)
class ClientState:
    """Everything that is kept of one client."""

    key: ClientKey
    source: Source
    items: dict[Item, ItemState] = field(default_factory=dict)
    links: dict[int, Link] = field(default_factory=dict)
    """Open connections."""
    conns: list[int] = field(default_factory=list)
    """The first connections, for the client's fingerprint."""
    connections: int = 0
    opened: int = 0
    """Connections whose beginning was seen."""
    brokers: set[int] = field(default_factory=set)
    """Numbers of the addresses that it talked to."""
    requests: float = 0
    bytes: float = 0
    first_at: int = 0
    last_at: int = 0
    last_request: int = 0
    pending: dict[tuple[int, int], Request] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)
    troubled: set[Item] = field(default_factory=set)
    """Objects with a trouble in the current stretch, over or not."""
    joined: int = 0
    """Time of its last request to join a group."""
    bursts: Bursts = field(default_factory=Bursts)
    """Connections that were opened, by the number of the broker's address, and questions by connection and name."""
    most_connects: int = 0
    """Most connections to one broker in two seconds, without those that it still had: they may be other processes'."""
    most_asked: dict[Item, int] = field(default_factory=dict)
    """Most questions about one name on one connection in two seconds, by name as in `asked`. Several processes may have
    one address and client id, and no connection."""
    closed: bool = False
    """It ended all of its connections by itself."""
    expired: int = 0
    """Connections that a broker ended because the session of their log-in was over."""
    asked: dict[Item, int] = field(default_factory=dict)
    """When it last asked who serves an object: by topic (partition -1), group or transactional id; by no name, all."""
    questions: deque[int] = field(default_factory=lambda: deque(maxlen=QUESTIONS))
    """Times of the last ones."""
    topics: set[str] = field(default_factory=set)
    """Topics of which it wrote records or asked for them."""
    shared: bool = False
    """Two connections to one broker work on one partition at a time, or one writes and the other one reads: several
    processes have this address and client id, as a library's default."""
    coordinator_named: dict[Item, int] = field(default_factory=dict)
    """When an answer first named the coordinator of a group to it."""
    coordinated: int = 0
    """Time of its last request to a coordinator."""
    records_at: int = 0
    """Time of the last answer that had records for it."""
    unnamed: set[str] = field(default_factory=set)
    """Topics of which only the id is known, as `?<id>`."""

    def state(self, item: Item) -> ItemState | None:
        """Return what is known of an object; None beyond the most that are distinguished."""
        found = self.items.get(item)
        if found is None and len(self.items) < ITEMS:
            found = self.items[item] = ItemState()
            if item.name.startswith(UNKNOWN_ID):
                self.unnamed.add(item.name)
        return found

    def carry(self, event: Request, items: Collection[Item]) -> None:
        """Note work on a connection, and whether another one to the same broker does the same."""
        link = self.links.get(event.conn)
        if link is None:
            return
        mine, is_new = side(event.api), items - link.work.keys()
        link.work.update(dict.fromkeys(items, event.at))
        link.used, link.broker = event.at, event.broker
        if mine and (is_new or mine not in link.sides):
            link.sides.add(mine)
            others = [one for one in self.links.values() if one is not link and one.broker == event.broker]
            self.shared |= any(_is_another(one, mine, items, event.at) for one in others)

    def handle(self, event: Request, item: Item, state: ItemState) -> None:
        """Note a request that writes or fetches records of a partition, or looks for the client's place in it."""
        if event.api in LOG_WORK and len(self.topics) < ITEMS:
            self.topics.add(item.name)
        if event.api == apis.FETCH:
            state.search = None
            if state.reads is not None:
                state.reads.ask(event)
        elif event.api == apis.LIST_OFFSETS:
            asked = self.question(item)
            state.search = state.search or Search(event.at)
            state.search.note(event.at, 0 if asked is None else asked.at)

    def works_on(self, asked: Item) -> bool:
        """Return whether it does more with what it asked for than to ask, which an administrator may do for others."""
        if asked == EVERY_TOPIC:
            return bool(self.topics)
        return asked.name in self.topics if asked.kind is Kind.PARTITION else asked in self.items

    def carries(self, item: Item, api: int) -> bool:
        """Return whether an open connection carries work on an object, of the kind that an API belongs to."""
        mine = side(api)
        return any(item in link.work and (not mine or mine in link.sides) for link in self.links.values())

    def note(self, event: Request) -> None:
        """Note a request to join a group, to a coordinator, or about who leads."""
        if event.api in JOINS:
            self.joined = event.at
        if event.api in COORDINATED:
            self.coordinated = event.at
        elif event.api in DISCOVERY:
            self.ask(event)

    def ask(self, event: Request) -> None:
        """Note a question about who leads or coordinates. One that names something for the first time has a reason."""
        self.questions.append(event.at)
        if len(self.asked) >= ITEMS:
            self.asked.clear()
        named = dict.fromkeys(asked_for(event.api, event.rows) if event.rows else (EVERY_TOPIC,))
        again = named.keys() <= self.asked.keys()
        for item in named:
            self.asked[item] = event.at
            often = self.bursts.add((event.conn, item), event.at) if again else 0
            if often > self.most_asked.get(item, FEW) and len(self.most_asked) < ITEMS:
                self.most_asked[item] = often

    def question(self, item: Item) -> Question | None:
        """Return its last question about who serves an object; None if it never asked."""
        names = (item._replace(partition=-1), EVERY_TOPIC) if item.kind is Kind.PARTITION else (item,)
        at = max((self.asked.get(name, 0) for name in names), default=0)
        return Question(at, self.source is Source.LOG) if at else None


def _is_another(link: Link, mine: frozenset[int], items: Collection[Item], at: int) -> bool:
    if not link.sides or at - link.used > ACTIVE_US:
        return False
    return mine not in link.sides or any(item in link.work for item in items)


def is_over(client: ClientState, now: int) -> bool:
    """Return whether a client with troubles has recovered from all, and was watched for storms after it."""
    if not client.troubled:
        return False
    for item in client.troubled:
        state = client.items[item]
        found = state.trouble
        if found is None:
            continue
        if found.owed or found.good_at is None or now < found.good_at + AFTER_US:
            return False
        if found.regular and (state.last_request or 0) <= found.good_at + QUIET_US:
            return False  # it may serve what had waited, and then nothing
    return True
