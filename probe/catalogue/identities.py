"""One identity per application: the family that drives it, and the library inside it with its settings.

By the name of either one gets both, so that look-ups and audits answer from the application's own cells first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probe.catalogue.families import Family, Version
from probe.catalogue.selectors import LOCAL, Chosen, Resolver, select_clients
from probe.model import Client
from probe.model.versions import VersionKey, is_commit, line_of, release_key

if TYPE_CHECKING:
    from probe.catalogue.apps import App

NEWEST = "latest"


@dataclass(frozen=True, slots=True)
class Identity:
    """The meaning of one name and version; at least one of both is there."""

    itself: Chosen | None
    """The client as a family of its own: a library, or an application that is driven itself. None = none drives it."""
    library: Chosen | None = None
    """The library inside an application or wrapper, with its settings. None = it is none, or the library is unknown."""
    relative: Chosen | None = None
    """The nearest listed one of an application that is driven itself, with the same version of the library inside."""
    stands_for: bool = False
    """Whether the relative is what is measured for this release, which no registry serves (`Inside.measured`)."""

    @property
    def first(self) -> Chosen:
        """Return the client itself; the library inside it where nobody drives it."""
        found = self.itself or self.library
        assert found is not None
        return found

    @property
    def measurable(self) -> Client | None:
        """Return the client itself if a run can measure it."""
        return self.itself.client if self.itself and self.is_obtainable else None

    @property
    def is_obtainable(self) -> bool:
        """Whether the client itself can be obtained as far as is known: its family lists a version of its line."""
        return self.itself is not None and lists_line(self.itself)


def lists_line(one: Chosen) -> bool:
    """Return whether the family of a client lists a version of its line."""
    line = line_of(one.version.version)
    return any(line_of(item.version) == line for item in one.family.versions)


def identify(
    families: Mapping[str, Family], selector: str, resolve: Resolver, apps: Mapping[str, App] | None = None
) -> Identity:
    """Return what CLIENT@VERSION stands for. CatalogueError for an unknown name, or a version with unknown contents."""
    name, _, version = selector.partition("@")
    driven = family_of(name, families, apps)
    if not driven:
        (chosen, *_) = select_clients(families, [selector], resolve, apps)
        return Identity(None, chosen) if chosen.application is not None else Identity(chosen)
    if name not in families and version in {"", NEWEST}:
        version = _newest(name, apps or {})
    (itself, *_) = select_clients(families, [f"{driven}@{version or NEWEST}"], resolve)
    library = None if version.startswith(LOCAL) else _library(name, itself, families, resolve, apps or {})
    if library is None and not _is_known(name, itself, families):
        select_clients(families, [selector], resolve, apps)  # which says what is known of the application
    measured = _measured(itself, library) if library else None
    relative = measured or (_relative(itself, library) if library else None)
    return Identity(itself, library, relative, stands_for=measured is not None)


def _newest(name: str, apps: Mapping[str, App]) -> str:
    """Return the newest version of an application whose library is known."""
    from probe.catalogue.apps import versions_of  # noqa: PLC0415  # libraries need no models of it

    return versions_of(apps[name], NEWEST)[-1]


def _is_known(name: str, itself: Chosen, families: Mapping[str, Family]) -> bool:
    return name in families or itself.family.find(itself.version.version) is not None


def family_of(name: str, families: Mapping[str, Family], apps: Mapping[str, App] | None) -> str:
    """Return the family that drives an application itself, by any of its names; empty for a library, or if none."""
    if name in families:
        return name if any(item.library for item in families[name].versions) else ""
    app = (apps or {}).get(name)
    return app.driven_by if app is not None and app.driven_by in families else ""


def compared_as(
    name: str, versions: Collection[str], families: Mapping[str, Family], apps: Mapping[str, App]
) -> tuple[str, App | None]:
    """Return the family, and for a library inside the application, as which versions of a client are compared.

    An application itself where its family lists all of the versions; else the library inside, where it is known of all.
    """
    driven = family_of(name, families, apps)
    if not driven:
        app = None if name in families else apps.get(name)
        return (app.family, app) if app else (name, None)
    if _lists(families[driven], versions):
        return driven, None
    for app in _by_any_name(name, driven, apps):
        if all(app.find(version) for version in versions):
            return app.family, app
    own = apps.get(name)
    return (own.family, own) if own and name not in families else (driven, None)


def measured_for(
    name: str, versions: Sequence[str], families: Mapping[str, Family], apps: Mapping[str, App]
) -> tuple[str, ...]:
    """Return what is measured of an application itself for each of its releases, by name; empty if a release has none.

    A listed release is measured itself, another one by the commit that stands for it (`Inside.measured`).
    """
    driven = family_of(name, families, apps)
    app = apps.get(name)
    if not driven or app is None or name in families:
        return ()
    found = tuple((inside.measured if (inside := app.find(one)) else "") or one for one in versions)
    return found if _lists(families[driven], found) and len(set(found)) == len(found) else ()


def _lists(family: Family, versions: Collection[str]) -> bool:
    return set(versions) <= {item.version for item in family.versions}


def _library(
    name: str, itself: Chosen, families: Mapping[str, Family], resolve: Resolver, apps: Mapping[str, App]
) -> Chosen | None:
    """Return the library inside an application that is driven; None if it is not known."""
    from probe.catalogue.apps import Application  # noqa: PLC0415  # libraries need no models of it

    version = itself.version.version
    for app in _by_any_name(name, itself.family.family, apps):
        inside = app.find(version)
        pinned = itself.version.library
        number = inside.library if inside else pinned.version if pinned and pinned.family == app.family else ""
        if number:
            family = families[app.family]
            return Chosen(family, family.find(number) or resolve(family, number), Application(app, version))
    return None


def _measured(itself: Chosen, library: Chosen) -> Chosen | None:
    """Return the version that is measured for a release that no registry serves; None if there is none."""
    one = library.application
    inside = one.app.find(one.version) if one else None
    found = itself.family.find(inside.measured) if inside and inside.measured else None
    return Chosen(itself.family, found) if found else None


def _relative(itself: Chosen, library: Chosen) -> Chosen | None:
    """Return the nearest other listed release with a library inside: the newest before, else the oldest after."""
    own = release_key(itself.version.version)
    inside = library.client
    same = [
        item
        for item in itself.family.versions
        if item.library and (item.library.family, item.library.version) == (inside.family, inside.version)
        if not is_commit(item.version)
    ]
    before = [item for item in same if release_key(item.version) < own]
    after = [item for item in same if release_key(item.version) > own]
    nearest = max(before, key=_key) if before else min(after, key=_key) if after else None
    return Chosen(itself.family, nearest) if nearest else None


def _key(version: Version) -> VersionKey:
    return release_key(version.version)


def _by_any_name(name: str, driven_by: str, apps: Mapping[str, App]) -> Iterator[App]:
    """Yield the entries of one application, the named one first: its library may have changed."""
    own = apps.get(name)
    if own is not None:
        yield own
    yield from (app for app in driven_as(driven_by, apps) if app is not own)


def driven_as(family: str, apps: Mapping[str, App]) -> Collection[App]:
    """Return the entries of the application that a family drives, each once."""
    return {app.name: app for app in apps.values() if app.driven_by == family}.values()
