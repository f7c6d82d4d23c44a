"""Packages that come from elsewhere than a registry, and why their version names no release. Pure."""

from __future__ import annotations

import re
from enum import StrEnum


class Origin(StrEnum):
    """The source of a package, in words."""

    COMMIT = "a commit, no release"
    FOLDER = "a folder, no release"
    FILE = "a file, which need not be a release"
    ADDRESS = "an address, which need not serve a release"
    PATCHED = "a release that the project patches"


REFERENCE = re.compile(r"(@?[^@]+)@(.*)")
DIGITS = r"[0-9a-f]{7,64}"
SCHEMES = (
    (("git", "hg+", "svn+", "github:", "gitlab:", "bitbucket:", "gist:"), Origin.COMMIT),
    (("https://codeload.github.com/",), Origin.COMMIT),
    (("file:",), Origin.FILE),
    (("link:", "portal:", "workspace:"), Origin.FOLDER),
    (("patch:",), Origin.PATCHED),
)
"""Beginnings of what npm's package managers and pip take in place of a version."""


def npm_reference(text: str) -> tuple[str, str]:
    """Return name and version, or what stands in its place, of npm's `NAME@WHAT`; nothing behind a name alone."""
    found = REFERENCE.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")


def came_from(origin: Origin, *, says: str = "", commit: str = "") -> str:
    """Return why a package from elsewhere names no release.

    `says` is the version that its own source states, `commit` the commit; what is no commit's digits is not shown.
    """
    what = str(origin)
    if origin is Origin.COMMIT and re.fullmatch(DIGITS, commit):
        what = what.replace("a commit", f"commit {commit[:12]}")
    return f"it comes from {what}{f'; its own source says {says}' if says else ''}"


def origin_of(text: str) -> Origin | None:
    """Return the origin that stands in place of a version; None if it may be a version or a range."""
    if "#commit=" in text:
        return Origin.COMMIT
    for beginnings, origin in SCHEMES:
        if text.startswith(beginnings):
            return origin
    return Origin.ADDRESS if ":" in text else Origin.COMMIT if "/" in text else None


def origin_of_archive(address: str) -> Origin | None:
    """Return the origin of a package by the address of its archive; None if that may be a registry's."""
    origin = origin_of(address)
    return None if origin is Origin.ADDRESS else origin


def commit_in(text: str) -> str:
    """Return the commit behind `#` or `#commit=` of an address; empty if there is none."""
    found = re.search(rf"#(?:commit=)?({DIGITS})$", text)
    return found[1] if found else ""
