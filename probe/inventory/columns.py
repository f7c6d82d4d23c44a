"""Columns and keys under which sheets and fleets hold what is known of a service. Pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, ...]] = {
    "service": ("service", "name", "application", "app", "host", "hostname", "client_id", "clientid", "component"),
    "client": (
        *("client", "family", "library", "software", "client_library", "clientlibrary", "kafka_client"),
        *("package", "dependency"),
    ),
    "reported": ("reported", "clientsoftwarename", "client_software_name", "software_name"),
    "version": (
        *("version", "clientsoftwareversion", "client_software_version", "software_version"),
        *("client_version", "library_version", "kafka_client_version", "package_version"),
    ),
    "role": ("role",),
    "profile": ("profile",),
    "properties": ("properties", "settings"),
    "count": ("count", "instances", "connections", "value", "replicas", "number"),
}
"""Accepted names of every column, in lower case with `_`; the first one is preferred."""

DELIMITERS = (",", ";", "\t", "|")


def column(word: str) -> str:
    """Return the column that a header's word or a key means; the word itself in lower case if it means none."""
    plain = re.sub(r"[\s_-]+", "_", word.strip().lower())
    return next((name for name, words in WORDS.items() if plain in words), plain)


def delimiter_of(header: str) -> str:
    """Return the delimiter of a header, the most frequent one; a comma if it has none."""
    return max(DELIMITERS, key=header.count)


def column_names(header: str, delimiter: str) -> list[str]:
    """Return the columns of a header in their order."""
    try:
        row = next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        return []
    return [column(word) for word in row]
