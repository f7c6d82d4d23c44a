"""Columns and keys under which sheets and fleets hold what is known of a service. Pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

WORDS: Mapping[str, tuple[str, ...]] = {
    "service": ("service", "application", "app", "component", "name", "client_id", "clientid", "hostname", "host"),
    "client": (
        *("client", "family", "library", "software", "client_library", "clientlibrary", "kafka_client"),
        *("package", "dependency"),
    ),
    "reported": ("reported", "clientsoftwarename", "client_software_name", "software_name"),
    "version": (
        *("kafka_client_version", "client_version", "library_version", "package_version"),
        *("clientsoftwareversion", "client_software_version", "software_version", "version"),
    ),
    "role": ("role",),
    "profile": ("profile",),
    "properties": ("properties", "settings"),
    "count": ("count", "instances", "connections", "value", "replicas", "number"),
}
"""Accepted names of every column, in lower case with `_`. Where there are several, the first one that has a value
counts: `version` beside `library_version` may be that of the service."""

DELIMITERS = (",", ";", "\t", "|")


def column(word: str) -> str:
    """Return the column that a header's word or a key means; the word itself in lower case if it means none."""
    plain = _plain(word)
    return next((name for name, words in WORDS.items() if plain in words), plain)


def by_column(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by header words or keys as values by column."""
    found: dict[str, Any] = {}
    for word in sorted(values, key=_preference):
        name = column(word)
        if found.get(name) is None or found[name] == "":
            found[name] = values[word]
    return found


def _preference(word: str) -> int:
    words = WORDS.get(column(word), ())
    return words.index(_plain(word)) if words else 0


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", "_", word.strip().lower())


def delimiter_of(header: str) -> str:
    """Return the delimiter of a header, the most frequent one; a comma if it has none."""
    return max(DELIMITERS, key=header.count)


def header_words(header: str, delimiter: str) -> list[str]:
    """Return the words of a header in their order; none if it is no header."""
    try:
        return next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        return []
