"""Names of brokers in reports, and the replacement of everything that names hosts and applications (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from probe.diagnose.brokers import BrokerView
from probe.diagnose.clients import ClientKey
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding
from probe.diagnose.leaders import UNKNOWN_NODE
from probe.diagnose.objects import Item, Kind

WORDS = {Kind.PARTITION: "topic", Kind.GROUP: "group", Kind.TRANSACTION: "transaction"}


class BrokerNames:
    """The brokers of a diagnosis as words."""

    def __init__(self, brokers: tuple[BrokerView, ...]) -> None:
        self._by_number: Mapping[int, BrokerView] = {one.number: one for one in brokers}
        self._by_node = {one.node: one for one in brokers if one.node is not None}

    def at(self, number: int) -> str:
        """Return the broker at an address: `broker 2 (10.0.0.2:9092)`, or the address where the node is not known."""
        one = self._by_number.get(number)
        if one is None:
            return "a broker"
        return one.address if one.node is None else f"broker {one.node} ({one.address})"

    def node(self, node: int) -> str:
        """Return a node: with its address, if that was seen."""
        one = self._by_node.get(node)
        return f"broker {node}" if one is None else f"broker {node} ({one.address})"

    def lane(self, number: int) -> str:
        """Return a broker of a timeline, which is a node, or an address whose node is not known."""
        return self.at(number - UNKNOWN_NODE) if number >= UNKNOWN_NODE else f"broker {number}"


class _Numbered:
    """Words with a number, each for one value."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()

    def of(self, word: str, value: str) -> str:
        if not value:
            return value
        if (word, value) not in self._names:
            self._counts[word] += 1
            self._names[word, value] = f"{word}-{self._counts[word]}"
        return self._names[word, value]


def anonymous(diagnosis: Diagnosis) -> Diagnosis:
    """Return a diagnosis in which addresses, client ids, topics, groups and transactional ids have numbers instead.

    A value has one number throughout. Names of files and what a client reports of itself go as well.
    """
    names = _Numbered()
    clients = tuple(_client(one, names) for one in diagnosis.clients)
    brokers = tuple(
        replace(
            one,
            address=names.of("address", one.address),
            refused=tuple(replace(item, item=_item(item.item, names)) for item in one.refused),
        )
        for one in diagnosis.brokers
    )
    left = tuple(replace(one, file=names.of("file", one.file)) for one in diagnosis.left)
    return replace(diagnosis, clients=clients, brokers=brokers, left=left)


def _client(one: ClientFinding, names: _Numbered) -> ClientFinding:
    return replace(
        one,
        key=ClientKey(names.of("host", one.key.address), names.of("client", one.key.client_id)),
        library=replace(one.library, reported="", note=""),
        findings=tuple(replace(item, item=_item(item.item, names)) for item in one.findings),
    )


def _item(item: Item, names: _Numbered) -> Item:
    return item._replace(name=names.of(WORDS.get(item.kind, "name"), item.name))
