"""Parts that all kinds of entries in a file of known results have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from probe.catalogue.toml_file import read_tables
from probe.errors import CatalogueError


class Strict(BaseModel):
    """Values of which none may change, or have an unknown key."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Entry = TypeVar("Entry", bound=Strict)


def _exact(client: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9-]*@\d[\w.+-]*", client):
        raise ValueError(f"{client} is not FAMILY@VERSION")
    return client


ExactClient = Annotated[str, AfterValidator(_exact)]
"""`FAMILY@VERSION`."""


def read_entries(path: Path, name: str, kind: type[Entry]) -> tuple[Entry, ...]:
    """Read the entries `[[name]]` of a file. CatalogueError with the file, the entry and the problem."""
    rows = read_tables(path, name, "correct the file or name another with --known")
    return tuple(_entry(path, name, kind, row) for row in rows)


def _entry(path: Path, name: str, kind: type[Entry], row: Mapping[str, object]) -> Entry:
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        value = "" if isinstance(first["input"], Mapping) else f" ({first['input']!r})"
        what = f"[[{name}]] {row.get('id', '?')} {where}: {first['msg']}{value}"
        raise CatalogueError(f"{path}: {what}; correct the entry") from None
