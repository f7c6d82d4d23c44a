"""A group of two members, judged as one (docs/verdicts.md#groups-of-two). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from probe.model import App, AppKind, MarkKind, Symptom
from probe.model.cluster_history import OLD
from probe.verdict.service import gaps, served_at, serves
from probe.verdict.wire_evidence import WireEvidence

HEARTBEATS = 2
"""A member learns of a rebalance from the answer to a heartbeat, which may have just been sent."""
UNKNOWN_HEARTBEAT_MS, UNKNOWN_SESSION_MS = 3000, 45_000
"""Taken for a client that does not report the setting: the commonest heartbeat, the longest session by default."""
SHARED = 3
"""Records at the end of a partition that show who reads it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The course of a group after a change of its members."""

    unread: tuple[int, ...] = ()
    """Partitions that nobody reads at the end of the window."""
    longest_ms: float = 0
    """Longest time for which nobody read a partition."""
    partition: int = -1
    """That partition."""
    due_ms: float = 0
    """Time within which it had to be read again."""

    @property
    def late(self) -> bool:
        """Whether a partition was read again later than it was due."""
        return not self.unread and self.longest_ms > self.due_ms


def find_taken(evidence: WireEvidence) -> Taken | None:
    """Return how a group of two went on. None in any other scenario."""
    if evidence.play.kind is not Symptom.MEMBERSHIP:
        return None
    found = [
        ((later - sooner) / 1000, partition)
        for partition in evidence.partitions
        for sooner, later in gaps(evidence, served_at(evidence, partition), _since(evidence, partition))
    ]
    longest_ms, partition = max(found, default=(0.0, -1))
    unread = tuple(one for one in evidence.partitions if not serves(evidence, served_at(evidence, one)))
    return Taken(unread, longest_ms, partition, _due_ms(evidence))


def _since(evidence: WireEvidence, partition: int) -> int:
    """Return from when on a partition can be read by its owner: what a member joins under is reverted first.

    Only a bystander partition, which nothing is done to, can be read throughout.
    """
    begin, healed = evidence.timeline.begin, evidence.timeline.healed
    untouched = evidence.has_bystander_partition and partition == evidence.subject.bystander
    if evidence.events.marked(MarkKind.JOINS) is None or healed is None or untouched:
        return begin
    return max(begin, healed)


def _due_ms(evidence: WireEvidence) -> float:
    """Return the time within which every partition is read again.

    A silent member is removed at the end of its session, which its last heartbeat began. The others learn of it by
    their next heartbeats, and join again.
    """
    beat_ms = (evidence.setting_us("heartbeat_ms") or UNKNOWN_HEARTBEAT_MS * 1000) / 1000
    session_ms = (evidence.setting_us("session_timeout_ms") or UNKNOWN_SESSION_MS * 1000) / 1000
    silent = evidence.events.marked(MarkKind.JOINS) is None
    return (session_ms if silent else 0) + HEARTBEATS * beat_ms + evidence.play.prompt_ms


def unkept(evidence: WireEvidence, offsets: Mapping[int, Sequence[int]]) -> tuple[int, tuple[str, ...]]:
    """Return how many stored records the group passed over, and which promises it broke; (0, ()) elsewhere.

    `offsets` has the stored offsets by partition.
    """
    if evidence.play.kind is not Symptom.MEMBERSHIP:
        return 0, ()
    given = _given(evidence)
    skipped = max((_between(every, offsets.get(partition, ())) for partition, every in given.items()), default=0)
    broken = [f"{skipped} records that no member was given"] if skipped else []
    broken += [f"two members read partition {partition} at once" for partition in _shared(evidence)]
    return skipped, tuple(broken)


def _given(evidence: WireEvidence) -> dict[int, set[int]]:
    """Return the offsets that were given to any member, by partition, without records of the cluster's history."""
    given: dict[int, set[int]] = {}
    for item in _received(evidence.judged_apps):
        given.setdefault(item.partition, set()).add(item.offset)
    return given


def _received(apps: Sequence[App]) -> Iterator[App]:
    return (item for item in apps if item.kind is AppKind.RECEIVED and item.sequence != OLD and item.offset >= 0)


def _between(given: set[int], stored: Sequence[int]) -> int:
    """Count stored records between the first and the last one that was given, that were not."""
    first, last = min(given), max(given)
    return sum(first < offset < last and offset not in given for offset in stored)


def _shared(evidence: WireEvidence) -> Iterator[int]:
    """Yield the partitions whose last records were given to both members by turns.

    A record that one member was given after the other had it, since its offset was not committed, is none of these.
    """
    until = evidence.timeline.until
    for partition in evidence.partitions:
        each = [
            {item.offset: item.at for item in _received(apps) if item.partition == partition and item.at <= until}
            for apps in (evidence.events.apps, evidence.successor_apps)
        ]
        last = sorted(each[0].keys() & each[1].keys())[-SHARED:]
        if len(last) == SHARED and last[-1] >= max(*each[0], *each[1]) - 1:
            first_began, second_began = (times[last[0]] for times in each)
            if each[0][last[-1]] > second_began and each[1][last[-1]] > first_began:
                yield partition
