"""Which texts name a release, by ecosystem. A range, a commit or a build of others names none: never a guess. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

PSEUDO = r"v\d+\.\d+\.\d+-(?:[\w.]+\.)?(?:0\.)?\d{14}-[0-9a-f]{12}(?:\+incompatible)?"
"""The three forms of Go's pseudo-versions: https://go.dev/ref/mod#pseudo-versions."""
GO_RELEASE = r"v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+incompatible)?"
NUMBER = r"v?(\d[0-9A-Za-z]*(?:[-.][0-9A-Za-z]+)*)"
"""A version that begins with a number, as every registry serves them."""
RANGE = r"[\[\](),<>=~^*|\s]|\.[xX](?:\.|$)|\.\+|^(?:latest|latest\..*|RELEASE|LATEST|\+)$"
PLACEHOLDER = r"\$\{|@[\w.]+@"
DEVELOPMENT = r"(?:\.dev\d*|\+.*)$"
"""Python's versions between releases, and local ones: https://packaging.python.org/en/latest/specifications/version-specifiers/."""
DEBIAN = r"(?:\d+:)?([0-9][0-9A-Za-z.+~]*?)(?:[+~]dfsg\S*|[+~]ds\S*)?-[0-9A-Za-z.+~]+"
"""Epoch, upstream version and Debian's revision."""
CARGO = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
"""A release of a crate; what stands behind `+` may name a library inside it."""
NO_VERSION = "the file names no version"

LONGEST = 100
"""Characters of the longest version."""

Answer = tuple[str, str]
"""A version and nothing, or nothing and the reason why there is none."""


def exact(ecosystem: str, text: str) -> Answer:
    """Return the release that a text names, without `v`; or the reason why it names none."""
    plain = text.strip()
    if not plain or len(plain) > LONGEST:
        return "", f"{plain[:LONGEST]}... names no release" if plain else NO_VERSION
    return RULES.get(ecosystem, _plain)(plain)


def _plain(text: str) -> Answer:
    if re.search(PLACEHOLDER, text):
        return "", f"{text} is filled in by the build, and the file does not say with what"
    if re.search(RANGE, text):
        return "", f"{text} is a range, which names no release"
    found = re.fullmatch(NUMBER, text)
    return (found[1], "") if found else ("", f"{text} names no release")


def _golang(text: str) -> Answer:
    if re.fullmatch(PSEUDO, text):
        return "", f"{text} is a pseudo-version: a commit, no release"
    release = re.fullmatch(GO_RELEASE, text)
    return (release[1], "") if release else ("", f"{text} names no release")


def with_v(ecosystem: str, text: str) -> str:
    """Return a version of Go with the `v` that sheets and some bills of materials leave out; others as they are."""
    return f"v{text}" if ecosystem == "golang" and text[:1].isdecimal() else text


def _pypi(text: str) -> Answer:
    if re.search(DEVELOPMENT, text):
        return "", f"{text} is a version between releases"
    return _plain(text)


def _maven(text: str) -> Answer:
    if text.upper().endswith("-SNAPSHOT"):
        return "", f"{text} is a snapshot, no release"
    return _plain(text)


def _debian(text: str) -> Answer:
    found = re.fullmatch(DEBIAN, text)
    return _plain(found[1]) if found else _plain(text)


def _cargo(text: str) -> Answer:
    return (text, "") if re.fullmatch(CARGO, text) else _plain(text)


RULES: Mapping[str, Callable[[str], Answer]] = {
    "golang": _golang,
    "pypi": _pypi,
    "maven": _maven,
    "deb": _debian,
    "cargo": _cargo,
}
