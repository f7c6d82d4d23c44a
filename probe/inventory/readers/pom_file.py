"""One pom.xml as it stands, without its parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from probe.inventory.entries import InventoryError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for types; defusedxml reads


LONGEST = 300
"""Characters of a value that are kept, so that properties inside properties stay small."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency as it is written, with its placeholders."""

    group: str
    artifact: str
    version: str
    scope: str
    variant: str = "jar:"
    """Type and classifier, by which Maven tells artifacts of one name apart: `jar:`, `jar:test`, `pom:`."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The parent that a pom names; empty if it names none."""

    group: str = ""
    artifact: str = ""
    version: str = ""
    path: str = ""
    """Its place, relative to the pom; empty = not beside it."""


@dataclass(frozen=True, slots=True)
class Pom:
    """The content of one pom.xml."""

    group: str
    artifact: str
    version: str
    parent: Parent
    properties: dict[str, str] = field(default_factory=dict)
    dependencies: tuple[Dependency, ...] = ()
    managed: tuple[Dependency, ...] = ()
    managed_by_profiles: tuple[Dependency, ...] = ()
    of_profiles: dict[str, frozenset[str]] = field(default_factory=dict)
    """The values that profiles give to properties; a build may activate each profile or not."""


def parse(text: str, place: str) -> Pom:
    """Return what a pom says. InventoryError for broken XML, entities, or another root element."""
    from defusedxml import DefusedXmlException  # noqa: PLC0415  # of this format alone
    from defusedxml.ElementTree import ParseError, fromstring  # noqa: PLC0415  # of this format alone

    try:
        root = fromstring(text.encode(), forbid_dtd=True)
    except ParseError as error:
        raise InventoryError(f"{error}; correct the XML") from None
    except DefusedXmlException:
        raise InventoryError("it defines entities or a document type, which no pom needs; remove them") from None
    if _name(root) != "project":
        raise InventoryError(f"{place}: its root is {_name(root)}, not project")
    return Pom(
        group=_text(root, "groupId"),
        artifact=_text(root, "artifactId"),
        version=_text(root, "version"),
        parent=_parent(root),
        properties=dict(_properties(root)),
        dependencies=tuple(_dependencies(root)),
        managed=tuple(_managed(root)),
        managed_by_profiles=tuple(one for profile in _profiles(root) for one in _managed(profile)),
        of_profiles=_of_profiles(root),
    )


def _properties(element: Element) -> Iterator[tuple[str, str]]:
    for one in _all(element, "properties"):
        for item in one:
            yield _name(item), (item.text or "").strip()[:LONGEST]


def _profiles(root: Element) -> Iterator[Element]:
    for profiles in _all(root, "profiles"):
        yield from profiles


def _of_profiles(root: Element) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for profile in _profiles(root):
        for name, value in _properties(profile):
            found[name] = found.get(name, frozenset()) | {value}
    return found


def _parent(root: Element) -> Parent:
    for item in _all(root, "parent"):
        path = next((one.text or "" for one in _all(item, "relativePath")), "../pom.xml")
        return Parent(_text(item, "groupId"), _text(item, "artifactId"), _text(item, "version"), path.strip()[:LONGEST])
    return Parent()


def _dependencies(root: Element) -> Iterator[Dependency]:
    """Yield the dependencies of the project and of its profiles."""
    yield from _listed(root)
    for profile in _profiles(root):
        yield from _listed(profile)


def _managed(element: Element) -> Iterator[Dependency]:
    for item in _all(element, "dependencyManagement"):
        yield from _listed(item)


def _listed(element: Element) -> Iterator[Dependency]:
    for dependencies in _all(element, "dependencies"):
        for one in _all(dependencies, "dependency"):
            yield Dependency(
                group=_text(one, "groupId"),
                artifact=_text(one, "artifactId"),
                version=_text(one, "version"),
                scope=_text(one, "scope"),
                variant=f"{_text(one, 'type') or 'jar'}:{_text(one, 'classifier')}",
            )


def _all(element: Element, name: str) -> list[Element]:
    return [item for item in element if _name(item) == name]


def _text(element: Element, name: str) -> str:
    return next(((item.text or "").strip()[:LONGEST] for item in _all(element, name)), "")


def _name(element: Element) -> str:
    """Return an element's name without its namespace; comments have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
