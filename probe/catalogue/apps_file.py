"""Reads apps.toml, whose keys `apps.App` describes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from probe.catalogue.apps import App, Inside
from probe.catalogue.families import CatalogueError, Family
from probe.catalogue.toml_file import read_tables, read_toml


def read_apps(path: Path, families: Mapping[str, Family]) -> dict[str, App]:
    """Return the entries of apps.toml by all their names; empty without such a file.

    A name of a family stays the family's, since an application may also be driven as a family of its own. Raises
    CatalogueError with the file, the entry and the problem.
    """
    if not path.is_file():
        return {}
    found: dict[str, App] = {}
    for row in read_tables(path, "app"):
        app = _listed(_entry(path, _with_file(path, row)), families)
        for name in (app.name, *app.names):
            if name in found:
                raise CatalogueError(f"{path}: {name} occurs twice; correct the file")
            if app.family in families and name not in families:
                found[name] = app
    return found


def _listed(app: App, families: Mapping[str, Family]) -> App:
    family = families.get(app.family)
    if not app.artifacts or family is None:
        return app
    source = f"clients/{app.family}/client.toml"
    found = [Inside(since=v.pinned_artifact, library=v.version, source=source) for v in family.versions]
    return app.model_copy(update={"versions": tuple(found)})


def _with_file(path: Path, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry with the versions of the file that it names, too."""
    if "versions_in" not in row:
        return row
    file = path.parent / str(row["versions_in"])
    try:
        return {**row, "versions": [*row.get("versions", ()), *read_toml(file)["versions"]]}
    except (KeyError, TypeError) as error:
        raise CatalogueError(f"{file}: {error}; correct the file") from None


def _entry(path: Path, row: Mapping[str, object]) -> App:
    try:
        return App.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"[[app]] {row.get('name', '?')} {'.'.join(map(str, first['loc']))}"
        raise CatalogueError(f"{path}: {where}: {first['msg']}; correct the entry") from None
