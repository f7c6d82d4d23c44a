"""`probe clients` and `probe scenarios`: the catalogue with descriptions."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from probe.catalogue.apps import App, listed
from probe.catalogue.families import Family
from probe.catalogue.releases import releases_of
from probe.catalogue.scenarios import default_scenarios
from probe.catalogue.workloads import listed as listed_pairs
from probe.catalogue.workloads import listed_workloads, workloads_of
from probe.cli import common_options as o
from probe.cli.answers.released import released_json, released_lines
from probe.cli.console.streams import OUT
from probe.cli.wiring.catalogue import apps, families, is_installed
from probe.model import Workload
from probe.model.versions import version_key
from probe.scenarios.scenario import Scenario


def clients(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/clients.json).")] = False,
    released: Annotated[
        bool, typer.Option("--released", help="List the releases that registries serve and that no evidence has.")
    ] = False,
    evidence: o.Evidence = None,
    results: o.Results = o.RESULTS,
) -> None:
    """List the clients with versions, roles and profiles, and the applications and wrappers that stand for one.

    With --released, the releases of each that were not measured, with dates and what was taken back.
    """
    if released:
        _released(evidence, results, as_json=as_json)
        return
    known = families()
    if as_json:
        data = {
            "clients": [_family(item) for item in known.values()],
            "applications": [_app(item) for item in listed(apps())],
        }
        typer.echo(json.dumps(data, indent=1))
        return
    for item in known.values():
        OUT.print(f"{item.family}: {item.title}. {item.about}", markup=False)
        OUT.print(f"  roles: {', '.join(item.roles)}; profiles: {', '.join(item.playable)}", markup=False)
        OUT.print(f"  workloads: {_served(item)}", markup=False)
        if item.core:
            OUT.print(f"  core: {', '.join(item.core)}", markup=False)
        versions = sorted(item.versions, key=lambda one: version_key(one.version))
        OUT.print("  versions: " + ", ".join(one.version for one in versions), markup=False)
    for app in listed(apps()):
        OUT.print(f"{app.name}: {app.title}. {_kind(app)}", markup=False)
        inside = ", ".join(f"{one.span} = {one.library}" for one in app.versions)
        OUT.print(f"  versions: {inside}", markup=False)
        OUT.print(f"  source: {app.source or 'per version, see --json'}", markup=False)


def _released(evidence: list[str] | None, results: str, *, as_json: bool) -> None:
    from probe.cli.wiring.evidence import open_evidence  # noqa: PLC0415  # the list of clients needs none

    with open_evidence(evidence, results, o.MAX_AGE_DAYS) as found:
        listed_ones = [(name, releases_of(name), found.versions(name)) for name in families() if releases_of(name).read]
    if as_json:
        rows = [released_json(name, releases, measured) for name, releases, measured in listed_ones]
        typer.echo(json.dumps({"released": rows}, indent=1))
        return
    for name, releases, measured in listed_ones:
        for line in released_lines(name, releases, measured):
            typer.echo(line)


def _served(family: Family) -> str:
    """Return the workloads of a family, each with its roles where not every role has it."""
    every = tuple(family.roles)
    served = workloads_of(family).items()
    return ", ".join(str(one) if roles == every else f"{one} ({', '.join(roles)})" for one, roles in served)


def _kind(app: App) -> str:
    if app.kind == "wrapper":
        return f"A wrapper: looked up as {app.family}"
    roles = f" ({', '.join(app.roles)})" if app.roles else ""
    return f"An application: driven as {app.family} with its settings{roles}"


def _app(app: App) -> dict[str, object]:
    return {
        "name": app.name,
        "names": list(app.names),
        "kind": app.kind,
        "family": app.family,
        "roles": list(app.roles),
        "versions": [
            {
                "since": one.since,
                "until": one.last,
                "library": one.library,
                "source": one.source or app.source,
                "note": one.note,
            }
            for one in app.versions
        ],
        "settings": [
            {
                "since": one.since or "",
                "until": one.until or "",
                "roles": list(one.roles),
                "properties": dict(one.properties),
                "not_set": dict(one.not_set),
                "source": one.source,
            }
            for one in app.settings
        ],
    }


def _family(item: Family) -> dict[str, object]:
    return {
        "family": item.family,
        "versions": [
            {"version": one.version, "released": one.released, "installed": is_installed(item, one)}
            for one in sorted(item.versions, key=lambda one: version_key(one.version))
        ],
        "roles": list(item.roles),
        "profiles": list(item.playable),
        "workloads": {str(one): list(roles) for one, roles in workloads_of(item).items()},
    }


def scenarios(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/scenarios.json).")] = False
) -> None:
    """List the scenarios. Any Kafka error can also be run by name, as in blip/produce/UNKNOWN_SERVER_ERROR."""
    if as_json:
        typer.echo(json.dumps({"scenarios": [_scenario(item) for item in default_scenarios().values()]}, indent=1))
        return
    for item in default_scenarios().values():
        OUT.print(f"{item.name}  ({', '.join(item.roles)})", markup=False)
        OUT.print(f"    {item.summary}", markup=False)
        if entry := listed_pairs().get(item.name):
            OUT.print(f"    also {', '.join(entry.workloads)}", markup=False)


def _workloads(item: Scenario) -> dict[str, list[str]]:
    """Return the workloads in the default catalogue, by role."""
    return {str(role): [Workload.CONTINUOUS, *listed_workloads(item.name, role)] for role in item.roles}


def _scenario(item: Scenario) -> dict[str, object]:
    return {
        "scenario": item.name,
        "summary": item.summary,
        "story": item.story.strip(),
        "engines": list(item.engines),
        "workloads": _workloads(item),
        "roles": {
            str(role): {
                "kind": part.expectation.kind,
                "expects": part.expectation.expects,
                "target": part.expectation.target,
                "conforms": list(part.expectation.conforms),
                "watch_ms": part.expectation.watch_ms,
            }
            for role in item.roles
            if (part := item.variant(role)) is not None
        },
    }
