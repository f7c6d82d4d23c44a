"""Names of pages: readable, unique, valid in file names and URLs."""

from __future__ import annotations

import hashlib
import re
from functools import cache

from probe.model import Cell, Client

UNSAFE = re.compile(r"[^A-Za-z0-9.]+")
LONGEST = 90


@cache
def slug(cell: Cell) -> str:
    """Return the name of a cell's page: readable, made unique by a digest."""
    identity = cell.words()
    return f"{readable(' '.join(identity))}-{digest(*identity)}"


@cache
def client_slug(client: Client) -> str:
    """Return the name of a client version's page; the name of a local build needs a digest to be unique."""
    plain = f"{client.family}-{client.version}"
    safe = re.sub(r"[^A-Za-z0-9.-]+", "-", plain)
    return safe if safe == plain else f"{safe}-{digest(client.family, client.version)}"


@cache
def scenario_slug(scenario: str) -> str:
    """Return the name of a scenario's page: the scenario with dots."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", dotted := scenario.replace("/", "."))
    return safe if safe == dotted and "." not in scenario else f"{safe}-{digest(scenario)}"


def readable(text: str) -> str:
    """Return a text with only the characters that a name may contain; static/upgrade.js does the same."""
    return UNSAFE.sub("-", text).strip("-.")[:LONGEST]


def digest(*parts: str) -> str:
    """Return a digest of ten characters."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]
