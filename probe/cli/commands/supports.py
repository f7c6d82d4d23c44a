"""`probe supports`: what a client declares of KIPs, sends on the wire, and does in faults."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Annotated

import typer

from probe.catalogue.families import Family
from probe.catalogue.kips import Kip, kips
from probe.cells.kip_behaviour import BEHAVIOUR
from probe.cells.supports import Contradiction, Support
from probe.cli import common_options as o
from probe.cli.answers.supports import by_version, details, document, table
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.cli.laboratory import absent_packages
from probe.cli.wiring import evidence as given
from probe.cli.wiring.asked_sides import asked_sides
from probe.cli.wiring.kip_support import BACKING_OFF, supports_of
from probe.cli.wiring.line_releases import newest_release
from probe.cli.wiring.lookup_words import asked_client, named_line
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.evidence.cell_choice import Wanted
from probe.model.counts import counted
from probe.model.versions import version_key


def supports(
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT[@VERSION]",
            help="FAMILY or APPLICATION with a version, or what names one (docs/audit.md). Without a version: the "
            "newest that was measured, or with a KIP all of them.",
        ),
    ],
    kip: Annotated[str | None, typer.Argument(metavar="[KIP]", help="Number of a KIP, as 951 or KIP-951.")] = None,
    *,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/supports.json).")] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
) -> None:
    """Say which KIPs a client supports: declared, seen on the wire, and as it behaves in faults. Each yes has a cell.

    Exit code 1 if a KIP is declared and a stored trial shows that it is not so, 3 if nothing is stored of the client.
    """
    asked = asked_client(client)
    wanted = _kips(kip)
    with given.open_evidence(evidence, results, max_age) as found:
        if named := named_line(asked):
            asked = newest_release(asked, found.versions(named.family))
        one, version = _measured(found, asked)
        versions = _versions(found, one, version, every=bool(wanted))
        answers = [item for number in versions for item in _answers(found, one, number, wanted)]
        names = found.names
    if json_out:
        typer.echo(json.dumps(document(answers, asked, names), indent=1))
    else:
        typer.echo("\n".join(_lines(answers, asked, results, is_one=bool(wanted))))
    _check(asked, answers)


def _kips(text: str | None) -> tuple[Kip, ...]:
    """Return the KIP that is asked about; none = all. ProbeError for one that is not in the table."""
    if text is None:
        return ()
    number = re.fullmatch(r"(?:kip)?-?(\d+)", text.strip().lower())
    found = tuple(one for one in kips() if number and one.number == int(number[1]))
    if not found:
        known = ", ".join(str(one.number) for one in kips())
        raise ProbeError(f"supports: {text} is none of the KIPs that decide an incident; known are {known}")
    return found


def _measured(found: given.Evidence, asked: str) -> tuple[Family, str]:
    """Return the family and version that answer: the client itself, else the library inside it; no version = any."""
    sides = asked_sides(asked, "supports")
    family = sides[0].chosen.family
    if "@" not in asked and family.family == sides[0].chosen.client.family and found.versions(family.family):
        return family, ""
    for side in sides:
        chosen = side.chosen
        if chosen.client.version in found.versions(chosen.client.family):
            return chosen.family, chosen.client.version
    raise NothingJudgedError(
        f"nothing is known of {asked}: no cell of it is in {' or '.join(found.names) or 'evidence'}"
    )


def _versions(found: given.Evidence, family: Family, version: str, *, every: bool) -> Sequence[str]:
    if version:
        return (version,)
    ordered = sorted(found.versions(family.family), key=version_key)
    return ordered if every else ordered[-1:]


def _answers(found: given.Evidence, family: Family, version: str, wanted: Sequence[Kip]) -> tuple[Support, ...]:
    own = Wanted(family=[family.family], version=[version])
    stored = found.find(own, facts=True)
    compared = BEHAVIOUR[BACKING_OFF].scenarios
    needed = not wanted or any(one.number == BACKING_OFF for one in wanted)
    others = found.find(Wanted(family=[family.family], scenario=compared), facts=True) if needed else {}
    return supports_of(family, version, stored, others.values(), found.handshakes(own), wanted)


def _lines(answers: Sequence[Support], asked: str, results: str, *, is_one: bool) -> Sequence[str]:
    columns = terminal_columns()
    client = answers[0].client
    named = f"{asked} ({client})" if str(client) != asked else asked
    if is_one and len(answers) > 1:
        kip = answers[0].kip
        title = f"{asked}, {kip}: {kip.title}; a client that follows it {kip.asks}"
        return [*wrapped(title, columns, 2), *by_version(answers, columns)]
    if is_one:
        return [named, *details(answers[0], results, columns, can_run=not absent_packages())]
    more = f"`probe supports {client} KIP` has the sources, and the cells with their commands; docs/supports.md"
    return [f"{named}:", *table(answers, columns), *wrapped(more, columns, 2)]


def _check(asked: str, answers: Sequence[Support]) -> None:
    bad = [one for one in answers if one.contradiction is Contradiction.NOT_SO]
    if bad:
        named = ", ".join(dict.fromkeys(str(one.kip) for one in bad))
        raise GateError(f"{asked}: {counted(len(bad), 'answer')} {Contradiction.NOT_SO}: {named}")
