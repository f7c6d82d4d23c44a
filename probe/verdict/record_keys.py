"""Records with keys: which partition each belongs to, and their order per key (docs/verdicts.md#workloads). Pure.

The library chooses the partition of a record by its key, and reports it with the acknowledgement. Where a record has
none, it belongs to the partition of its key's other records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from probe.model import App, AppKind, Event, Header
from probe.model.counts import counted
from probe.model.roles import ROLES

UNCHOSEN = -1
"""Partition of a record whose partition is not known."""
OF_RECORDS = frozenset({AppKind.SENT, AppKind.SEND_ERROR})
"""Kinds of events about a record that do not name its partition."""


def with_partitions(header: Header, events: list[Event], instance: str) -> list[Event]:
    """Return the events of an instance. Where records have keys, every one names its record's partition, if known."""
    return list(_placed(header, events, instance)) if header.keys else events


def series_of(header: Header, partition: int, number: int) -> int:
    """Return what a record is in order with: the number of its key, or without keys its partition."""
    return number % header.keys if header.keys else partition


def identity(header: Header, partition: int, number: int) -> tuple[int, int]:
    """Return the identity of a record: its number, and its partition where numbers count per partition."""
    return (UNCHOSEN if header.keys else partition, number)


def beat(header: Header, apps: Iterable[App]) -> int:
    """Return how many operations of the affected partition begin together: all of them count as one success.

    With keys there is one per key of the partition. A transaction has all of its records.
    """
    if ROLES[header.cell.role].transactional:
        return 1
    if not header.keys:
        return header.batch
    affected = header.subject.affected
    return max(1, len({item.sequence % header.keys for item in apps if _names(item) and item.partition == affected}))


def strayed(header: Header) -> tuple[str, ...]:
    """Return what is wrong with the partitions of keys; a topic that has grown may have other ones for its keys."""
    subject, found = header.subject, dict[int, set[int]]()
    for record in header.stored:
        if header.keys and record.instance == subject.instance:
            found.setdefault(record.sequence % header.keys, set()).add(record.partition)
    if not set().union(*found.values()) <= {subject.affected, subject.bystander}:
        return ()
    count = sum(len(partitions) > 1 for partitions in found.values())
    return (f"{counted(count, 'key')} in two partitions",) if count else ()


def _names(item: App) -> bool:
    return item.kind is AppKind.ACKED and item.partition >= 0 and item.sequence >= 0


def _placed(header: Header, events: Iterable[Event], instance: str) -> Iterator[Event]:
    every = list(events)
    stored = {item.sequence: item.partition for item in header.stored if item.instance == instance}
    acked = {item.sequence: item.partition for item in every if isinstance(item, App) and _names(item)}
    records = stored | acked
    of_keys = {number % header.keys: partition for number, partition in records.items()}
    for item in every:
        about = isinstance(item, App) and item.kind in OF_RECORDS and item.partition == UNCHOSEN and item.sequence >= 0
        if not isinstance(item, App) or not about:
            yield item
            continue
        partition = records.get(item.sequence, of_keys.get(item.sequence % header.keys, UNCHOSEN))
        yield replace(item, partition=partition)
