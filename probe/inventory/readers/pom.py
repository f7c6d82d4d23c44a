"""pom.xml, with properties and managed versions of itself and of its parents inside the walked folder.

https://maven.apache.org/pom.html. A version that a parent outside of the folder manages is not known, unless the
parent is in the table of packages and manages Kafka's client (Spring Boot, Quarkus).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, InventoryError, Place, Skipped
from probe.inventory.packages import client_of, known
from probe.inventory.readers.pom_file import Dependency, Pom, parse
from probe.model.lazy_attribute import lazy

LIMIT = 4 * MIB
PARENTS = 20
"""Most parents above a pom that are read."""
PLACEHOLDER = re.compile(r"\$\{([^${}]+)\}")
NESTED = 10
"""Most times that a property is filled in by another one."""


@dataclass(frozen=True)
class Model:
    """A pom with what it has from its parents."""

    own: Pom
    chain: tuple[Pom, ...]
    """The pom itself, then its parents inside the folder."""

    @lazy
    def _managed(self) -> Sequence[Mapping[str, Dependency]]:
        """Return what dependencyManagement says, by artifact, per pom of the chain."""
        return [{self.key(one): one for one in reversed(pom.managed)} for pom in self.chain]

    @lazy
    def _by_profiles(self) -> Sequence[Mapping[str, frozenset[str]]]:
        """Return the versions that profiles manage, by artifact, per pom of the chain."""
        every = []
        for pom in self.chain:
            found: dict[str, frozenset[str]] = {}
            for one in pom.managed_by_profiles:
                found[self.key(one)] = found.get(self.key(one), frozenset()) | {self.filled(one.version)}
            every.append(found)
        return every

    def managed(self, wanted: Dependency) -> tuple[Dependency | None, frozenset[str]]:
        """Return what is managed for a dependency, None for nothing, and the versions that profiles give it.

        The nearest pom that manages it decides; a profile of a pom beyond has no effect.
        """
        key, given = self.key(wanted), frozenset[str]()
        for plain, profiles in zip(self._managed, self._by_profiles, strict=True):
            given |= profiles.get(key, frozenset())
            if key in plain:
                return plain[key], given
        return None, given

    def key(self, one: Dependency) -> str:
        """Return what dependencyManagement tells artifacts apart by."""
        return f"{self.name(one)}:{one.variant}"

    def name(self, one: Dependency) -> str:
        """Return group and artifact."""
        return f"{self.filled(one.group)}:{self.filled(one.artifact)}"

    @lazy
    def properties(self) -> Mapping[str, str]:
        """Return the properties; those of the pom come before those of its parents.

        One to which a profile gives another value stays a placeholder, since a build may activate the profile or not.
        """
        found: dict[str, str] = {}
        for pom in reversed(self.chain):
            found |= pom.properties
            found |= {key: f"${{{key}}}" for key, values in pom.of_profiles.items() if values != {found.get(key)}}
        group = next((pom.group for pom in self.chain if pom.group), "") or self.own.parent.group
        version = next((pom.version for pom in self.chain if pom.version), "") or self.own.parent.version
        for key, value in (("groupId", group), ("version", version), ("artifactId", self.own.artifact)):
            found |= {f"project.{key}": value, f"pom.{key}": value}
        parent = self.own.parent
        return found | {"project.parent.version": parent.version, "project.parent.groupId": parent.group}

    def filled(self, text: str) -> str:
        """Return a text with its properties filled in; an unknown one stays."""
        for _ in range(NESTED):
            found = PLACEHOLDER.sub(lambda name: self.properties.get(name[1].strip(), name[0]), text)
            if found == text or len(found) > 1000:
                break
            text = found
        return text


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that a pom depends on; those of tests are skipped."""
    own = parse(document.text(LIMIT), document.place)
    model = Model(own, (own, *_parents(own, document)))
    for wanted in own.dependencies:
        managed, given = model.managed(wanted)
        item = _client(model, wanted, managed, given, document)
        scope = model.filled(wanted.scope or (managed.scope if managed else ""))
        if isinstance(item, Found) and scope == "test":
            item = Skipped(f"{item.package} {item.version}".strip(), "only for tests (scope test)")
        if item is not None:
            yield item


def _parents(own: Pom, document: Document) -> Iterator[Pom]:
    """Yield the parents that lie inside the walked folder, the nearest first."""
    pom, here = own, document
    for _ in range(PARENTS):
        if not pom.parent.artifact or not pom.parent.path:
            return
        other = here.neighbour(pom.parent.path) or here.neighbour(f"{pom.parent.path}/pom.xml")
        if other is None:
            return
        with closing(other.stream):
            try:
                found = parse(other.text(LIMIT), other.place)
            except ValueError as error:
                raise InventoryError(f"its parent {other.place} cannot be read: {error}; correct that file") from None
        if found.artifact != pom.parent.artifact:
            return
        yield found
        pom, here = found, other


def _client(
    model: Model, wanted: Dependency, managed: Dependency | None, given: frozenset[str], document: Document
) -> Found | Skipped | None:
    """Return the client of a dependency; `given` has the versions that profiles manage for it."""
    name = model.name(wanted)
    client = partial(client_of, "maven", name, place=document.at(name), service=model.own.artifact)
    version = model.filled(wanted.version or (managed.version if managed else ""))
    others = frozenset() if wanted.version else given - {version}
    if not version and not _decided_outside(model) and len(others) == 1:
        version, others = next(iter(others)), frozenset()
    if others:
        return client("", unknown=f"profiles manage {' and '.join(sorted(others))}, and {_else(model, version)}")
    package = known("maven", name)
    if version or package is None or package.manages:
        return client(version)
    if bills := _undecided(model):
        return client("", unknown=f"profiles import {bills}, and {_else(model, '')}")
    outside = f"{_outside(model)} decides, which is not in the folder"
    return _by_builder(model, name, document.at(name)) or client("", unknown=outside)


def _undecided(model: Model) -> str:
    """Return the bills of materials of which profiles choose one, as text; empty if at most one can decide."""
    bills = _imported_by_profiles(model)
    several = len(bills) > 1 or (bills and _decided_outside(model))
    return " and ".join(" ".join(bill) for bill in bills) if several else ""


def _else(model: Model, version: str) -> str:
    """Return what decides if no profile is active."""
    if version:
        return f"without them it is {version}"
    return f"without them {_outside(model)} decides" if _decided_outside(model) else "the build chooses among them"


def _by_builder(model: Model, name: str, where: Place) -> Found | Skipped | None:
    """Return the client by the parent or imported bill of materials that decides it; None if none is known."""
    for builder, version, is_parent in _builders(model):
        package = known("maven", builder)
        if package is None or not package.manages:
            continue
        own = model.properties.get(package.override, "") if is_parent and package.override else ""
        if own:
            return client_of(
                "maven", "org.apache.kafka:kafka-clients", model.filled(own), place=where, service=model.own.artifact
            )
        found = client_of("maven", name, model.filled(version), place=where, service=model.own.artifact)
        if isinstance(found, Found):
            return _managed_by(found, package.client, builder)
    return None


def _managed_by(found: Found, client: str, builder: str) -> Found:
    return replace(found, client=client, note=f"{builder} {found.version} decides its version")


def _builders(model: Model) -> Iterator[tuple[str, str, bool]]:
    """Yield name and version of what may decide a version, and whether it is a parent; what profiles import is last."""
    for pom in model.chain:
        yield f"{pom.parent.group}:{pom.parent.artifact}", pom.parent.version, True
        for managed in _imports(pom.managed):
            yield model.name(managed), managed.version, False
    for name, version in _imported_by_profiles(model):
        yield name, version, False


def _imports(managed: Iterable[Dependency]) -> list[Dependency]:
    return [one for one in managed if one.scope == "import"]


def _imported_by_profiles(model: Model) -> list[tuple[str, str]]:
    """Return the bills of materials that profiles import and that decide a client's version."""
    imports = {
        (model.name(one), model.filled(one.version)): known("maven", model.name(one))
        for pom in model.chain
        for one in _imports(pom.managed_by_profiles)
    }
    return [bill for bill, package in imports.items() if package is not None and package.manages]


def _decided_outside(model: Model) -> bool:
    """Return whether a pom that is not in the folder may decide versions, whatever profiles do."""
    return bool(model.chain[-1].parent.artifact) or any(_imports(pom.managed) for pom in model.chain)


def _outside(model: Model) -> str:
    above = model.chain[-1].parent
    return f"the parent {above.artifact} {above.version}" if above.artifact else "an imported bill of materials"
