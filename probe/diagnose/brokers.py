"""Answers of brokers: errors by partition, group or transactional id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from probe.diagnose.leaders import Leaders
from probe.diagnose.objects import LOG_IN, WORK, Item, work_on
from probe.diagnose.observation import Connection
from probe.diagnose.proofs import is_bad
from probe.model import Folded, Response
from probe.protocol.apis import SASL_APIS

ITEMS = 2_000
"""Most pairs of object and code that are distinguished per broker."""


@dataclass(frozen=True, slots=True)
class Refused:
    """One error of a broker about one object."""

    code: int
    item: Item
    count: int
    leads: int | None
    """Node that serves the object by the last answers; None if none named it."""


@dataclass(frozen=True, slots=True)
class BrokerView:
    """One address at which a broker listens."""

    number: int
    """Number of the address in events."""
    address: str
    node: int | None
    """Its node id; None if nothing shows it."""
    answers: int
    serves: int
    """Objects that it leads or coordinates by the last answers."""
    refused: tuple[Refused, ...]
    """The most frequent first."""


@dataclass(slots=True)
class _Seen:
    address: str
    answers: float = 0
    last: int = 0
    """Time of the last answer."""
    codes: Counter[tuple[int, Item]] = field(default_factory=Counter)


class Brokers:
    """The brokers of an input by the numbers of their addresses."""

    def __init__(self) -> None:
        self._seen: dict[int, _Seen] = {}

    def known(self, number: int, connection: Connection) -> None:
        """Note the address of a broker."""
        if number not in self._seen:
            self._seen[number] = _Seen(connection.broker_address)

    def answered(self, event: Response) -> None:
        """Count an answer and its errors."""
        seen = self._seen.get(event.broker)
        if seen is None:
            return
        seen.answers += 1
        seen.last = event.at
        if event.api in SASL_APIS and event.code:
            self._add(seen, event.code, LOG_IN, 1)
        if event.api not in WORK:
            return
        if any(row.code for row in event.rows):
            for row in event.rows:
                self._count(seen, event.api, row.code, work_on(event.api, (row,)), 1)

    def folded(self, event: Folded) -> None:
        """Count the answers of a storm."""
        seen = self._seen.get(event.broker)
        if seen is None:
            return
        seen.answers += event.responses
        seen.last = max(seen.last, event.until)
        for row in event.rows:
            self._count(seen, event.api, row.code, work_on(event.api, (row,)), event.responses)

    def _count(self, seen: _Seen, api: int, code: int, items: Iterable[Item], weight: int) -> None:
        if not is_bad(api, code) or api not in WORK:
            return
        for item in items:
            self._add(seen, code, item, weight)

    def _add(self, seen: _Seen, code: int, item: Item, weight: int) -> None:
        if (code, item) in seen.codes or len(seen.codes) < ITEMS:
            seen.codes[code, item] += weight

    def last_answer(self, number: int) -> int:
        """Return when the broker at an address last answered anybody."""
        seen = self._seen.get(number)
        return 0 if seen is None else seen.last

    def replace_items(self, named: Callable[[Item], Item]) -> None:
        """Replace every object by what a function makes of it."""
        for seen in self._seen.values():
            counts: Counter[tuple[int, Item]] = Counter()
            for (code, item), count in seen.codes.items():
                counts[code, named(item)] += count
            seen.codes = counts

    def views(self, leaders: Leaders) -> tuple[BrokerView, ...]:
        """Return what each broker answered, those with errors first."""
        found = [_view(number, seen, leaders) for number, seen in self._seen.items()]
        return tuple(sorted(found, key=lambda one: (-sum(item.count for item in one.refused), one.address)))


def _view(number: int, seen: _Seen, leaders: Leaders) -> BrokerView:
    refused = []
    for (code, item), count in seen.codes.most_common():
        reign = leaders.reign(item)
        refused.append(Refused(code, item, count, reign.node if reign is not None else None))
    node = leaders.node_at(number)
    serves = 0 if node is None else len(leaders.led_by(node))
    return BrokerView(number, seen.address, node, round(seen.answers), serves, tuple(refused))
