"""Applications and wrappers, the library inside each version, and their settings: the entries of apps.toml.

An application is driven as its library with the application's own settings, in the application's roles. A wrapper sets
nothing: it stands for the library inside it. One that is driven as well is a family with a name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from probe.catalogue.families import CatalogueError, Span
from probe.catalogue.name_hints import client_hint
from probe.model import Profile, Role
from probe.model.versions import release_key, version_key

LINE = re.compile(r"\d+(\.\d+)?")
"""The beginning of several releases' numbers, such as 8.16: a release has three numbers or more."""
NAMED_CHANGES = 3
"""Changes of the library inside that are named one by one."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Inside(_Strict):
    """The library inside one version of the application, or inside a span of versions."""

    since: str
    until: str = ""
    """Last version; empty = `since` alone. Both ends are confirmed; versions in between follow from them."""
    library: str
    """Version that the library reports."""
    source: str = ""
    """Source of the library's version; empty = the application's own `source` for these versions."""
    measured: str = ""
    """Version of `driven_by` that is measured for releases that no registry serves: a commit with the same library."""
    note: str = ""

    @property
    def last(self) -> str:
        """Return the newest version of the span."""
        return self.until or self.since

    @property
    def span(self) -> str:
        """Return the versions as text."""
        return f"{self.since} to {self.until}" if self.until else self.since

    def covers(self, version: str) -> bool:
        """Return whether a release lies within."""
        is_within = release_key(self.since) <= release_key(version) <= release_key(self.last)
        return is_within and not LINE.fullmatch(version)


class Settings(Span):
    """Default settings of the application that differ from the library's own defaults."""

    roles: tuple[Role, ...] = Field(min_length=1)
    properties: Mapping[str, str] = {}
    """With the library's own keys, as `--property` accepts them."""
    not_set: Mapping[str, str] = {}
    """Settings that no driver can make or that are irrelevant here, each with its reason."""
    source: str

    @model_validator(mode="after")
    def _fits_a_column(self) -> Settings:
        odd = [key for key, value in self.properties.items() if "=" in key or not value]
        if odd:
            raise ValueError(f"the property {odd[0]} is not KEY=VALUE")
        return self


class App(_Strict):
    """An application or a wrapper, in all confirmed versions."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    kind: Literal["application", "wrapper"]
    family: str
    driven_by: str = ""
    """Family that drives the application itself, by the application's own versions; empty = none does."""
    names: tuple[str, ...] = ()
    """Other names of it, such as its software name in ApiVersions requests (KIP-511)."""
    roles: tuple[Role, ...] = ()
    """Roles of the application; empty = all of its family."""
    source: str = ""
    """Source of the library's version, with the placeholder {version}."""
    artifacts: bool = False
    """Its versions are those of its family's artifacts, listed or not."""
    library: str = ""
    """Expression for a version that names the library's in its group `library`; empty = none does."""
    versions: tuple[Inside, ...] = ()
    versions_in: str = ""
    """File beside this one with further `versions`, which a program writes; empty = none."""
    settings: tuple[Settings, ...] = ()
    note: str = ""

    @model_validator(mode="after")
    def _has_sources(self) -> App:
        bare = [item.span for item in self.versions if not (item.source or self.source)]
        if bare:
            raise ValueError(f"{self.name} {bare[0]} has no source")
        if not self.artifacts and not self.versions:
            raise ValueError(f"{self.name} lists no version")
        if self.kind == "wrapper" and self.settings:
            raise ValueError(f"{self.name} is a wrapper, which sets nothing")
        return self

    @property
    def is_proven_by_library(self) -> bool:
        """Whether what the library does is what this does: a wrapper that sets nothing, and that nobody drives itself.

        Of the cells in which shipped evidence has both, a library that fails was inside an application or wrapper that
        does not in 173 of 365, and one that passes inside one that fails in 95 of 1,182.
        """
        return self.kind == "wrapper" and not self.driven_by

    def find(self, version: str) -> Inside | None:
        """Return the entry that covers a version, or what the version itself names; None if neither does."""
        named = re.fullmatch(self.library, version) if self.library else None
        own = Inside(since=version, library=named["library"], source=self.source) if named else None
        return next((item for item in self.versions if item.covers(version)), own)

    def inside(self, version: str) -> Inside:
        """Return the entry that covers a version; CatalogueError names the nearest ones."""
        found = self.find(version)
        if found is None and (line := self._in_line(version)):
            inside = " and ".join(f"{item.span} ({self.family} {item.library})" for item in line)
            ends = [end for item in line for end in (item.since, item.last)]
            are = "are" if all(end.startswith(f"{version}.") for end in ends) else "lie in"
            why = f"{version} names no release; its releases {are} {inside}; name one of those"
            raise CatalogueError(f"--client {self.name}@{version}: {why}")
        if found is None:
            raise CatalogueError(
                f"--client {self.name}@{version}: the library inside it is not known; {self._nearest(version)}; "
                f"name one of those, or {self.family}@VERSION (of `probe run` with --property)"
            )
        return found

    def _in_line(self, text: str) -> list[Inside]:
        """Return the releases of a line, such as `8.14`."""
        is_line = LINE.fullmatch(text) is not None
        first = f"{text}.0"
        return [one for one in self.versions if is_line and (one.since.startswith(first[:-1]) or one.covers(first))]

    def release_with(self, library: str, after: str) -> Inside | None:
        """Return the first release later than one that has a version of the library or a newer one; None = none."""
        later = [item for item in self.versions if release_key(item.last) > release_key(after)]
        enough = [item for item in later if version_key(item.library) >= version_key(library)]
        return min(enough, key=lambda item: release_key(item.since), default=None)

    def words_of(self, library: str, after: str) -> str:
        """Return a version of the library as who runs a release installs it: `filebeat 9.0.0 with sarama 1.43.3`."""
        if not self.versions:
            return f"{self.family} {library}"
        found = self.release_with(library, after)
        if found is None:
            return f"{self.family} {library} (no {self.name} is known to have it)"
        return f"{self.name} {found.since} with {self.family} {found.library}"

    def later_releases(self, version: str) -> Iterator[Inside]:
        """Yield the later releases that change the library, in the order of release."""
        mine = self.find(version)
        library = "" if mine is None else mine.library
        for item in sorted(self.versions, key=lambda item: release_key(item.since)):
            if release_key(item.since) > release_key(version) and item.library != library:
                yield item
                library = item.library

    def changes_of_library(self, version: str) -> str:
        """Return which later releases have other versions of the library, in words; empty if none is known.

        Of more than `NAMED_CHANGES` the first and the last one are named.
        """
        later = [*self.later_releases(version)]
        words = [
            f"{item.since} to {'' if place else f'{self.family} '}{item.library}" for place, item in enumerate(later)
        ]
        if len(words) > NAMED_CHANGES:
            words = [words[0], f"{len(words) - 2} more releases", words[-1]]
        return f"{self.name} changes in {', in '.join(words)}" if words else ""

    def _nearest(self, version: str) -> str:
        key = release_key(version)
        ordered = sorted(self.versions, key=lambda item: release_key(item.since))
        below = [item for item in ordered if release_key(item.last) < key][-1:]
        above = [item for item in ordered if release_key(item.since) > key][:1]
        near = " and ".join(f"{item.span} ({self.family} {item.library})" for item in [*below, *above])
        return f"the nearest known are {near}" if near else "none is known"

    def properties(self, role: Role, version: str) -> dict[str, str]:
        """Return the properties of a role in a version."""
        found: dict[str, str] = {}
        for item in self.settings:
            if role in item.roles and item.covers(version):
                found.update(item.properties)
        return found


@dataclass(frozen=True, slots=True)
class Application:
    """An application or a wrapper in one version."""

    app: App
    version: str

    def __str__(self) -> str:
        return f"{self.app.name} {self.version}"

    def plays(self, role: Role) -> bool:
        """Return whether the application has this role."""
        return not self.app.roles or role in self.app.roles

    def profile(self, profile: Profile, role: Role) -> Profile:
        """Return a profile with the application's settings; properties in the given profile take precedence."""
        pairs = {**self.app.properties(role, self.version), **dict(profile.properties)}
        return replace(profile, properties=tuple(pairs.items()))


def listed(apps: Mapping[str, App]) -> list[App]:
    """Return each entry once, by kind and name."""
    return sorted({app.name: app for app in apps.values()}.values(), key=lambda app: (app.kind, app.name))


def find_app(apps: Mapping[str, App], families: Iterable[str], name: str) -> App:
    """Return an application by name. CatalogueError with the nearest names, also of families."""
    if name in apps:
        return apps[name]
    hint = client_hint(name, [*families], apps, more="; `probe clients` lists all")
    raise CatalogueError(f"--client {name}: there is no client family or application {name}; {hint}")


def versions_of(app: App, text: str) -> tuple[str, ...]:
    """Return the versions of a selector: a version, `latest` (the newest listed), `all`, or nothing for `latest`."""
    if re.fullmatch(r"\d[\w.+-]*", text):
        return (text,)
    ordered = sorted((item.last for item in app.versions), key=release_key)
    if text == "all":
        return tuple(ordered)
    if text in {"", "latest"}:
        return tuple(ordered[-1:])
    raise CatalogueError(f"--client {app.name}@{text}: {text!r} is not a version; give 1.2.3, latest or all")
