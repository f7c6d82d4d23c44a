"""pom.xml, with properties and managed versions of itself and of its parents inside the walked folder.

https://maven.apache.org/pom.html. A version that a parent outside of the folder manages is not known, unless the
parent is in the table of packages and manages Kafka's client (Spring Boot, Quarkus).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from probe.inventory.document import MIB, Document
from probe.inventory.found import Found, InventoryError, Place, Skipped
from probe.inventory.packages import client_of, known
from probe.inventory.readers.pom_file import Dependency, Pom, parse
from probe.model.lazy import lazy

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
    def managed(self) -> Mapping[str, str]:
        """Return the versions that dependencyManagement gives, by group and artifact; the nearest pom decides."""
        return {
            f"{self.filled(one.group)}:{self.filled(one.artifact)}": one.version
            for pom in reversed(self.chain)
            for one in reversed(pom.managed)
        }

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
    """Yield the clients that a pom depends on."""
    own = parse(document.text(LIMIT), document.place)
    model = Model(own, (own, *_parents(own, document)))
    for wanted in own.dependencies:
        item = _client(model, wanted, document)
        if isinstance(item, Found) and model.filled(wanted.scope) == "test":
            item = Skipped(f"{item.package} {item.version}", "only for tests (scope test)")
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


def _client(model: Model, wanted: Dependency, document: Document) -> Found | Skipped | None:
    name = f"{model.filled(wanted.group)}:{model.filled(wanted.artifact)}"
    version = wanted.version or model.managed.get(name, "")
    where = document.at(name)
    service = model.own.artifact
    if version:
        return client_of("maven", name, model.filled(version), place=where, service=service)
    package = known("maven", name)
    if package is None or package.manages:
        return client_of("maven", name, "", place=where, service=service)
    return _by_builder(model, name, where) or client_of(
        "maven",
        name,
        "",
        place=where,
        service=service,
        unknown=f"{_outside(model)} decides, which is not in the folder",
    )


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
    for pom in model.chain:
        yield f"{pom.parent.group}:{pom.parent.artifact}", pom.parent.version, True
        for managed in pom.managed:
            if managed.scope == "import":
                yield f"{model.filled(managed.group)}:{model.filled(managed.artifact)}", managed.version, False


def _outside(model: Model) -> str:
    above = model.chain[-1].parent
    return f"the parent {above.artifact} {above.version}" if above.artifact else "an imported bill of materials"
