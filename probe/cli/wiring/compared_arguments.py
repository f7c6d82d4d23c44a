"""The arguments of `probe advise`: which two versions, or which two release lines, are compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from probe.catalogue.families import CatalogueError
from probe.catalogue.identities import compared_as, family_of, measured_for
from probe.catalogue.name_hints import client_hint
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import any_line, select_profiles
from probe.cli.common_options import DEFAULT_BROKER
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.comparisons import Asked, Change, Filter
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.line_releases import compared_releases, pasted_client, releases_within
from probe.cli.wiring.neighbours import every_version
from probe.errors import ProbeError
from probe.model import Engine, Profile, Role

NUMBER = re.compile(r"v?\d[\w.+-]*")
USAGE = (
    "write `probe advise FAMILY FROM TO`, `probe advise FAMILY` for all its neighbouring versions, or `probe advise "
    "--broker FROM TO [FAMILY[@VERSION]...]`"
)


def plain(what: Sequence[str], broker: str | None, measured: Callable[[str], Collection[str]]) -> list[str]:
    """Return the arguments in the plain form, for what people paste and for lines of releases.

    `measured` returns the versions of a family that are measured. ProbeError for a line to start from.
    """
    words = [one.removeprefix("v") if NUMBER.fullmatch(one) else pasted_client(one) for one in what]
    numbers = [one for one in words if NUMBER.fullmatch(one)]
    clients = [one for one in words if one not in numbers]
    if broker is not None and len(numbers) == 1:
        return [*numbers, *releases_within(clients)]
    names = {one.partition("@")[0] for one in clients}
    sides = [*(one.partition("@")[2] for one in clients if "@" in one), *numbers]
    if len(names) != 1 or len(sides) != 2:
        return words
    (name,) = names
    return [name, *compared_releases(name, sides[0], sides[1], measured)]


def measured_in(
    evidence: Sequence[str] | None, results: str, max_age: int, engine: Engine, broker: str | None
) -> Callable[[str], Collection[str]]:
    """Return a function that reads which versions of a family have cells on a line of an engine."""

    def measured(family: str) -> Collection[str]:
        with open_evidence(evidence, results, max_age) as found:
            return found.counts(family, str(engine), any_line(broker or DEFAULT_BROKER))

    return measured


def understand(what: Sequence[str], broker: str | None) -> Change:
    """Parse the arguments: a family and two versions, or one line after `--broker LINE`. ProbeError for others."""
    numbers = [item for item in what if NUMBER.fullmatch(item)]
    names = tuple(item for item in what if item not in numbers)
    if len(numbers) == 2 and len(names) == 1 and "@" not in names[0]:
        return _of_versions(names[0], *numbers)
    if not numbers and len(names) == 1 and names[0] in families():
        return every_version(names[0])
    if broker is not None and len(numbers) == 1:
        return Change("broker", any_line(broker), any_line(numbers[0]), names)
    raise ProbeError(f"advise {' '.join(what)}: {USAGE}")


def _of_versions(name: str, old: str, new: str) -> Change:
    if measured := measured_for(name, (old, new), families(), apps()):
        asked = Asked(name, old, new) if measured != (old, new) else None
        return Change("version", measured[0], measured[1], (family_of(name, families(), apps()),), asked=asked)
    family, app = compared_as(name, (old, new), families(), apps())
    return Change("version", old, new, (family,), app)


def check_names(change: Change, wanted: Filter) -> None:
    """Raise CatalogueError or ProbeError for an unknown name, or for two equal sides."""
    for name in change.clients:
        family = name.partition("@")[0]
        if family not in families():
            hint = client_hint(family, [*families()], apps())
            raise CatalogueError(f"advise {name}: there is no client family {family}; {hint}")
    select_profiles([Profile.parse(name).name for name in wanted.profiles], (), None)
    select_scenarios(wanted.scenarios)
    if change.old == change.new:
        raise ProbeError(f"advise: {change.column} {change.old} is compared with itself; name two different ones")
    if change.app and all(_same(change, role, name) for role in Role for name in wanted.profiles):
        inside = f"{change.app.family} {change.library(change.old)}"
        raise ProbeError(
            f"advise {change.app.name}: {change.old} and {change.new} both have {inside} with the same settings; "
            "name other versions"
        )


def _same(change: Change, role: Role, name: str) -> bool:
    old, new = ((change.library(side), change.profile(side, role, name)) for side in (change.old, change.new))
    return old == new
