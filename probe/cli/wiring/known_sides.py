"""Look-ups of both sides of a comparison of versions: the direction that they give a change."""

from __future__ import annotations

from probe.cells.audit import Fault
from probe.cells.known_directions import NO_DIRECTION, Directions, directions
from probe.cli.wiring.comparisons import Change, Filter
from probe.cli.wiring.evidence import Evidence
from probe.cli.wiring.lookups import Question, answers
from probe.errors import ProbeError
from probe.model.profile import DEFAULT_PROFILE


def known_directions(found: Evidence, change: Change, wanted: Filter) -> Directions:
    """Return what look-ups of both sides say of a change; nothing of brokers, other profiles, and unknown releases."""
    if change.column != "version" or tuple(wanted.profiles) != (DEFAULT_PROFILE,):
        return NO_DIRECTION
    try:
        old, new = (_suffered(found, name, wanted) for name in names_of(change))
    except ProbeError:
        return NO_DIRECTION
    return directions(old, new)


def names_of(change: Change) -> tuple[str, str]:
    """Return both sides as look-ups name them."""
    named = change.asked or change.app
    old, new = (f"{named.name if named else change.clients[0]}@{side}" for side in change.sides)
    return old, new


def _suffered(found: Evidence, client: str, wanted: Filter) -> list[Fault]:
    asked = Question(
        client=client,
        line=wanted.line,
        command="advise",
        roles=wanted.roles or None,
        engine=wanted.engine,
        workloads=[str(one) for one in wanted.workloads] or None,
        scenarios=wanted.scenarios or None,
    )
    return answers(found, asked).guessed
