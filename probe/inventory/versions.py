"""Which texts name a release, by ecosystem. A range, a commit or a build of others names none: never a guess. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

PSEUDO = re.compile(r"v\d+\.\d+\.\d+-(?:[\w.]+\.)?(?:0\.)?\d{14}-[0-9a-f]{12}(?:\+incompatible)?")
"""The three forms of Go's pseudo-versions: https://go.dev/ref/mod#pseudo-versions."""
GO_RELEASE = re.compile(r"v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+incompatible)?")
NUMBER = re.compile(r"v?(\d+(?:\.\d+)*(?:[-.]?[0-9A-Za-z]+)*)")
"""A version that begins with a number, as every registry serves them."""
RANGE = re.compile(r"[\[\](),<>=~^*|\s]|\.[xX](?:\.|$)|\.\+$|^latest|^RELEASE$|^LATEST$")
BUILD_OF_OTHERS = re.compile(r"(?i)[-.](ccs|ce|redhat-\d+|amzn|amazon|snapshot)\b")
"""Suffixes of builds that are no release of their project: of Confluent, Red Hat and Amazon, and of a checkout."""
NO_VERSION = "the file names no version"

Answer = tuple[str, str]
"""A version and nothing, or nothing and the reason why there is none."""


def exact(ecosystem: str, text: str) -> Answer:
    """Return the release that a text names, without `v`; or the reason why it names none."""
    plain = text.strip()
    if not plain:
        return "", NO_VERSION
    return RULES.get(ecosystem, _plain)(plain)


def _golang(text: str) -> Answer:
    if PSEUDO.fullmatch(text):
        return "", f"{text} is a pseudo-version: a commit, no release"
    release = GO_RELEASE.fullmatch(text)
    return (release[1], "") if release else ("", f"{text} names no release")


def _plain(text: str) -> Answer:
    if RANGE.search(text):
        return "", f"{text} is a range, which names no release"
    found = NUMBER.fullmatch(text)
    return (found[1], "") if found else ("", f"{text} names no release")


def _maven(text: str) -> Answer:
    if BUILD_OF_OTHERS.search(text):
        return "", f"{text} is a build of others, no release of the project"
    return _plain(text)


RULES: Mapping[str, Callable[[str], Answer]] = {"golang": _golang, "maven": _maven}
