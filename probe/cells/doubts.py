"""Settled cells that a later change may judge or play otherwise (docs/verdicts.md#cells-of-older-rules). Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from probe.model import Cell, Engine, Profile, Role
from probe.model.profile import CONSUMER_PROTOCOL
from probe.model.release_lines import Since, has


class Doubt(NamedTuple):
    """A change, and the cells that it concerns. Their trials have to be run again: evidence holds no events."""

    rules: int
    """Trials that were judged by rules before this number are concerned."""
    why: str
    """Cells that are judged or played otherwise, for the answer of a look-up."""
    concerns: Callable[[Cell], bool]


def _profile(cell: Cell) -> Profile:
    return Profile.parse(cell.profile)


def _new_groups_before_4(cell: Cell) -> bool:
    old = not has(cell.broker, Since.NEW_GROUPS)
    return old and cell.engine is Engine.EMBEDDED and _profile(cell).name == CONSUMER_PROTOCOL


def _defaults_of_kafka_go(cell: Cell) -> bool:
    return cell.family == "kafka-go" and cell.role is Role.PRODUCER and _profile(cell).name == "defaults"


DOUBTS: tuple[Doubt, ...] = (
    Doubt(
        21,
        "after REBOOTSTRAP_REQUIRED a client has to leave the connection",
        lambda cell: cell.scenario == "metadata/rebootstrap-required",
    ),
    Doubt(
        21,
        "a member that meets an error in a heartbeat has to send the next one",
        lambda cell: cell.role is Role.GROUP and "/heartbeat/" in cell.scenario,
    ),
    Doubt(
        21,
        "calls have the limit that the application sets",
        lambda cell: cell.role is Role.TRANSACTIONAL and "max.block.ms=" in cell.profile,
    ),
    Doubt(21, "brokers before 4.0 refuse the new group protocol", _new_groups_before_4),
    Doubt(21, "kafka-go's own defaults request no acknowledgement", _defaults_of_kafka_go),
)
"""Later changes that a whole stored run was compared for, with the cells in which clients may differ."""


def doubt(cell: Cell, rules: int) -> str:
    """Return why a cell that was judged by these rules says no longer that a client passes; empty = nothing.

    >>> cell = Cell("java", "4.1.2", Role.GROUP, "isolated", "metadata/rebootstrap-required", Engine.EMBEDDED, "4.4")
    >>> doubt(cell, 20)
    'rules 21 may judge it otherwise: after REBOOTSTRAP_REQUIRED a client has to leave the connection'
    >>> doubt(cell, 21)
    ''
    """
    found = (one for one in DOUBTS if rules < one.rules and one.concerns(cell))
    first = next(found, None)
    return "" if first is None else f"rules {first.rules} may judge it otherwise: {first.why}"
