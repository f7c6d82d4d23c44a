"""`probe lookup`: what evidence says about a client. It runs and reads no trial."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated

import typer

from probe.catalogue.selectors import Chosen, any_line
from probe.cells import protocol_switch
from probe.cells.aggregate import SettledCell
from probe.cells.audit import TOLD, Fault, Finding
from probe.cells.audit_gate import Gates
from probe.cells.causes import is_scored, placed
from probe.cells.client_levels import client_levels, levels_by_version
from probe.cells.gate_words import DEFAULT
from probe.cells.lookup_cells import shown_profiles
from probe.cells.own_defaults import in_defaults
from probe.cells.upgrades import works
from probe.cli import common_options as o
from probe.cli.answers.decision import NAMED, note_of, on_one_screen
from probe.cli.answers.lookup import AT, Known, as_text, asked_of, counts_of, overview
from probe.cli.answers.lookup_json import as_json
from probe.cli.answers.release_line import line_text
from probe.cli.answers.short_answer import BEGINNING, in_short
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.cli.console.older_conditions import say_older
from probe.cli.laboratory import absent_packages
from probe.cli.wiring import evidence as given
from probe.cli.wiring.alternatives import asking_of
from probe.cli.wiring.lookup_reads import is_family
from probe.cli.wiring.lookup_words import check_scenarios, client_or_line, nothing
from probe.cli.wiring.lookups import Answers, Question, answers
from probe.cli.wiring.protocol_switch import near
from probe.cli.wiring.release_names import named_releases, named_targets
from probe.cli.wiring.sides import AskedClient, notes_of, used_of
from probe.errors import GateError, NothingJudgedError
from probe.model import Engine, Role
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE
from probe.model.versions import version_key
from probe.planning.reasons import too_old


def lookup(
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT[@VERSION]",
            help="FAMILY or APPLICATION with a version, or what names one: a purl, an image, a line of a lock file "
            "(docs/audit.md). A family alone lists its versions.",
        ),
    ],
    *,
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", metavar="GLOB", help="Scenario or pattern; default: all.")
    ] = None,
    role: Annotated[list[Role] | None, typer.Option("--role", metavar="ROLE", help="Role; default: all.")] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="GLOB",
            help=f"Profile as in matrix.csv, or pattern; default: {DEFAULT_PROFILE}, or the scenario's own.",
        ),
    ] = None,
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    engine: o.EngineOption = DEFAULT_ENGINE,
    workload: o.WorkloadFilter = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="List every cause with its evidence, also what passes; each finding with --scenario."
        ),
    ] = False,
    fail_on: o.FailOn = str(DEFAULT),
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/lookup.json).")] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
) -> None:
    """Look up what is known of a client, without a run: its level per role, what stops or loses work, what to do.

    Exit code 1 if work stops or records are lost in a scenario that is scored (docs/baseline.md) or named here, 3 if
    nothing is known. With --scenario, --profile or --workload, each finding is listed. A family alone, and a number
    that begins several releases (sarama@1.43), has a line per version, and does not fail.
    """
    client, named = client_or_line(client)
    gate = o.gates(fail_on, scored_only=not scenario)
    line = any_line(broker)
    with given.open_evidence(evidence, results, max_age, late=True) as found:
        question = Question(
            client=client,
            line=line,
            named=named,
            roles=role,
            engine=engine,
            workloads=workload,
            profile=profile,
            scenarios=scenario,
        )
        known = answers(found, question)
        sides, asked, faults, suffered = known.sides, known.asked, known.faults, known.suffered
        check_scenarios(scenario, known.read)
        _refuse_switch(client, asked, line, profile)
        around = near(found, asked.client, engine) if profile == CONSUMER_PROTOCOL and not named else {}
        if not faults:
            why = nothing(client, named, asked, known.read, found.names, too_old(asked, engine, line))
            switch = protocol_switch.answer(asked.client, line, (), {}, around)
            raise NothingJudgedError(f"{client}: {protocol_switch.QUESTION} {switch}" if switch else why)
        both = list({item.cell: item for item in [*suffered, *faults]}.values())
        beside = _beside(found, both, known.read.values(), results)
        levels = (
            [] if is_family(asked, client) else client_levels(asked.family, asked.client, faults, known.proven, line)
        )
        asking = asking_of(found, sides, suffered, beside, levels)
        where, columns = f"broker line {line}, {engine} engine, {shown_profiles(profile, faults)}", terminal_columns()
        if json_out:
            lines = [as_json(_about(client, asked, line, engine), suffered, beside, levels)]
        elif named:
            by_version = levels_by_version(asked, faults, known.proven, line)
            lines = [*line_text(named, where, known.guessed, by_version, beside, columns)]
        elif is_family(asked, client):
            lines = _overviews(f"{client} on {where}", faults, columns)
        elif everything or scenario or profile or workload:
            heads = [
                *_heads(client, sides, both, f"{where}: {counts_of(both)}", columns),
                *_switch(known, line, around, columns),
                *_note(faults, both, columns),
            ]
            folds = everything and not scenario
            lines = [*heads, *as_text(both, beside, everything=everything, columns=columns, folded=folds)]
        else:
            heads = _heads(client, sides, faults, f"{where}: {asked_of(faults)}", columns)
            heads += _short(in_short(known.guessed, levels, beside, asking), columns)
            lines = on_one_screen(heads, suffered, levels, beside, columns, asking)
    typer.echo("\n".join(lines))
    _say_of(faults)
    _check(client, known.plain, None if is_family(asked, client) else gate)


def _beside(found: given.Evidence, both: Iterable[Fault], read: Collection[SettledCell], results: str) -> Known:
    """Return what is known beside the findings that name a fault: later versions, and all that was read."""
    seen = [item.evidence for item in both if item.finding in TOLD and item.evidence is not None]
    bad = {item.cell: item for item in seen}
    every = [item.evidence for item in both if item.evidence is not None and is_scored(item)]
    good = [one for one in every if one.cell not in bad and works(one)]
    cells = [*bad, *(one.cell for one in good)]
    later = found.later([*cells, *filter(None, map(in_defaults, cells))], any_profile=False) if bad else {}
    known = Known.of(bad.values(), later.values(), read, good=good, results=results, can_run=not absent_packages())
    passing, mending = named_releases(known.passing), named_releases(known.mending)
    return replace(known, passing=passing, mending=mending, targets=named_targets(known.targets))


def _refuse_switch(client: str, asked: Chosen, line: str, profile: str | None) -> None:
    if profile != CONSUMER_PROTOCOL or is_family(asked, client):
        return
    if why := protocol_switch.hindrance(asked.family, asked.client.version, line):
        raise NothingJudgedError(f"{client}: {protocol_switch.QUESTION} no: {why}")


def _switch(known: Answers, line: str, around: protocol_switch.Near, columns: int) -> list[str]:
    answer = protocol_switch.answer(known.asked.client, line, known.faults, known.stored, around)
    return wrapped(f"{protocol_switch.QUESTION} {answer}", columns, 2) if answer else []


def _note(faults: Sequence[Fault], both: Sequence[Fault], columns: int) -> list[str]:
    """Say of which profiles the findings are, where those of the library's defaults stand beside the usual ones."""
    return wrapped(note_of(both), columns, 2) if len(both) > len(faults) else []


def _say_of(faults: Iterable[Fault]) -> None:
    """Say which answers evidence disagrees on, and which rest on older conditions."""
    known = [item for item in faults if item.evidence is not None]
    given.say_differing([item.evidence for item in known if item.evidence is not None])
    older = {item.cell for item in known if item.evidence is not None and not item.evidence.is_current}
    say_older(older, "they count here as well")


def _about(client: str, asked: Chosen, line: str, engine: Engine) -> dict[str, str]:
    """Return what is asked, for JSON."""
    meant = asked.client.family if is_family(asked, client) else str(asked.client)
    return {"client": client, "stands_for": meant, "broker": line, "engine": str(engine)}


def _heads(client: str, sides: Sequence[AskedClient], faults: Sequence[Fault], about: str, columns: int) -> list[str]:
    """Return what was asked and what answered, and what is to be known of that."""
    used = used_of(sides, faults)
    driven = f" ({'; '.join(used)})" if used != [client] else ""
    texts = [f"{client}{driven} on {about}", *notes_of(sides, faults)]
    return [line for text in texts for line in wrapped(text, columns, 2)]


def _short(answer: str, columns: int) -> list[str]:
    return wrapped(f"{BEGINNING}{answer}", columns, 2) if answer else []


def _overviews(title: str, faults: Sequence[Fault], columns: int) -> list[str]:
    lines = wrapped(f"{title}:", columns, 2)
    ordered = sorted(faults, key=lambda item: version_key(item.cell.version))
    for version, mine in groupby(ordered, key=lambda item: item.cell.version):
        lines += wrapped(overview(version, list(mine)), columns, AT)
    return lines


def _check(client: str, faults: Sequence[Fault], gate: Gates | None) -> None:
    bad = gate.those(faults) if gate is not None else []
    if bad:
        harms = sorted({item.harm.rank for item in bad if item.harm is not None}, reverse=True)
        raise GateError(f"{client}: {', '.join(harm.word for harm in harms)} in {placed(bad, NAMED)}")
    if all(item.finding is Finding.UNKNOWN for item in faults):
        raise NothingJudgedError(f"nothing is known of {client} here; the lines above say why")
