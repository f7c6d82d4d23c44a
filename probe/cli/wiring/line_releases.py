"""The releases that a line, such as `sarama@1.43`, means for commands that work on one release or on a span of them.

A line to go to means its newest release, which is named in a line of output. Which release of a line runs now only
the caller knows, so a line of several is refused there, with its releases. `probe lookup` and `audit` have answers of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from probe.catalogue.line_names import NamedLine
from probe.catalogue.releases import releases_of
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import PROGRAM
from probe.cli.wiring.lookup_words import asked_client, named_line
from probe.errors import NothingJudgedError, ProbeError

SHOWN = 8
"""Releases of a line that an error names; of a longer one the newest."""


def pasted_client(text: str) -> str:
    """Return CLIENT[@VERSION] for what people paste; a text that names none is left to the command that reads it."""
    if text.startswith(PROGRAM):
        return text
    try:
        return asked_client(text)
    except NothingJudgedError:
        return text


def newest_release(client: str, measured: Collection[str] = ()) -> str:
    """Return CLIENT@RELEASE for a line, its newest one, and say so; anything else as it is.

    With the versions that are measured, the newest one of these, if the line has one.
    """
    named = named_line(client)
    if named is None:
        return client
    number = newest_of(named, measured)
    last = newest_of(named)
    which = "the newest" if number == last else f"the newest that is measured; {last} is not"
    say(f"{named.why}; {number} is taken, {which}" if len(named.releases) > 1 else f"{named.why}, which is taken")
    return f"{named.name}@{number}"


def newest_of(named: NamedLine, measured: Collection[str] = ()) -> str:
    """Return the newest release of a line that was not taken back, of the measured ones if there are any."""
    withdrawn = releases_of(named.family).withdrawn
    served = [number for number, version in named.releases.items() if version not in withdrawn]
    known = [number for number in served if named.releases[number] in measured]
    return (known or served or [*named.releases])[-1]


def compared_releases(name: str, old: str, new: str, measured: Callable[[str], Collection[str]]) -> tuple[str, str]:
    """Return the releases of a client that an upgrade from one to the other compares.

    Of a line the newest measured one is what people go to. ProbeError for a line of several releases to start from:
    only who asks knows which one runs. `measured` returns the versions of a family that are.
    """
    lines = [named_line(f"{name}@{number}") for number in (old, new)]
    known = next((measured(one.family) for one in lines if one is not None), ())
    to = newest_release(f"{name}@{new}", known).partition("@")[2]
    start = lines[0]
    if start is not None and len(start.releases) > 1:
        example = f"probe advise {name} {newest_of(start, known)} {to}"
        raise ProbeError(
            f"{start.why}, {_measured(start, known)}; name the one that runs, such as `{example}`; "
            f"`probe lookup {name}@{start.number}` says how they differ"
        )
    return newest_release(f"{name}@{old}", known).partition("@")[2], to


def _measured(named: NamedLine, versions: Collection[str]) -> str:
    known = [number for number, version in named.releases.items() if version in versions]
    if len(known) == len(named.releases):
        return "all measured"
    rest = f" and {len(known) - SHOWN} older ones" if len(known) > SHOWN else ""
    return f"measured are {', '.join(known[-SHOWN:])}{rest}" if known else "none of them measured"


def releases_within(clients: Sequence[str]) -> tuple[str, ...]:
    """Return clients, each line as all its releases."""
    found = [(client, named_line(client)) for client in clients]
    return tuple(
        one
        for client, named in found
        for one in ([f"{named.family}@{version}" for version in named.releases.values()] if named else [client])
    )


def span_of(client: str, oldest: str | None, newest: str | None) -> tuple[str, str | None, str | None]:
    """Return the client without a line, and the bounds: of a line its ends, each bound that is a line as its end."""
    named = named_line(client)
    if named is not None:
        client, numbers = named.name, [*named.releases]
        oldest, newest = oldest or numbers[0], newest or numbers[-1]
        say(f"{named.why}; they are the bounds, where --from and --to name none")
    return client, _end(client, oldest, "--from", 0), _end(client, newest, "--to", -1)


def _end(client: str, number: str | None, option: str, place: int) -> str | None:
    named = named_line(f"{client}@{number}") if number else None
    if named is None:
        return number
    found = [*named.releases][place]
    say(f"{option} {number}: {named.why}; {found} is the bound")
    return found
