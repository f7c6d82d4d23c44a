"""The objects that clients work on: partitions, groups, transactional ids, and the cluster as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from probe.model import Row, Target
from probe.protocol import apis
from probe.protocol.api_table import CoordinatorKind
from probe.verdict.apis import COORDINATED, LED

GROUPS, TRANSACTIONS = frozenset(apis.GROUP_APIS), frozenset(apis.TXN_APIS)
WORK = LED | COORDINATED
"""APIs that only the leader or the coordinator of an object can serve."""


class Kind(StrEnum):
    """The kind of an object."""

    PARTITION = "partition"
    GROUP = "group"
    TRANSACTION = "transactional id"
    CLUSTER = "cluster"
    """Requests about no object: those by which a client gets to know versions, brokers and leaders."""
    LOG_IN = "log-in"
    """Steps of a client before a broker serves it (SASL)."""
    LISTENER = "listener"
    """The protocol on which a client and the port that it connects to have to agree: TLS or plaintext."""


class Item(NamedTuple):
    """One object."""

    kind: Kind
    name: str
    """Topic, group or transactional id; empty for the others."""
    partition: int = -1
    """-1 where it is no partition, or where the whole topic is meant."""

    @property
    def target(self) -> Target:
        """Return which broker serves it."""
        if self.kind in WHOLE:
            return Target.CLUSTER
        return Target.LEADER if self.kind is Kind.PARTITION else Target.COORDINATOR

    def __str__(self) -> str:
        if self.kind is Kind.PARTITION:
            return self.name if self.partition < 0 else f"{self.name}-{self.partition}"
        return f"{self.kind} {self.name}".rstrip()


CLUSTER, LOG_IN, LISTENER = (Item(kind, "") for kind in (Kind.CLUSTER, Kind.LOG_IN, Kind.LISTENER))
ADMISSION = frozenset({Kind.LOG_IN, Kind.LISTENER})
"""Steps before all work: a client that is not let in does none."""
WHOLE = ADMISSION | {Kind.CLUSTER}
"""Kinds of which there is one each."""


def work_on(api: int, rows: Iterable[Row]) -> Iterator[Item]:
    """Yield the objects that a request of the target's own APIs is about, each as often as rows name it."""
    if api in LED:
        for row in rows:
            if row.topic and row.partition >= 0:
                yield Item(Kind.PARTITION, row.topic, row.partition)
    elif api in COORDINATED:
        for row in rows:
            if row.key:
                yield Item(_kind(api), row.key)


def asked_for(api: int, rows: Iterable[Row]) -> Iterator[Item]:
    """Yield the objects whose leaders or coordinators an answer names, or refuses to name."""
    if api == apis.METADATA:
        for row in rows:
            if row.topic:
                yield Item(Kind.PARTITION, row.topic, row.partition)
    elif api == apis.FIND_COORDINATOR:
        for row in rows:
            if row.key:
                yield Item(Kind.TRANSACTION if row.key_type == CoordinatorKind.TRANSACTION else Kind.GROUP, row.key)


def _kind(api: int) -> Kind:
    return Kind.TRANSACTION if api in TRANSACTIONS else Kind.GROUP
