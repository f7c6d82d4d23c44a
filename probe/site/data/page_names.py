"""Names of pages: readable, unique, safe in file names and URLs."""

from __future__ import annotations

import hashlib
import re
from functools import cache

from probe.model import Cell, Client

UNSAFE = re.compile(r"[^A-Za-z0-9.]+")
LONGEST = 90


@cache
def slug(cell: Cell) -> str:
    """Name the page of a cell: readable, unique by a digest."""
    identity = cell.columns().values()
    return f"{readable(' '.join(identity))}-{digest(*identity)}"


@cache
def client_slug(client: Client) -> str:
    """Name the page of a client version; a local build's name needs a digest to be unique."""
    plain = f"{client.family}-{client.version}"
    safe = re.sub(r"[^A-Za-z0-9.-]+", "-", plain)
    return safe if safe == plain else f"{safe}-{digest(client.family, client.version)}"


@cache
def scenario_slug(scenario: str) -> str:
    """Name the page of a scenario: its path with dots."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", dotted := scenario.replace("/", "."))
    return safe if safe == dotted and "." not in scenario else f"{safe}-{digest(scenario)}"


def readable(text: str) -> str:
    """Return what of a text may stand in a name; static/upgrade.js does the same."""
    return UNSAFE.sub("-", text).strip("-.")[:LONGEST]


def digest(*parts: str) -> str:
    """Return ten characters that tell texts apart."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]
