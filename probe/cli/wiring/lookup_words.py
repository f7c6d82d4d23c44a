"""The words of a look-up that name nothing, and why nothing is known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from probe.catalogue.line_names import NamedLine, line_named
from probe.catalogue.releases import releases_of
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen
from probe.cli.wiring.catalogue import apps, families
from probe.errors import NothingJudgedError
from probe.model import Cell, Profile
from probe.model.counts import counted
from probe.model.versions import version_key

PLAIN = r"[a-z][a-z0-9-]*(@(\d[\w.+-]*|[<>=][^\s]*|latest|all|(path|jar):.*))?"
"""CLIENT@VERSION as the catalogue writes it."""
PART = re.compile(r"(?:(?<![<>~^!=])==?|[@:\s])v?(\d+(?:\.\d+)*)(?:\.[xX*])?[\"']?$")
"""A number at the end of a text that is no range; of what was pasted it may name a line of releases."""


def asked_client(text: str) -> str:
    """Return CLIENT[@VERSION] for what people paste: a purl, a line of a lock file, a coordinate, an image.

    NothingJudgedError with the nearest one that is known for a text that names no release, or no client.
    """
    name = text.partition("@")[0]
    if re.fullmatch(PLAIN, text) and (name in families() or name in apps()):
        return text
    from probe.inventory.entries import Place  # noqa: PLC0415  # a name of ours needs no table of packages
    from probe.inventory.paste_parser import UNVERSIONED, pasted  # noqa: PLC0415  # the same
    from probe.inventory.versions import NO_VERSION  # noqa: PLC0415  # the same

    found = pasted(text, Place("the command line"))
    first = next((one for one in found if one.selector), found[0])
    if first.selector:
        return first.selector
    if first.client and first.unknown in {NO_VERSION, UNVERSIONED}:
        return first.client
    number = PART.search(text.strip())
    if number and named_line(line := f"{first.client}@{number[1]}"):
        return line
    words = near(text, first.client)
    raise NothingJudgedError(f"not known: {' '.join(text.split())}: {first.unknown}; nearest is {words}")


def named_line(client: str) -> NamedLine | None:
    """Return the line of releases that CLIENT@NUMBER names; None for one release, and for what is not known."""
    return line_named(client, families(), apps())


def near(text: str, client: str) -> str:
    """Return the release that a text comes nearest to, or the newest; without a client, where all are listed.

    Of a line, such as the tag 1.31, it is the newest one.
    """
    family = families().get(client) or None
    app = None if family else apps().get(client)
    number = re.search(r"\d+(\.\d+)+", text)
    if family:
        listed = [item.version for item in family.versions]
    elif app:
        listed = [one for item in app.versions for one in (item.since, item.last)]
    else:
        return "none; `probe clients` lists what is measured"
    covered = bool(number and app and app.find(number[0]))
    newest = family.newest.version if family else listed[-1]
    return f"{client}@{_nearest(listed, number[0], is_covered=covered) if number else newest}"


def _nearest(listed: Sequence[str], number: str, *, is_covered: bool) -> str:
    """Return the newest release of a line, a release that spans cover, the newest one below a number, or the first."""
    ordered = sorted(listed, key=version_key)
    line = [one for one in ordered if one == number or one.startswith(f"{number}.")]
    below = [one for one in ordered if version_key(one) <= version_key(number)]
    return (line or ([number] if is_covered else below) or ordered[:1])[-1]


def client_or_line(text: str) -> tuple[str, NamedLine | None]:
    """Return CLIENT[@VERSION] for what people paste, or a family and the line of its releases that is asked about."""
    client = asked_client(text)
    named = named_line(client)
    return (named.family, named) if named else (client, None)


def check_scenarios(patterns: Sequence[str] | None, known: Iterable[Cell]) -> None:
    """Raise CatalogueError for a pattern that matches neither a scenario of the evidence nor one of the catalogue."""
    there = {cell.scenario for cell in known}
    if unmatched := [glob for glob in patterns or () if not any(fnmatchcase(name, glob) for name in there)]:
        select_scenarios(unmatched)


def nothing(
    client: str,
    named: NamedLine | None,
    asked: Chosen,
    known: Collection[Cell],
    evidence: Sequence[str],
    refusal: str,
) -> str:
    """Return that nothing is known, and why: by the options, or the version is not listed, or it was not run.

    `named` is the line of releases that is asked about, `refusal` says why a release cannot be asked at all.
    """
    places = ", ".join(evidence) or "no such evidence is there"
    if known:
        profiles = ", ".join(sorted({Profile.parse(cell.profile).name for cell in known}))
        there = f"there is evidence on {counted(len(known), 'cell')} of {client} ({places})"
        return f"{there}, but none with these options; its profiles are {profiles}"
    if named:
        return _none_of(named)
    family, version = asked.family, asked.client.version
    if family.find(version) is not None or "@" not in client:
        return f"nothing is known of {client} ({places}); `probe run --client {client}` measures it"
    listed = sorted((item.version for item in family.versions), key=version_key)
    key = version_key(version)
    below, above = ([one for one in listed if (version_key(one) > key) is is_above] for is_above in (False, True))
    served = releases_of(family.family)
    lacks = served.lacks(version) or served.is_older_than(version)
    why = served.no_such if lacks else refusal or "it was never measured"
    return f"nothing is known of {client} ({places}): {why}; nearest is {' or '.join([*below[-1:], *above[:1]])}"


def _none_of(named: NamedLine) -> str:
    ask = f"`probe lookup {named.name}@{[*named.releases][-1]}` says what others show of one"
    return f"{named.why}; none was measured; {ask}"
