"""The bundle of a cell: of a known result, or of a client, a role and a scenario that are named."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from probe.bundle.faults import UnbundledError, fault_of
from probe.bundle.folder import LINES, Bundle
from probe.bundle.languages import ANY_PYTHON, FAMILIES, Release
from probe.bundle.promises import promise_of
from probe.catalogue.families import Family
from probe.catalogue.files import data_file
from probe.catalogue.known_results import Expectation, Known, contrasted, expected, read_known
from probe.catalogue.name_hints import client_hint
from probe.catalogue.releases import releases_of
from probe.catalogue.scenarios import select_scenarios
from probe.cells.origin import SHIPPED
from probe.cli.common_options import MAX_AGE_DAYS, RESULTS
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.lookup_words import named_line
from probe.errors import ProbeError
from probe.evidence.cell_choice import Wanted
from probe.model import Outcome, Reaction, Role, Workload
from probe.model.engines import DEFAULT_ENGINE
from probe.model.hints import did_you_mean
from probe.model.outcomes import HARD, OUTCOMES
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.release_lines import DEFAULT_LINE
from probe.model.versions import version_key

FORM = "name a known result (`probe bundle --list`), or a cell as 'sarama@VERSION producer disk/storage-error'"
RELEASE = re.compile(r"\d[\w.+-]*")
PROFILES = (DEFAULT_PROFILE, OWN_DEFAULTS)
"""Profiles that are a client's own defaults for as long as a bundle watches: no library refreshes within that time."""
VISIBLE = HARD | {Outcome.SURFACES}
"""Outcomes that an application sees: it stands still, or gets an error or a wrong record."""
Outcomes = tuple[tuple[Outcome, ...], tuple[Outcome, ...]]


@cache
def limits() -> Mapping[str, Mapping[str, str]]:
    """Return the tables of bundles.toml: `not_shown` by known result, `served_since` by family."""
    return tomllib.loads(data_file("bundles.toml").read_text(encoding="utf-8"))


def bundle_of(cell: str, against: str | None) -> Bundle:
    """Return the bundle of a known result, or of `FAMILY@VERSION ROLE SCENARIO` beside the version `against`.

    UnbundledError with the reason where no small fake can play it, ProbeError for what nobody knows.
    """
    entries = {one.id: one for one in read_known(data_file("known_results.toml"))}
    if cell in entries:
        return _of_entry(entries[cell], against)
    words = cell.split()
    if len(words) != 3 or "@" not in words[0]:
        raise ProbeError(f"bundle {cell}: {did_you_mean(cell, entries, FORM, cutoff=0.8)}")
    client, role, scenario = words
    name, _, version = client.partition("@")
    if name not in families():
        raise ProbeError(f"bundle {cell}: there is no client family {name}; {client_hint(name, [*families()])}")
    if not RELEASE.fullmatch(version):
        raise ProbeError(f"bundle {cell}: {client} is no release; {FORM}")
    if role not in tuple(Role):
        raise ProbeError(f"bundle {cell}: there is no role {role}; roles are {', '.join(Role)}")
    same = next((one for one in entries.values() if _is_cell(expected(one), client, Role(role), scenario)), None)
    if same is not None:
        return _of_entry(same, against)
    if against is None:
        raise ProbeError(f"bundle {cell}: no known result has this cell; name the version that passes with --against")
    return _bundle(client, against, Role(role), scenario, _shipped(client, against, role, scenario))


def check_releases(made: Bundle) -> None:
    """Raise ProbeError for a version that its registry lacked; one that may be newer than its list is named."""
    listed, served = families()[made.family], releases_of(made.family)
    for version in (made.bad.version, made.good.version):
        if listed.find(version) is None and served.lacks(version):
            line = named_line(f"{made.family}@{version}")
            why = f"{line.why}; name one" if line else served.no_such
            raise ProbeError(f"bundle {made.family}@{version}: {why}")
        if listed.find(version) is None and served.is_older_than(version):
            say(f"{made.family} {version} is newer than all that {served.source} had on {served.read}")


def bundled() -> Iterator[tuple[Known, Bundle | None, str]]:
    """Yield each known result of a library with its bundle, or with the reason why it has none."""
    for one in read_known(data_file("known_results.toml")):
        try:
            yield one, _of_entry(one, None), ""
        except UnbundledError as error:
            yield one, None, error.reason.removeprefix(f"{one.id}: ")


def _is_cell(one: Expectation, client: str, role: Role, scenario: str) -> bool:
    return (one.client, one.role, one.scenario, one.profile) == (client, role, scenario, DEFAULT_PROFILE)


def _of_entry(known: Known, against: str | None) -> Bundle:
    bad, good = sorted((expected(known), contrasted(known)), key=_severity, reverse=True)
    if (
        reason := limits()["not_shown"].get(known.id)
        or _beyond(bad)
        or _beyond(good)
        or _no_contrast(bad, good, against)
    ):
        raise UnbundledError(f"{known.id}: {reason}")
    version = against or good.client.partition("@")[2]
    made = _bundle(bad.client, version, bad.role, bad.scenario, (bad.claim.outcome, good.claim.outcome))
    about = f"{known.client.partition('@')[2]}: " if known.client != bad.client else ""
    return replace(made, says=f"{about}{known.says}", link=known.link)


def _severity(one: Expectation) -> int:
    """Return how bad the best of the outcomes is that a claim needs."""
    return min(OUTCOMES[outcome].severity for outcome in one.claim.needed)


def _beyond(one: Expectation) -> str:
    """Return what an expectation has that no bundle can have; empty = nothing."""
    wishes = {
        "it is about real brokers": one.engine is not DEFAULT_ENGINE,
        f"no bundle has the profile {one.profile}": one.profile not in PROFILES,
        "no bundle has settings beside the defaults": bool(one.properties) or one.election is not None,
        f"no bundle has the workload {one.workload}": one.workload is not Workload.CONTINUOUS,
        "chance decides it": one.claim.is_race,
        f"its brokers are of {one.broker}": one.broker != DEFAULT_LINE,
    }
    return next((text for text, is_so in wishes.items() if is_so), "")


def _no_contrast(bad: Expectation, good: Expectation, against: str | None) -> str:
    if against is not None:
        return ""
    same = (bad.client.partition("@")[0], bad.role, bad.scenario, bad.profile)
    other = (good.client.partition("@")[0], good.role, good.scenario, good.profile)
    if same != other or bad.client == good.client:
        return "its contrast is not another version of the library"
    if not bad.claim.needed.isdisjoint(good.claim.allowed) or VISIBLE.isdisjoint(bad.claim.outcome):
        return "its versions differ in numbers, not in what an application sees"
    return ""


def _shipped(client: str, against: str, role: str, scenario: str) -> Outcomes:
    """Return the outcomes that ship of the version that fails and of the one that passes; none where nothing ships.

    UnbundledError where they say that no bundle tells the two apart.
    """
    family, _, version = client.partition("@")
    wanted = Wanted(
        family=[family],
        version=[version, against],
        role=[role],
        scenario=[scenario],
        profile=[DEFAULT_PROFILE],
        engine=[str(DEFAULT_ENGINE)],
        broker=[DEFAULT_LINE],
        workload=[str(Workload.CONTINUOUS)],
    )
    with open_evidence([SHIPPED], RESULTS, MAX_AGE_DAYS) as evidence:
        found = {cell.version: {one.outcome for one in item.verdicts} for cell, item in evidence.find(wanted).items()}
    bad, good = (tuple(sorted(found.get(one, ()))) for one in (version, against))
    if bad and not VISIBLE.issuperset(bad):
        seen = "chance decides it" if VISIBLE & set(bad) else "an application sees nothing"
        raise UnbundledError(f"{client} {role} {scenario}: {seen}: by what ships it is {' or '.join(bad)}")
    if set(bad) & set(good):
        raise UnbundledError(f"{client} {role} {scenario}: by what ships {against} is {' or '.join(good)}, too")
    return bad, good


def _bundle(client: str, against: str, role: Role, scenario_name: str, outcomes: Outcomes = ((), ())) -> Bundle:
    """Return the bundle of a cell; `outcomes` are those of the version that fails and of the one that passes."""
    name, _, version = client.partition("@")
    if name not in FAMILIES:
        raise UnbundledError(f"{client}: no template has {name}; those with one are {', '.join(FAMILIES)}")
    if version == against:
        raise ProbeError(f"bundle {client}: {against} is compared with itself; name another version with --against")
    for one in (version, against):
        if (since := limits()["served_since"].get(name)) and version_key(one) < version_key(since):
            raise UnbundledError(f"{name}@{one}: its requests begin at versions above those of the fakes until {since}")
    scenario, *others = select_scenarios([scenario_name])
    if others:
        raise ProbeError(f"bundle {client} {role} {scenario_name}: several scenarios match, such as {scenario.name}")
    family = families()[name]
    if role not in family.roles:
        raise UnbundledError(f"{client}: {family.title} has no role {role}")
    fault = fault_of(scenario, role)
    variant = scenario.variant(role)
    expects = variant.expectation.expects if variant else Reaction.NOTHING
    made = Bundle(
        family=name,
        title=family.title,
        bad=_release(family, version),
        good=_release(family, against),
        role=role,
        scenario=scenario.name,
        story=scenario.summary,
        fault=fault,
        promise=promise_of(fault, role, *outcomes, expects),
    )
    if made.bad.package != made.good.package:
        raise UnbundledError(f"{client}: its package has another name in {against}, and one client cannot import both")
    if (lines := made.lines()) > LINES:
        raise UnbundledError(
            f"{client} {role} {scenario.name}: its folder would have {lines} lines, not {LINES} at most"
        )
    return made


def _release(family: Family, version: str) -> Release:
    """Return a version as its registry has it: a Go module may have been renamed, a wheel has a number of its own."""
    source = family.source
    listed = next((one for one in family.versions if one.version == version), None)
    artifact = listed.pinned_artifact if listed else version
    is_old = bool(source.old_until) and version_key(version) <= version_key(source.old_until)
    python = next((f"{one.python[0]}.{one.python[1:]}" for one in source.pythons if one.covers(artifact)), ANY_PYTHON)
    return Release(version, source.old_name if is_old else source.name, artifact, python)
