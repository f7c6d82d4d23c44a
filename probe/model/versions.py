"""The order of versions: of clients, their artifacts, applications and Kafka's release lines."""

from __future__ import annotations

import re
from functools import lru_cache

VersionKey = tuple[tuple[int, int, str], ...]
"""A sort key of versions. Every item is the kind of a part, its number, its text."""

_WORD, _NUMBER, _LOCAL = range(3)
_END = (_NUMBER, -1, "")
"""Marks the end of a release. A version that continues with a number is later, one that continues with a word is
earlier."""
_COMMIT = re.compile(r"[-.]\d{14}-[0-9a-f]{12}$")
_PARTS = re.compile(r"[0-9]+|[^0-9.]+")


@lru_cache(maxsize=4096)
def version_key(version: str) -> VersionKey:
    """Return a key that orders versions numerically.

    A release candidate precedes its release, a local build follows it.

    >>> sorted(["2.0.0+local.ab", "2.0.0", "2.0.0-rc1", "1.10.0", "1.9.0"], key=version_key)
    ['1.9.0', '1.10.0', '2.0.0-rc1', '2.0.0', '2.0.0+local.ab']
    """
    release, _, local = version.partition("+")
    return (*map(_part, _PARTS.findall(release)), _END, (_LOCAL, 0, local))


def release_key(version: str) -> VersionKey:
    """Return the same for an application, without the suffix of Java releases (`.RELEASE`, `.Final`, `.GA`)."""
    return version_key(re.sub(r"\.(RELEASE|Final|GA)$", "", version))


def release_of(version: str) -> str:
    """Return a version without the suffix of a local build: 2.0.0 of 2.0.0+local.ab."""
    return version.partition("+")[0]


def is_commit(version: str) -> bool:
    """Return whether a version names a commit, as Go's modules do where no tag does.

    >>> is_commit("7.0.0-alpha2.0.20241022170531-d2e6603d82fb"), is_commit("2.0.0-rc1")
    (True, False)
    """
    return _COMMIT.search(version) is not None


def newest_first(version: str) -> VersionKey:
    """Return a key that orders released versions numerically, the newest first."""
    return tuple((-kind, -number, text) for kind, number, text in version_key(version))


def line_of(version: str) -> VersionKey:
    """Return the major line of a version: 3 of 3.9.2, 0.11 of 0.11.4."""
    key = version_key(version)
    return key[:2] if key[0] == (_NUMBER, 0, "") else key[:1]


def _part(text: str) -> tuple[int, int, str]:
    return (_NUMBER, int(text), "") if text.isdecimal() else (_WORD, 0, text)
