"""Events on a trial's cluster before its client started. Pure.

A cluster that was created a moment ago hides faults of clients: its leader epochs are 0, its logs start at 0, and a
group that loses its position begins where it would begin in any case (docs/engines.md#history-of-a-cluster).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from probe.model.release_lines import Since, has

WRITER = "history"
"""Writer of the records that were in the topic before the client started: `history <partition> <number> <clock>`."""
OLD = -2
"""`App.sequence` of such a record when a reader receives it. Its delivery is no operation."""
LEFT = "left"
"""Writer of records in a transaction that its producer never ends: `left <partition> <number> <clock>`."""
ABORTED = -3
"""`App.sequence` of such a record when a reader receives it. The coordinator aborts the transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterHistory:
    """The history of a trial's cluster as the engine found it when the client was about to start.

    All values are empty where the cluster had no history.
    """

    epochs: Mapping[int, int] = field(default_factory=dict)
    """Leader epoch of the topic, by partition. Empty before Kafka 2.1."""
    starts: Mapping[int, int] = field(default_factory=dict)
    """Log start offset of the topic, by partition."""
    ends: Mapping[int, int] = field(default_factory=dict)
    """Log end offset of the topic, by partition: records below it were written by the history."""
    committed: Mapping[int, int] = field(default_factory=dict)
    """Committed offset of every group of the trial, by partition. Empty without a group."""
    producer_ids: int = 0
    """Producer ids that the cluster had given out."""
    transactions: int = 0
    """Producers that had used every transactional id of the trial, one after the other."""
    topics: int = 0
    """Other topics."""
    partitions: int = 0
    """Partitions of the other topics, all together."""
    controller_changes: int = 0
    """Changes of the controller."""

    def text(self) -> str:
        """Return one line for people; empty without a history."""
        parts = [
            _by_partition("leader epochs", self.epochs),
            _by_partition("logs from", self.starts),
            _by_partition("old records up to", self.ends),
            _by_partition("committed offsets", self.committed),
            f"{self.producer_ids} producer ids used" if self.producer_ids else "",
            f"transactional ids used by {self.transactions} producers" if self.transactions else "",
            f"{self.topics} other topics with {self.partitions} partitions" if self.topics else "",
            f"controller changed {self.controller_changes} times" if self.controller_changes > 1 else "",
            "controller changed once" if self.controller_changes == 1 else "",
        ]
        return "; ".join(filter(None, parts))


def left_id(topic: str) -> str:
    """Return the transactional id of the producer that leaves a transaction open in a trial's topic.

    >>> left_id("probe-1")
    'left-probe-1'
    """
    return f"{LEFT}-{topic}"


def _by_partition(what: str, values: Mapping[int, int]) -> str:
    return f"{what} {', '.join(str(values[partition]) for partition in sorted(values))}" if values else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPlan:
    """The history that an engine makes. A broker version may not support all of it."""

    elections: tuple[int, int]
    """Leader elections of the affected partition and of the bystander's. Even, so that two replicas in turn end with
    the first one as leader."""
    records: int
    """Records that are written to each partition."""
    deleted: int
    """Of these, records deleted from the start of the log."""
    committed: int
    """Offset that the groups committed: at neither end of the log, so that a client that loses it shows."""
    producer_ids: int
    transactions: int
    topics: Mapping[str, int]
    """Other topics, with their numbers of partitions."""
    controller_changes: int


OTHER_SIZES = (1, 3, 6, 12, 3)
"""Numbers of partitions of other topics, in turn."""
OTHER = "other-"
"""Start of the names of topics that no client uses."""
OTHER_TOPICS = {f"{OTHER}{number:02}": OTHER_SIZES[number % len(OTHER_SIZES)] for number in range(20)}


def history_plan(line: str) -> HistoryPlan:
    """Return the history of clusters of a release line (or exact version): as much as these brokers support."""
    identifies, deletes = has(line, Since.PRODUCER_IDS), has(line, Since.DELETIONS)
    return HistoryPlan(
        elections=(8, 4) if has(line, Since.LEADER_EPOCHS) else (0, 0),
        records=24,
        deleted=7 if deletes else 0,
        committed=15,
        producer_ids=3 if identifies else 0,
        transactions=2 if identifies else 0,
        topics=OTHER_TOPICS,
        controller_changes=1,
    )
