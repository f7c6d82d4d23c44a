"""Scenarios that a release was not measured in, by the releases around it: the answers of `probe lookup`, for pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from probe.cells.aggregate import SettledCell
from probe.cells.audit import TOLD, Fault, Finding
from probe.cells.causes import is_scored
from probe.cells.control_cells import without_implied
from probe.cells.lookup_cells import examined
from probe.cells.loss_words import as_written
from probe.cli.wiring.asked_sides import asked_sides
from probe.cli.wiring.between import with_guesses
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.family_cells import FamilyCells
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Role
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import Harm
from probe.model.roles import UNLEVELLED
from probe.site.known.values import Likely, LikelyCells

MOST = 40
"""Rows of a page; a release of which little was measured may have hundreds."""
BELOW: Mapping[Finding, str] = {Finding.SUSPECTED: "suspected"}
"""Words of findings that both sides do not prove."""


def likely_cells(client: str, stored: Mapping[Cell, SettledCell], around: FamilyCells, line: str) -> LikelyCells | None:
    """Return what is likely of the scenarios that a client was not measured in; None if nothing is.

    `stored` are its own cells of every engine and line. Where the library inside an application is known, that tells
    more than releases of the application, and its pages have it.
    """
    side = asked_sides(client, "lookup")[0]
    if side.has_others:
        return None
    own = {cell: one for cell, one in stored.items() if cell.engine is DEFAULT_ENGINE}
    asked = side.chosen
    wanted = Wanted(family=[asked.client.family], engine=[str(DEFAULT_ENGINE)], broker=[line])
    ask = partial(examined, known=own, asked=asked, line=line)
    every = as_written(without_implied(with_guesses(around, side, own, wanted, ask)), families())
    guessed = [one for one in every if one.stand_in and not one.is_own and one.cell.role not in UNLEVELLED]
    if not guessed:
        return None
    told = sorted((one for one in guessed if _shows_harm(one)), key=_order)
    rows = [*_rows(told)]
    fine = Counter(one.cell.role for one in guessed if not _shows_harm(one))
    counts = tuple((role, fine[role]) for role in Role if role in fine)
    return LikelyCells(rows=tuple(rows[:MOST]), left_out=max(0, len(rows) - MOST), lesser=counts)


def _shows_harm(one: Fault) -> bool:
    """Return whether a row says it: what stands still for long, stops or loses work."""
    return one.finding in TOLD and one.harm is not None and one.harm.rank >= Harm.STALLS


def _order(one: Fault) -> tuple[object, ...]:
    """Return a sort key: what stops or loses work, what is scored, what both sides show, the worst first."""
    rank = one.harm.rank if one.harm is not None else Harm.NONE
    return rank < Harm.STOPS, not is_scored(one), one.finding in BELOW, -rank, one.cell.scenario, str(one.cell)


def _rows(told: Iterable[Fault]) -> Iterator[Likely]:
    """Yield the rows, those of one scenario that differ in the role or workload only as one."""
    found: dict[tuple[str, str, str], list[Fault]] = {}
    for one in told:
        found.setdefault((one.cell.scenario, _word(one), _by(one)), []).append(one)
    for (scenario, word, by), mine in found.items():
        roles = dict.fromkeys(f"{one.cell.role}{one.cell.unusual}" for one in mine)
        harm = max(one.harm.rank for one in mine if one.harm is not None)
        yield Likely(scenario=scenario, roles=", ".join(roles), harm=harm, word=word, by=by, scored=is_scored(mine[0]))


def _word(one: Fault) -> str:
    assert one.harm is not None
    return f"{BELOW.get(one.finding, 'likely')} {one.harm.rank.word}"


def _by(one: Fault) -> str:
    return one.stand_in.removeprefix("not measured; ")
