"""Names under which people find the clients of evidence, for the site of evidence."""

from __future__ import annotations

from probe.catalogue.apps import App, listed
from probe.catalogue.package_table import package_table
from probe.cli.wiring.catalogue import apps, families
from probe.site.known.values import Alias


def aliases() -> list[Alias]:
    """Return the names under which people find the families: their packages, applications, and wrappers."""
    inside_of = {app.name: app for app in listed(apps())}
    named = {(name, row.client) for row in package_table().packages if row.client for name in row.names}
    jars = {name.partition(":")[2]: client for name, client in named if _is_jar(name)}
    named |= {(name, client) for name, client in jars.items() if name not in families()}
    named |= {(name, name) for name in families()}
    named |= {(name, app.name) for app in inside_of.values() for name in (app.name, *app.names)}
    return [one for name, client in sorted(named) if (one := _alias(name, client, inside_of.get(client))) is not None]


def _is_jar(name: str) -> bool:
    """Return whether a package has the name of a Maven coordinate, whose second part is the name of a file."""
    group, _, artifact = name.partition(":")
    return bool(artifact) and "." in group


def _alias(name: str, client: str, app: App | None) -> Alias | None:
    if client in families():
        return Alias(name=name, family=client, spans=_artifacts(client))
    if app is None:
        return None
    spans = tuple((one.since, one.last, one.library, one.measured) for one in app.versions) or _artifacts(app.family)
    driven = app.driven_by if app.driven_by in families() else app.family
    return Alias(name=name, family=driven, library=app.family, spans=spans)


def _artifacts(family: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return the packages of a family whose number is not that of the library."""
    versions = families()[family].versions
    numbers = {one.version for one in versions}
    return tuple(
        (one.pinned_artifact, one.pinned_artifact, one.version, "")
        for one in versions
        if one.pinned_artifact not in numbers
    )
