"""What the clients of one inventory say about each other: a wrapper beside its library, packages in conflict. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from probe.inventory.found import Found, Skipped
from probe.inventory.packages import conflicts, known, normal


def of_one_project(found: Iterable[Found], service: str) -> list[Found]:
    """Return each client once, with the name of the project where its file names none."""
    named = (item if item.service else replace(item, service=service) for item in found)
    return list(
        {(item.service, item.ecosystem, item.shown, item.unknown): item for item in reversed([*named])}.values()
    )[::-1]


def relate(found: Sequence[Found]) -> tuple[tuple[Found, ...], tuple[Skipped, ...]]:
    """Return the clients without wrappers whose library is listed itself, broken ones marked; and what was left out."""
    kept, skipped = [], []
    for item in found:
        library = next((other for other in found if _is_inside(other, item)), None)
        if library is None:
            kept.append(replace(item, broken=_broken(item, found)))
        else:
            skipped.append(Skipped(f"{item.package} {item.version}", f"{library.shown} inside it is listed itself"))
    return tuple(kept), tuple(skipped)


def _is_inside(other: Found, wrapper: Found) -> bool:
    package = known(wrapper.ecosystem, wrapper.package)
    if package is None or other.ecosystem != wrapper.ecosystem or other.service != wrapper.service:
        return False
    return normal(other.ecosystem, other.package) in package.inside and bool(other.version)


def _broken(item: Found, found: Iterable[Found]) -> str:
    name = normal(item.ecosystem, item.package)
    for conflict in conflicts():
        if conflict.ecosystem == item.ecosystem and name in conflict.names:
            there = {normal(other.ecosystem, other.package) for other in found if other.service == item.service}
            if conflict.names <= there:
                return conflict.why
    return ""
