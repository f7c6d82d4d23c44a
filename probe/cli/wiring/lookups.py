"""Findings about one client by its name: its own, those of what stands for it, and of the releases around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from probe.catalogue.line_names import NamedLine
from probe.catalogue.selectors import Chosen
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault
from probe.cells.control_cells import without_implied
from probe.cells.lookup_cells import examined, is_asked
from probe.cells.loss_words import as_written
from probe.cells.role_levels import as_suffered
from probe.cells.suspicions import is_grave
from probe.cli.wiring.asked_sides import asked_sides
from probe.cli.wiring.between import with_guesses
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import Evidence
from probe.cli.wiring.lookup_reads import is_family, on_all_engines, versions_of, wanted_of
from probe.cli.wiring.sides import AskedClient, answers_of
from probe.cli.wiring.suspicions import guessed_of
from probe.model import Cell, Engine, Role
from probe.model.engines import DEFAULT_ENGINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A client, and the cells of it that are asked about."""

    client: str
    """CLIENT[@VERSION] as the catalogue writes it."""
    line: str
    """Release line of the brokers."""
    command: str = "lookup"
    """The command that asks, for its errors."""
    named: NamedLine | None = None
    """The line of releases that is asked about; None = one release, or a family."""
    roles: Sequence[Role] | None = None
    engine: Engine = DEFAULT_ENGINE
    workloads: Sequence[str] | None = None
    profile: str | None = None
    """Profile, or pattern; None = that of each scenario."""
    scenarios: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Findings about a client."""

    sides: Sequence[AskedClient]
    faults: list[Fault]
    """In the profile of each scenario."""
    plain: Sequence[Fault]
    """The same, with what a service suffers by the library's defaults where these were measured."""
    near: Sequence[Fault]
    """Findings of releases around it with the library's defaults, where it was not measured."""
    read: Mapping[Cell, SettledCell]
    """Cells that were read of it, in any profile."""
    stored: Mapping[Cell, SettledCell]
    """The same, and the library's defaults on every engine."""
    proven: Mapping[Cell, SettledCell]
    """Of these, the measurements of the client itself."""

    @property
    def asked(self) -> Chosen:
        """The client that is asked about."""
        return self.sides[0].chosen

    @property
    def suffered(self) -> list[Fault]:
        """Findings of a service with its defaults, and the stops and losses of releases around it."""
        return [*self.plain, *filter(is_grave, self.near)]

    @property
    def guessed(self) -> list[Fault]:
        """Findings of a service with its defaults, and all that is known of releases around it."""
        return [*self.plain, *self.near]


def answers(found: Evidence, one: Question) -> Answers:
    """Return what evidence says about a client. ProbeError for an unknown one, or several versions."""
    sides = asked_sides(one.client, one.command)
    every = is_family(sides[0].chosen, one.client)
    read, stored, proven = (dict[Cell, SettledCell]() for _ in range(3))

    def known(side: AskedClient) -> tuple[Fault, ...]:
        versions = versions_of(one.client, side.chosen, one.named)
        wanted = wanted_of(side.chosen, versions, one.roles, one.engine, one.workloads)
        own = found.find(wanted)
        read.update(own)
        stored.update({**own, **on_all_engines(found, wanted, own)})
        if side.is_proven:
            proven.update(stored)
        ask = partial(
            examined, known=own, asked=side.chosen, line=one.line, profile=one.profile, scenarios=one.scenarios
        )
        faults = (
            ask(own)
            if side.has_others or every
            else with_guesses(found, side, own, replace(wanted, broker=[one.line]), ask)
        )
        return as_written(without_implied(faults), families())

    told = answers_of(sides, known, by_profile=one.profile is not None)
    faults = [item for item in told if is_asked(item, one.scenarios)]
    is_whole = one.engine is DEFAULT_ENGINE and not one.profile and (one.named or not every)
    near = guessed_of(found, sides, faults, proven, one.line, usual=bool(one.named)) if is_whole and faults else ()
    return Answers(
        sides=sides,
        faults=faults,
        plain=faults if one.profile else as_suffered(faults, stored),
        near=[item for item in near if is_asked(item, one.scenarios)],
        read=read,
        stored=stored,
        proven=proven,
    )
