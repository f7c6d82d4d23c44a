"""`probe clients` and `probe scenarios`: what there is, with descriptions."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from probe.catalogue.families import Family, version_key
from probe.catalogue.scenarios import default_scenarios
from probe.cli.compose import families, is_installed
from probe.cli.console import OUT
from probe.scenarios.scenario import Scenario


def clients(
    *, as_json: Annotated[bool, typer.Option("--json", help="Machine readable (docs/schema/clients.json).")] = False
) -> None:
    """List client families, their versions, roles and profiles."""
    known = families()
    if as_json:
        typer.echo(json.dumps({"clients": [_family(item) for item in known.values()]}, indent=1))
        return
    for item in known.values():
        OUT.print(f"{item.family}: {item.title}. {item.about}", markup=False)
        OUT.print(f"  roles: {', '.join(item.roles)}; profiles: {', '.join(item.profiles)}", markup=False)
        OUT.print(f"  core: {', '.join(item.core)}", markup=False)
        versions = sorted(item.versions, key=lambda one: version_key(one.version))
        OUT.print("  versions: " + ", ".join(one.version for one in versions), markup=False)


def _family(item: Family) -> dict[str, object]:
    return {
        "family": item.family,
        "versions": [
            {"version": one.version, "released": one.released, "installed": is_installed(item, one)}
            for one in sorted(item.versions, key=lambda one: version_key(one.version))
        ],
        "roles": list(item.roles),
        "profiles": list(item.profiles),
    }


def scenarios(*, as_json: Annotated[bool, typer.Option("--json", help="Machine readable.")] = False) -> None:
    """List the scenarios of the default catalogue; any protocol error name works in answer/, hold/ and blip/."""
    if as_json:
        typer.echo(json.dumps({"scenarios": [_scenario(item) for item in default_scenarios().values()]}, indent=1))
        return
    for item in default_scenarios().values():
        OUT.print(f"{item.name}  ({', '.join(item.roles)})", markup=False)
        OUT.print(f"    {item.summary}", markup=False)


def _scenario(item: Scenario) -> dict[str, object]:
    return {
        "scenario": item.name,
        "summary": item.summary,
        "story": item.story.strip(),
        "engines": list(item.engines),
        "roles": {
            str(role): {
                "kind": part.play.kind,
                "expects": part.play.expects,
                "target": part.play.target,
                "conforms": list(part.play.conforms),
                "watch_ms": part.play.watch_ms,
            }
            for role in item.roles
            if (part := item.part(role)) is not None
        },
    }
