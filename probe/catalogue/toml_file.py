"""Reads a file of TOML that people may write: the catalogue's own, and what they name in its place."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from probe.errors import CatalogueError, reason_of


def read_toml(path: Path, way_out: str = "correct or remove the file") -> Mapping[str, Any]:
    """Return the values of a file in UTF-8. CatalogueError with the file, the reason and the way out."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # TOML and UTF-8 raise ValueError, and so does a path that cannot be
        raise CatalogueError(f"{path}: {reason_of(error)}; {way_out}") from None
    except RecursionError:
        raise CatalogueError(f"{path}: its values are nested too deeply; {way_out}") from None


def read_tables(path: Path, name: str, way_out: str = "correct or remove the file") -> Sequence[Mapping[str, Any]]:
    """Return the tables `[[name]]` of a file. CatalogueError with the file, the reason and the way out."""
    rows = read_toml(path, way_out).get(name, [])
    if not (isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)):
        raise CatalogueError(f"{path}: `{name}` is not a list of tables; begin each entry with [[{name}]]")
    return rows
