"""Clients of which evidence knows cells, in the words of `probe lookup`, for the site of evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from probe.catalogue.purposes import PURPOSES
from probe.catalogue.releases import releases_of
from probe.catalogue.selectors import Chosen, select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.answer_context import Asking
from probe.cells.audit import TOLD, Fault, examine
from probe.cells.between import Answer, Between
from probe.cells.causes import Cause, causes, is_scored
from probe.cells.cell_harm import with_harms
from probe.cells.client_levels import findings_and_levels
from probe.cells.fault_words import harm_columns, remarks
from probe.cells.levels import RoleLevel
from probe.cells.loss_words import as_written
from probe.cells.role_levels import as_suffered
from probe.cells.supports import Support
from probe.cells.suspicions import guesses, unmeasured
from probe.cells.upgrades import works
from probe.cli.answers.decision import BESIDE, LESSER, NOTHING_STOPS, WORST_FIRST, cause_text, lesser, note_of, to_do
from probe.cli.answers.likely_cells import likely_cells
from probe.cli.answers.lookup import Known
from probe.cli.answers.lookup_json import levels_json
from probe.cli.answers.operations import operation
from probe.cli.answers.short_answer import in_short
from probe.cli.answers.supports import kip_data
from probe.cli.wiring.alternatives import asking_of
from probe.cli.wiring.asked_sides import asked_sides
from probe.cli.wiring.between import around
from probe.cli.wiring.catalogue import by_number, families, inside
from probe.cli.wiring.evidence import Evidence
from probe.cli.wiring.family_cells import FamilyCells
from probe.cli.wiring.kip_support import supports_of
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Client, Workload
from probe.model.columns import SHOWN, Facts
from probe.model.engines import DEFAULT_ENGINE
from probe.model.grades import worst_trial
from probe.model.schema import Column, Unit
from probe.model.versions import version_key
from probe.site.data.fact_texts import value_text
from probe.site.data.wording import command, duration
from probe.site.known.values import Entry, KnownCell, KnownClient, Section

_LEFT_OUT = frozenset({"api_versions", "watched_ms", "acked"})
"""Facts about the trial rather than the client, and one that takes as much room as all others."""
_EXPLAINED: Mapping[str, Column] = {
    source: next(columns)
    for source, columns in groupby(SHOWN, key=lambda column: column.source)
    if source not in _LEFT_OUT
}
"""The facts that are shown, each with the first of its columns."""


def known_clients(found: Evidence, line: str) -> Iterator[KnownClient]:
    """Yield the client versions of evidence, by family and version. A family is read when its first one is taken."""
    for family in sorted(families()):
        read = found.find(Wanted(family=[family]), facts=True)
        stored = {cell: with_harms(settled) for cell, settled in read.items()}
        races = [with_harms(settled) for settled in found.races_of({family})]
        by_version: dict[str, dict[Cell, SettledCell]] = {}
        for cell, settled in stored.items():
            by_version.setdefault(cell.version, {})[cell] = settled
        ways_out = _ways_out(stored.values())
        first, every = found.handshakes(Wanted(family=[family])), _around(family, stored.values())
        counts = found.counts(family, str(DEFAULT_ENGINE), line)
        held = FamilyCells(family, stored, first, races)
        for version in sorted(by_version, key=version_key):
            (asked,) = select_clients(families(), [f"{family}@{version}"], by_number)
            mine = by_version[version]
            supports = supports_of(families()[family], version, mine, stored.values(), first)
            near = partial(every.answer, among=frozenset(around(counts, version)))
            one = _known(asked, mine, line, ways_out, supports, found, near)
            yield replace(one, likely=likely_cells(str(one.client), mine, held, line))


def _around(family: str, stored: Iterable[SettledCell]) -> Between:
    """Return what answers for the cells that a release of a family lacks: those around it."""
    withdrawn = releases_of(family).withdrawn
    plain = (one for one in stored if one.cell.engine is DEFAULT_ENGINE and one.cell.version not in withdrawn)
    return Between(plain, (), lambda *_: "")


def _ways_out(stored: Collection[SettledCell]) -> Known:
    """Return the remedies that are known for what fails in a family."""
    bad = [fault.evidence for fault in _as_stored(stored) if fault.finding in TOLD and fault.evidence is not None]
    return Known.of(bad, stored, stored, good=filter(works, stored))


def _as_stored(stored: Collection[SettledCell]) -> tuple[Fault, ...]:
    by_cell = {one.cell: one for one in stored}
    return examine(by_cell, by_cell)


def _known(
    asked: Chosen,
    stored: Mapping[Cell, SettledCell],
    line: str,
    ways_out: Known,
    supports: tuple[Support, ...],
    found: Evidence,
    around: Answer,
) -> KnownClient:
    faults, levels = findings_and_levels(asked, stored, line)
    suffered = as_suffered(faults, stored)
    roles = {one.cell.role for one in faults}
    lacks = unmeasured(asked.family, asked.client.version, roles, stored, line, usual=True)
    near = as_written(guesses(lacks, around, faults), families())
    asking = asking_of(found, asked_sides(str(asked.client), "lookup"), suffered, ways_out, levels)
    sections, todo = _sections(suffered, levels, ways_out, asking)
    library = asked.family.find(asked.client.version)
    operations = tuple(operation(one, asked, suffered, ways_out, line) for one in PURPOSES.values())
    return KnownClient(
        client=asked.client,
        broker=line,
        released=asked.version.released or (library.released if library else ""),
        library=library.library if library else None,
        inside=inside(asked.client),
        levels=tuple(levels),
        short=in_short([*suffered, *near], levels, ways_out, asking),
        note=note_of(suffered),
        sections=sections,
        ways_out=todo,
        cells=tuple(_cell(ways_out.remedied(fault)) for fault in _as_stored(stored.values())),
        supports=supports,
        operations=operations,
        data=_data(asked.client, line, levels, sections, todo) | {"supports": [kip_data(one) for one in supports]},
    )


def _sections(
    faults: Sequence[Fault], levels: Sequence[RoleLevel], ways_out: Known, asking: Asking
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Return the findings by cause, and what to do about them."""
    grave = causes(faults)
    scored = [one for one in grave if one.scored]
    beside = [one for one in grave if not one.scored]
    heading = WORST_FIRST if scored else NOTHING_STOPS
    counted = [one for one in faults if is_scored(one)]
    less = [Entry(harm=harm, word=harm.word, text=text) for harm in LESSER if (text := lesser(counted, harm))]
    first = [*_entries(scored, ways_out), *less]
    found = [Section(heading=heading, entries=tuple(first))] if first or levels else []
    if beside:
        found.append(Section(heading=BESIDE, entries=tuple(_entries(beside, ways_out))))
    return tuple(found), tuple(to_do(scored, ways_out, asking.named, search=asking.search))


def _entries(found: Sequence[Cause], ways_out: Known) -> Iterator[Entry]:
    for one in found:
        yield Entry(harm=one.harm.rank, word=one.word, text=cause_text(one, ways_out))


def _data(
    client: Client, line: str, levels: Sequence[RoleLevel], sections: Sequence[Section], todo: Sequence[str]
) -> dict[str, Any]:
    return {
        "client": str(client),
        "family": client.family,
        "version": client.version,
        "broker": line,
        "levels": levels_json(levels),
        "findings": [
            {"heading": part.heading, "harm": one.word, "text": one.text} for part in sections for one in part.entries
        ],
        "to_do": list(todo),
    }


def _cell(fault: Fault) -> KnownCell:
    seen = fault.evidence
    assert seen is not None, fault.cell
    harm, origin = fault.harm, seen.origin
    facts = worst_trial(seen.verdicts).facts
    reason = "; ".join([*remarks(seen), *filter(None, [seen.reason])])
    measured = origin.measured if origin is not None else ""
    return KnownCell(
        cell=fault.cell,
        harm=None if harm is None else harm.rank,
        word="" if harm is None else harm.words,
        result=seen.result,
        reason=reason,
        facts=tuple(_labelled(facts)),
        rests_on=f"measured {measured or 'at an unknown time'}, rules {seen.rules}, conditions {seen.conditions}",
        command=command(fault.cell),
        data=_cell_data(fault, seen, reason, measured, facts),
    )


def _cell_data(fault: Fault, seen: SettledCell, reason: str, measured: str, facts: Facts) -> dict[str, Any]:
    """Return a cell for JSON. What is usual is left out: the workload, and what the harm is not."""
    cell = fault.cell
    return {
        "role": cell.role,
        "profile": cell.profile,
        "scenario": cell.scenario,
        "engine": cell.engine,
        "broker": cell.broker,
        **({"workload": cell.workload} if cell.workload is not Workload.CONTINUOUS else {}),
        "finding": fault.finding,
        "outcomes": seen.outcomes,
        **{name: value for name, value in harm_columns(fault).items() if name == "harm" or _says(name, value)},
        "reason": reason,
        "measured": measured,
        "rules": seen.rules,
        "conditions": seen.conditions,
        "facts": dict(_stated(facts)),
    }


def _says(name: str, value: object) -> bool:
    """Return whether a part of the harm says something: that a restart does not help does, too."""
    return value is not None if name == "restart_helps" else bool(value)


def _stated(facts: Facts) -> Iterator[tuple[str, Any]]:
    """Yield the facts of a trial that the site explains and that say something: zeros and empty ones do not."""
    for name in _EXPLAINED:
        value = getattr(facts, name)
        if value:
            yield name, list(value) if isinstance(value, tuple) else round(value) if type(value) is float else value


def _labelled(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the same with labels and units. Columns of one fact have its label, without how they sum trials up."""
    for name, value in _stated(facts):
        column = _EXPLAINED[name]
        text = ";".join(map(str, value)) if isinstance(value, list) else str(value)
        label = column.label.removesuffix(", median")
        plain = text.lower() if value is True else text
        yield label, duration(value) if column.unit is Unit.MS else value_text(plain, column.unit)
