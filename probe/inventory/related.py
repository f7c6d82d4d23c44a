"""What the clients of one inventory say about each other: a wrapper beside its library, packages in conflict. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from probe.inventory.found import Found, Skipped
from probe.inventory.packages import Package, conflicts, normal, packages


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
    package = packages().get(_key(wrapper), Package())
    return other.package in package.inside and other.service == wrapper.service and bool(other.version)


def _broken(item: Found, found: Iterable[Found]) -> str:
    name = normal(item.ecosystem, item.package)
    for conflict in conflicts():
        if conflict.ecosystem == item.ecosystem and name in conflict.names:
            there = {normal(other.ecosystem, other.package) for other in found if other.service == item.service}
            if conflict.names <= there:
                return conflict.why
    return ""


def _key(item: Found) -> tuple[str, str]:
    return item.ecosystem, normal(item.ecosystem, item.package)
