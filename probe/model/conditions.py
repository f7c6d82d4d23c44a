"""The numbers of the laboratory's conditions: what a cluster and its workload are like, per engine.

A change of the conditions that may change what a client does raises the number of an engine. Its row in `CHANGES` says
which cells it concerns. Two trials are comparable if no change between their numbers concerns their cell. Numbers of
both engines are taken from one sequence, so that a change that both get has the same number on both.

`docs/verdicts.md#numbers-of-the-conditions` shows the table. Pure, standard library only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from probe.model.cell import Cell, Engine, Outcome, Role, Workload
from probe.model.engines import ENGINES
from probe.model.outcomes import OUTCOMES
from probe.model.roles import ROLES
from probe.model.versions import version_key

FIRST = 1
"""The number of the first conditions, and of trials stored by a program without numbers."""
ALWAYS = sys.maxsize
"""The end of a span without a later change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionsChange:
    """A change of the conditions, and the cells that it concerns. A number may have several changes."""

    number: int
    """The number from which on trials have this change; at least 2."""
    engine: Engine
    text: str
    """The difference from this number on, as a clause."""
    since: str = ""
    """The oldest release line that it concerns. Empty = no limit."""
    until: str = ""
    """The newest release line that it concerns. Empty = no limit."""
    roles: frozenset[Role] = frozenset(Role)
    workloads: frozenset[Workload] = frozenset(Workload)

    @property
    def is_general(self) -> bool:
        """Return whether it concerns every cell of its engine."""
        every = self.roles == frozenset(Role) and self.workloads == frozenset(Workload)
        return every and not self.since and not self.until

    def concerns(self, cell: Cell) -> bool:
        """Return whether the result of a cell may depend on it."""
        if cell.engine is not self.engine or cell.role not in self.roles or cell.workload not in self.workloads:
            return False
        after = not self.since or version_key(self.since) <= version_key(cell.broker)
        return after and (not self.until or version_key(cell.broker) <= version_key(self.until))


CHANGES: tuple[ConditionsChange, ...] = (
    ConditionsChange(
        number=2,
        engine=Engine.EMBEDDED,
        text="clusters have a history: leader epochs above 0 that differ per partition (lines from 2.1 on), logs that "
        "do not start at 0 and used producer ids (from 0.11 on), committed offsets between both ends, other topics, a "
        "controller that has changed",
    ),
    ConditionsChange(
        number=2,
        engine=Engine.EMBEDDED,
        text="the fake cluster answers as real brokers do: 47 to fenced producers, 17 for invalid topic names, no "
        "telemetry, the configs of created topics, OffsetForLeaderEpoch below version 3",
    ),
    ConditionsChange(
        number=2,
        engine=Engine.EMBEDDED,
        text="the fake cluster advertises Produce from version 0 and closes the connection on versions 0 to 2",
        since="4.0",
    ),
    ConditionsChange(
        number=2,
        engine=Engine.KAFKA,
        text="clusters have a history, as on the embedded engine",
    ),
    ConditionsChange(
        number=2,
        engine=Engine.KAFKA,
        text="the features that are final in a fresh install of the release are final: `transaction.version`, "
        "`group.version`, `share.version`, eligible leader replicas",
        since="4.0",
    ),
    ConditionsChange(
        number=2,
        engine=Engine.KAFKA,
        text="`topic/too-few-replicas` begins once the follower has left: only then does min.insync.replicas become 2",
        roles=frozenset({Role.PRODUCER, Role.TRANSACTIONAL}),
    ),
    ConditionsChange(
        number=3,
        engine=Engine.KAFKA,
        text="clients write, and records are fed to readers, every 100 ms from three seconds before the fault until "
        "the client serves again (before: 400 or 800 ms); cohorts are as large as leaves acknowledged writes a median "
        "below 50 ms",
        roles=frozenset({Role.PRODUCER, Role.CONSUMER, Role.GROUP}),
    ),
    *(
        ConditionsChange(
            number=4,
            engine=engine,
            text="admins of every family ask the same questions, and three more: whether a topic could be created, and "
            "for descriptions of the cluster and of the group",
            roles=frozenset({Role.ADMIN}),
        )
        for engine in Engine
    ),
    *(
        ConditionsChange(
            number=5,
            engine=engine,
            text="a burst begins as a whole, or not at all while its records would be more than may be without an "
            "outcome",
            roles=frozenset({Role.PRODUCER}),
            workloads=frozenset({Workload.PIPELINED}),
        )
        for engine in Engine
    ),
    *(
        ConditionsChange(
            number=6,
            engine=engine,
            text="before the fault the affected partition's leader is elected once, and the client has asked for "
            "metadata because of it and worked for 2 s without an error",
            roles=frozenset(role for role, info in ROLES.items() if not info.asks),
        )
        for engine, info in ENGINES.items()
        if info.harmless_election
    ),
)
"""Every change, by number and engine."""


def newest(changes: Sequence[ConditionsChange], engine: Engine) -> int:
    """Return the number of an engine after these changes."""
    return max((change.number for change in changes if change.engine is engine), default=FIRST)


CURRENT: Mapping[Engine, int] = MappingProxyType({engine: newest(CHANGES, engine) for engine in Engine})
"""The number of trials that this program runs, per engine."""


def current(engine: Engine) -> int:
    """Return the number of trials that this program runs."""
    return CURRENT[engine]


def span(cell: Cell, number: int) -> tuple[int, int]:
    """Return the numbers whose trials of a cell are comparable with those of `number`: the first, and one past the end.

    The first is that of the last change up to `number` that concerns the cell; the end is that of the next one.
    """
    first, end = FIRST, ALWAYS
    for change in CHANGES:
        if first < change.number < end and change.concerns(cell):  # the cheaper test first: one call per stored trial
            if change.number <= number:
                first = change.number
            else:
                end = change.number
    return first, end


def comparable(cell: Cell, number: int, other: Cell, other_number: int) -> bool:
    """Return whether trials of two cells (often the same) under two numbers may be compared.

    That is so if both could have been run under one number, with the same conditions for each.
    """
    first, end = span(cell, number)
    other_first, other_end = span(other, other_number)
    return first < other_end and other_first < end


def is_current(cell: Cell, number: int) -> bool:
    """Return whether trials of a cell under `number` are comparable with those that this program runs."""
    return comparable(cell, number, cell, current(cell.engine))


class Numbered(Protocol):
    """A stored trial with the number of its conditions."""

    @property
    def cell(self) -> Cell:
        """The cell of the trial."""

    @property
    def conditions(self) -> int:
        """Number of the conditions under which it ran."""


def outdated(rows: Iterable[Numbered]) -> list[Cell]:
    """Return the cells that were measured under older conditions only, in the order of their first trials."""
    found: dict[Cell, bool] = {}
    for row in rows:
        found[row.cell] = found.get(row.cell, False) or is_current(row.cell, row.conditions)
    return [cell for cell, current_too in found.items() if not current_too]


Rank = tuple[int, int, str]
"""The weight of an outcome, the first number of its span, the run."""


def rank(cell: Cell, outcome: Outcome, number: int, run_id: str) -> Rank:
    """Return the rank of a trial. The trials of a cell with the greatest rank give the cell its result.

    A trial that settles the cell comes before one that does not, the newest conditions before older ones, and the
    newest run before earlier ones. All trials with the greatest rank count, and they are comparable.
    """
    return OUTCOMES[outcome].weight, span(cell, number)[0], run_id
