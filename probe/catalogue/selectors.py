"""Selectors of the command line resolved: clients, profiles and release lines."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from probe.catalogue.families import CatalogueError, Family, Version
from probe.catalogue.releases import releases_of
from probe.model import Client, Election, Profile, Role
from probe.model.hints import did_you_mean
from probe.model.profile import (
    AUTOCOMMIT,
    CONSUMER_PROTOCOL,
    COOPERATIVE,
    DEFAULT_PROFILE,
    READ_COMMITTED,
    REFRESHING,
    SHORT_LIMITS,
    STATIC_MEMBER,
    STREAMS_PROTOCOL,
)
from probe.model.rack import Rack
from probe.model.roles import READERS, ROLES, WRITERS
from probe.model.security import Security
from probe.model.versions import VersionKey, version_key

if TYPE_CHECKING:
    from probe.catalogue.apps import App, Application

PROFILES: Mapping[str, str] = {
    DEFAULT_PROFILE: "library defaults, but no periodic refresh within a trial; the matrix's default",
    "defaults": "the library's own defaults",
    "idempotent": "idempotent producer, acks=all",
    "no-retries": "the library does not retry by itself",
    "acks-1": "acks=1",
    "zstd": "zstd compression, which raises the Produce version in some libraries",
    "oldest-protocol": "the oldest protocol version that still works",
    REFRESHING: "metadata is refreshed every second",
    "quick-timeouts": "request, session and socket timeouts of 5 s",
    CONSUMER_PROTOCOL: "the new group protocol (KIP-848)",
    STREAMS_PROTOCOL: "the group protocol of Kafka Streams (KIP-1071)",
    SHORT_LIMITS: "session 6 s, poll interval (or rebalance timeout) 8 s, transaction 10 s",
    STATIC_MEMBER: "short-limits, and a group.instance.id (KIP-345)",
    COOPERATIVE: "short-limits, and cooperative-sticky assignment (KIP-429)",
    AUTOCOMMIT: "short-limits, and the library commits every second",
    READ_COMMITTED: "readers are given committed records only",
}
"""Profiles by name, with their descriptions."""

ONLY_FOR: Mapping[str, tuple[Role, ...]] = {
    "idempotent": WRITERS,
    "no-retries": WRITERS,
    "acks-1": (Role.PRODUCER,),
    "zstd": WRITERS,
    CONSUMER_PROTOCOL: (Role.GROUP,),
    STREAMS_PROTOCOL: (Role.GROUP,),
    SHORT_LIMITS: (Role.GROUP, Role.TRANSACTIONAL),
    STATIC_MEMBER: (Role.GROUP,),
    COOPERATIVE: (Role.GROUP,),
    AUTOCOMMIT: (Role.GROUP,),
    READ_COMMITTED: tuple(role for role in READERS if not ROLES[role].shares),  # of a share group the broker decides it
}
"""Roles that a profile applies to, where not all of them."""

LINES = ("0.9.0", "0.10.2", "1.1", "2.6", "2.8", "3.4", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4")
"""Release lines that can be selected by name; exact versions are reduced to them."""
LAST_MINOR: Mapping[int, float] = {0: 11, 1: 1, 2: 8, 3: 9, 4: math.inf}
"""The last release line of each major version of Kafka (https://kafka.apache.org/downloads); 4 still gets more."""

LOCAL = ("path:", "jar:")
"""Prefixes of a version on this machine: a checkout, a folder or a file."""

EVERY = "all"
"""Selects every listed version of every family, or of one."""
RELEASED = "released"
"""Selects every release of a family that its registry serves (`data/released`), with those that were taken back."""

Resolver = Callable[[Family, str], Version]
"""Finds an unpinned version at the registry. Raises CatalogueError or ProvisionError."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One client version to run."""

    family: Family
    version: Version
    application: Application | None = None
    """The application, if one was selected."""

    @property
    def client(self) -> Client:
        """Return the client of this version."""
        return self.family.client(self.version)


def select_clients(
    families: Mapping[str, Family], names: Sequence[str], resolve: Resolver, apps: Mapping[str, App] | None = None
) -> tuple[Chosen, ...]:
    """Return the selected client versions, each once; without selectors the core versions.

    A family's name stands for its core versions, or for its newest pinned one if it has none.
    `all` stands for every listed version of every family. An application's name stands for the library inside it; a
    family's name takes precedence over an application's.
    Raises CatalogueError for a family, application, version or range that does not exist.
    """
    chosen: dict[tuple[Client, str], Chosen] = {}
    for name in names or sorted(name for name, family in families.items() if family.core):
        for item in _named(name, families, {} if apps is None else apps, resolve):
            chosen[item.client, str(item.application or "")] = item
    return tuple(sorted(chosen.values(), key=_order))


def _order(item: Chosen) -> tuple[str, VersionKey, str]:
    return item.client.family, version_key(item.client.version), str(item.application or "")


def _named(name: str, families: Mapping[str, Family], apps: Mapping[str, App], resolve: Resolver) -> Iterable[Chosen]:
    if name == EVERY:
        return [Chosen(family, version) for family in families.values() for version in family.versions]
    first, at, text = name.partition("@")
    if first in families:
        family = families[first]
        return [_found(family, version, resolve) for version in _versions(family, at, text)]
    return _application(first, text, families, apps, resolve)


def _application(
    name: str, text: str, families: Mapping[str, Family], apps: Mapping[str, App], resolve: Resolver
) -> Iterable[Chosen]:
    from probe.catalogue.apps import Application, find_app, versions_of  # noqa: PLC0415  # families need no models of it

    app = find_app(apps, families, name)
    family = families[app.family]
    for version in versions_of(app, text):
        unlisted = app.artifacts and app.find(version) is None
        inside = version if unlisted else app.inside(version).library
        yield replace(_found(family, inside, resolve), application=Application(app, version))


def _found(family: Family, version: str, resolve: Resolver) -> Chosen:
    found = None if version == "latest" else family.find(version)
    return Chosen(family, found or resolve(family, version))


def _versions(family: Family, at: str, text: str) -> Iterable[str]:
    if not at:
        return family.core or [family.newest.version]
    if text == EVERY:
        return [item.version for item in family.versions]
    if text == RELEASED:
        return _released(family)
    if text[:1] in {"<", ">", "="}:
        return _range(family, text)
    if re.fullmatch(r"latest|\d[\w.+-]*", text) or text.startswith(LOCAL):
        return [text]
    raise CatalogueError(
        f"--client {family.family}@{text}: {text!r} is not a version; give 1.2.3, latest, {EVERY}, {RELEASED}, "
        "a range >=1.2,<2, or path:PLACE for one on this machine"
    )


def _released(family: Family) -> list[str]:
    """Return what the registry of a family serves, taken back or not, by the numbers of its packages."""
    found = releases_of(family.family).releases
    if not found:
        raise CatalogueError(f"--client {family.family}@{RELEASED}: no registry lists its releases; use {EVERY}")
    return [one.version if family.find(one.version) else one.artifact or one.version for one in found]


COMPARE: Mapping[str, Callable[[object, object], bool]] = {
    ">=": lambda a, b: a >= b,  # type: ignore[operator]  # both are VersionKey
    "<=": lambda a, b: a <= b,  # type: ignore[operator]  # both are VersionKey
    "==": lambda a, b: a == b,
    ">": lambda a, b: a > b,  # type: ignore[operator]  # both are VersionKey
    "<": lambda a, b: a < b,  # type: ignore[operator]  # both are VersionKey
}


def _range(family: Family, text: str) -> list[str]:
    bounds = []
    for part in text.split(","):
        match = re.fullmatch(r"(>=|<=|==|>|<)(\d[\w.]*)", part.strip())
        if match is None:
            raise CatalogueError(f"--client {family.family}@{text}: {part!r} is not a bound; write >=1.2,<2")
        bounds.append((COMPARE[match[1]], version_key(match[2])))
    found = [v.version for v in family.versions if all(test(version_key(v.version), key) for test, key in bounds)]
    if not found:
        raise CatalogueError(f"--client {family.family}@{text}: no listed version lies in this range")
    return found


def select_profiles(
    names: Sequence[str],
    properties: Sequence[str],
    election: Election | None,
    security: Security | None = None,
    rack: Rack | None = None,
) -> tuple[Profile, ...]:
    """Return the profiles, each with the properties and the own keys. CatalogueError for an unknown one."""
    pairs = []
    for item in properties:
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise CatalogueError(f"--property {item}: write KEY=VALUE, the key as the library spells it")
        pairs.append((key, value))
    for name in names:
        if name not in PROFILES:
            hint = did_you_mean(name, PROFILES, f"known are {', '.join(PROFILES)}")
            raise CatalogueError(f"--profile {name}: there is no such profile; {hint}")
    return tuple(Profile(name, tuple(pairs), election, security, rack) for name in dict.fromkeys(names))


def own_profile(name: str, family: Family, version: str, role: Role) -> str:
    """Return the profile that a scenario has of its own, where it means something for a client; else empty."""
    span = family.playable.get(name)
    fits = span is not None and span.covers(version) and role in ONLY_FOR.get(name, tuple(Role))
    return name if fits else ""


def broker_line(text: str) -> str:
    """Return the release line of a Kafka version: 3.9 for 3.9.2. CatalogueError for an unknown one."""
    parts = text.split(".")
    line = ".".join(parts[:3] if parts[0] == "0" else parts[:2])
    if line not in LINES:
        raise CatalogueError(f"--broker {text}: there is no such Kafka release line here; known are {', '.join(LINES)}")
    return line


def any_line(text: str) -> str:
    """Return the release line of any Kafka version, for look-ups: they also answer for lines that cannot be run here.

    CatalogueError for what is no version, and for a line that Kafka never had; 4 may have any.
    """
    parts = text.split(".")
    count = 3 if parts[0] == "0" else 2
    if len(parts) < count or not all(part.isascii() and part.isdigit() for part in parts):
        raise CatalogueError(f"--broker {text}: write a Kafka release line, such as 3.9, or an exact version")
    if (last := LAST_MINOR.get(int(parts[0]))) is None or int(parts[1]) > last:
        known = f"known are {LINES[0]} to {LINES[-1]}, and later ones of {LINES[-1].partition('.')[0]}"
        raise CatalogueError(f"--broker {text}: Kafka has no such release line; {known}")
    return ".".join(parts[:count])
