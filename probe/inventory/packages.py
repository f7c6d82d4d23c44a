"""Which packages are Kafka clients, and which of ours they are, by the catalogue's table of packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from probe.catalogue.package_table import PackageRow, normal, package_table
from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.text import one_line
from probe.inventory.versions import Answer, exact


@cache
def packages() -> Mapping[tuple[str, str], PackageRow]:
    """Return the packages of the table by ecosystem and name."""
    rows = package_table().packages
    return {(row.ecosystem, normal(row.ecosystem, name)): row for row in rows for name in row.names}


def known(ecosystem: str, name: str) -> PackageRow | None:
    """Return a package's entry in the table; None if it is no Kafka client by the table."""
    return packages().get((ecosystem, normal(ecosystem, name)))


def concerns(ecosystem: str, name: str) -> bool:
    """Return whether a package is a Kafka client, or has Kafka in its name."""
    return known(ecosystem, name) is not None or "kafka" in name.lower()


def mentions(text: str, ecosystem: str) -> bool:
    """Return whether a text can name a client at all, so that files without one are not parsed."""
    small = text.lower()
    return "kafka" in small or any(name.lower() in small for kind, name in packages() if kind == ecosystem)


def ecosystem_of(name: str) -> str:
    """Return the ecosystem of a package that is named without one; empty if the table has no such package.

    A name as a registry spells it comes before one that only reads like it: `Confluent.Kafka` is NuGet's, though PyPI
    takes it for `confluent-kafka`.
    """
    exact = (row.ecosystem for row in package_table().packages if name in row.names)
    alike = (kind for kind, known in packages() if known == normal(kind, name))
    return next(exact, "") or next(alike, "")


def by_repository(name: str) -> str:
    """Return the Go module that a repository names (segmentio/kafka-go); else the name itself."""
    module = f"github.com/{name}"
    return module if name.count("/") == 1 and known("golang", module) is not None else name


def by_artifact(name: str) -> str:
    """Return the package that a Maven artifact without its group names, such as kafka-clients; else the name itself."""
    small = name.lower()
    found = [known for kind, known in packages() if kind == "maven" and known.rpartition(":")[2].lower() == small]
    return found[0] if len(found) == 1 else name


def client_of(
    ecosystem: str, name: str, version: str, *, place: Place, service: str = "", unknown: str = "", note: str = ""
) -> Found | Skipped | None:
    """Return the client that a package is; None if the package has nothing to do with Kafka.

    `version` is what the file says, `unknown` a reason of the file why that is no version of the package. A package
    with Kafka in its name that the table does not list is skipped with a reason.
    """
    package = known(ecosystem, name)
    if package is None:
        if "kafka" not in name.lower():
            return None
        return Skipped(one_line(f"{name} {version}".strip()), "no client that is known by this name")
    if package.manages:
        return None
    number, why = ("", unknown) if unknown else _release(package, ecosystem, version)
    return Found(
        service=one_line(service),
        package=one_line(name),
        ecosystem=ecosystem,
        client=package.client,
        version=one_line(number),
        unknown=one_line(package.why or why),
        place=place,
        note=one_line(note),
    )


def only_for_development(item: Found | Skipped, mark: str) -> Skipped:
    """Return a client that no service runs as skipped; `mark` is the file's own word for such packages."""
    if isinstance(item, Skipped):
        return item
    return Skipped(f"{item.package} {item.version}".strip(), f"only for development ({mark})")


PART = re.compile(r"\d+(?:\.\d+)?")
"""The beginning of a release's number."""


def release(ecosystem: str, name: str, text: str) -> Answer:
    """Return the release that a text names for a package; or the reason why it names none."""
    return _release(known(ecosystem, name), ecosystem, text)


def _release(package: PackageRow | None, ecosystem: str, text: str) -> Answer:
    number, why = exact(ecosystem, text)
    if number and package is not None and package.releases is not None and not package.releases.fullmatch(number):
        if PART.fullmatch(number):
            return "", f"{number} names no release"
        return "", f"{number} is no release of the project but a build of others, whose changes are not known"
    return number, why


def fork(ecosystem: str, name: str, version: str, origin: str, *, place: Place, service: str = "") -> Found:
    """Return a client that replaces one of the table and is not listed itself; a folder has no version."""
    return Found(
        service=one_line(service),
        package=one_line(name),
        ecosystem=ecosystem,
        replaces=one_line(origin),
        version=one_line(version),
        unknown=one_line(
            f"it replaces {origin}, and a fork is not its origin's version"
            if version
            else f"this folder replaces {origin}, and no version of it is named"
        ),
        place=place,
    )
