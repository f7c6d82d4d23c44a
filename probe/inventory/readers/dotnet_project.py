"""Projects of .NET: *.csproj and the like, Directory.Packages.props, packages.config.

https://learn.microsoft.com/nuget/consume-packages/package-references-in-project-files, and central-package-management
there. NuGet restores the lowest version that fits, so a plain version is a release unless another package asks for a
newer one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of, concerns, mentions
from probe.inventory.xml_files import plain_name, read_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for types; defusedxml reads

LIMIT = 4 * MIB
LOCK = "packages.lock.json"
CENTRAL = "Directory.Packages.props"
PROPERTY = r"\$\((\w+)\)"
EXACT = r"\[\s*([^,\[\]()]+?)\s*\]"
LOWEST = "the lowest version that fits; another package may ask for a newer one, which packages.lock.json would say"
ITEMS = frozenset({"PackageReference", "PackageVersion", "GlobalPackageReference"})


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that a project asks for; none if packages.lock.json lies beside it, since that is read."""
    whole = document.text(LIMIT)
    if not mentions(whole, "nuget"):
        return
    with document.beside(LOCK) as lock:
        if lock is not None:
            yield Skipped("what it asks for", f"{LOCK} beside it says what is installed")
            return
    root = read_xml(whole)
    properties = {plain_name(item): (item.text or "").strip() for group in root for item in group if not len(item)}
    for item in root.iter():
        if plain_name(item) in ITEMS or plain_name(item) == "package":
            found = _client(item, properties, document)
            if found is not None:
                yield found


def _client(item: Element, properties: Mapping[str, str], document: Document) -> Found | Skipped | None:
    name = item.get("Include") or item.get("Update") or item.get("id") or ""
    if not concerns("nuget", name):
        return None
    named = item.get("VersionOverride") or item.get("Version") or item.get("version") or _inner(item)
    if not named and (central := _central(document)):
        return Skipped(name, f"its version stands in {central}")
    version, why = _resolved(named, properties)
    place = document.at(_line_of(document, name))
    note = LOWEST if version else ""
    return client_of("nuget", name, version, place=place, service=_service(document), unknown=why, note=note)


def _inner(item: Element) -> str:
    return next(((one.text or "").strip() for one in item if plain_name(one) in {"Version", "VersionOverride"}), "")


def _resolved(text: str, properties: Mapping[str, str]) -> tuple[str, str]:
    """Return a version with the file's own properties; or why there is none."""
    plain = re.sub(PROPERTY, lambda found: properties.get(found[1], found[0]), text)
    if re.search(PROPERTY, plain):
        return "", f"{plain} is a property that another file sets"
    exact = re.fullmatch(EXACT, plain)
    if not plain:
        return "", f"its version stands elsewhere, such as in {CENTRAL}"
    return (exact[1] if exact else plain), ""


def _central(document: Document) -> str:
    """Return the nearest Directory.Packages.props above a project; empty if there is none, or it is this file."""
    folder = PurePosixPath(document.head.name).parent
    for up in range(len(folder.parts) + 1):
        with document.beside(f"{'../' * up}{CENTRAL}") as other:
            if other is not None:
                return "" if other.head.name == document.head.name else other.place
    return ""


def _line_of(document: Document, name: str) -> int:
    """Return the line that first has a name in quotes, which is near enough; 0 if the beginning has none."""
    at = document.head.text.find(f'"{name}"')
    return document.head.text.count("\n", 0, at) + 1 if at >= 0 else 0


def _service(document: Document) -> str:
    """Return the project's name, which its file has; empty for files that several projects share."""
    stem, _, ending = document.head.file.rpartition(".")
    return stem if ending.endswith("proj") else ""
