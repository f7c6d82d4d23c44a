"""requirements.txt and the output of `pip freeze` (https://pip.pypa.io/en/stable/reference/requirements-file-format/).

Options are left out. Addresses are not shown, since they may hold passwords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.packages import client_of, concerns
from probe.inventory.text import one_line

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
OPTION = re.compile(r"\s--?[a-z]\S*.*$")
"""Options of one requirement, such as --hash."""
COMMENT = re.compile(r"(^|\s)#.*$")
EGG = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
OTHER = re.compile(r"(?:-r|-c|--requirement|--constraint)[\s=]+(\S+)")
FROM_ADDRESS = "it comes from an address, whose version the file does not name"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are required."""
    for number, line in _joined(document):
        place = document.at(number)
        item = _editable(line, place) or _other(line) or _requirement(line, place)
        if item is not None:
            yield item


def _joined(document: Document) -> Iterator[tuple[int, str]]:
    """Yield lines with their continuations, each with the number of its first line."""
    begun, start = "", 0
    for number, line in enumerate(document.text().splitlines(), 1):
        start = start or number
        begun += line.rstrip()
        if begun.endswith("\\"):
            begun = f"{begun[:-1]} "
            continue
        yield start, begun.strip()
        begun, start = "", 0
    yield start, begun.strip()


def _editable(line: str, place: Place) -> Found | Skipped | None:
    egg = EGG.search(line)
    return client_of("pypi", egg[1], "", place=place, unknown=FROM_ADDRESS) if egg else None


def _other(line: str) -> Skipped | None:
    other = OTHER.match(line)
    return Skipped(one_line(other[1]), "another file, which is read where it lies") if other else None


def _requirement(line: str, place: Place) -> Found | Skipped | None:
    plain = OPTION.sub("", COMMENT.sub("", line)).strip()
    name = NAME.match(plain)
    if name is None or not concerns("pypi", name[0]):
        return None
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415  # of this format alone

    try:
        wanted = Requirement(plain)
    except InvalidRequirement:
        return Skipped(str(place), "no requirement that pip reads")
    if wanted.url:
        return client_of("pypi", wanted.name, "", place=place, unknown=FROM_ADDRESS)
    note = f"only if {wanted.marker}" if wanted.marker else ""
    only = next(iter(wanted.specifier)) if len(wanted.specifier) == 1 else None
    if only is not None and only.operator in {"==", "==="}:
        return client_of("pypi", wanted.name, only.version, place=place, note=note)
    why = f"{wanted.specifier} is a range, which names no release" if wanted.specifier else "any release is allowed"
    return client_of("pypi", wanted.name, "", place=place, unknown=why, note=note)
