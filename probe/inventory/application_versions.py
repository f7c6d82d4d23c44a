"""Settings take the version of their application from the inventory beside them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath

from probe.inventory.entries import FileContent, Found, Skipped
from probe.inventory.settings import NO_VERSION

Applications = Mapping[tuple[str, str], Found | None]
"""The client with a version by its file's folder and its application; None = there are several versions."""


def with_settings(readings: Iterable[FileContent]) -> list[FileContent]:
    """Return the readings, in which settings have the version that the one other file of their folder names.

    The client of that file is left out, since its settings stand for it. Nothing is taken if several versions of the
    application are named.
    """
    held = list(readings)
    wanted = {(_folder(one), item.client) for one in held for item in one.found if item.unknown == NO_VERSION}
    if not wanted:
        return held
    named = _named(held)
    used = {key for key in wanted if named.get(key) is not None}
    return [_read_together(one, named, used) for one in held]


def _folder(reading: FileContent) -> str:
    return str(PurePath(reading.place).parent)


def _named(readings: Iterable[FileContent]) -> Applications:
    named: dict[tuple[str, str], Found | None] = {}
    for one in readings:
        for item in one.found:
            key = (_folder(one), item.client)
            if item.version and not item.properties:
                first = named.setdefault(key, item)
                named[key] = first if first is not None and first.version == item.version else None
    return named


def _read_together(reading: FileContent, named: Applications, used: set[tuple[str, str]]) -> FileContent:
    folder, kept, skipped = _folder(reading), list[Found](), list[Skipped]()
    for item in reading.found:
        key = (folder, item.client)
        other = named.get(key)
        if key not in used or other is None:
            kept.append(item)
        elif item.unknown == NO_VERSION:
            kept.append(_versioned(item, other))
        elif item.properties or item.version != other.version:
            kept.append(item)
        else:
            skipped.append(Skipped(item.shown, "its settings are read in its place"))
    return replace(reading, found=tuple(kept), skipped=(*reading.skipped, *skipped))


def _versioned(settings: Found, other: Found) -> Found:
    return replace(
        settings,
        service=other.service,
        version=other.version,
        unknown="",
        count=other.count,
        note=f"in the version of {other.place}",
    )
