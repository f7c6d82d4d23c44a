"""Build the site of evidence: static pages, and a static API beside them."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from probe.catalogue.purposes import PURPOSES
from probe.model import Client
from probe.model.versions import version_key
from probe.site.data.cell_index import Setting, setting
from probe.site.data.page_names import client_slug, scenario_slug
from probe.site.known.operations import operation_page
from probe.site.known.supports import supports_page
from probe.site.known.values import Alias, KnownCell, KnownClient, grouped
from probe.site.pages import scenarios
from probe.site.pages.costs import CostPage
from probe.site.pages.environment import environment
from probe.site.render.folder_replacement import replacing

STATIC = Path(__file__).parents[1] / "static"
FILES = ("site.css", "sweep.css", "site.js", "lists.js", "known.js")
API = "api/v1"
LATEST = "latest"
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]")


def build_known(
    clients: Iterable[KnownClient], out: Path, aliases: Sequence[Alias], about: str, costs: CostPage
) -> Path:
    """Write the site into `out` completely, then rename it; return its index.html.

    `clients` come in the order of families and versions, each family at once. `about` says what the site is made from.
    `costs` are those of a failover, which evidence has not.
    SiteError if `out` was not made by the probe or cannot be written.
    """
    with replacing(out) as fresh:
        for folder in ("client", "cells", "scenario"):
            (fresh / folder).mkdir()
        for name in FILES:
            shutil.copyfile(STATIC / name, fresh / name)
        listed: list[KnownClient] = []
        by_scenario: dict[str, list[KnownCell]] = {}
        for mine in _families(clients):
            _write_family(fresh, mine, about)
            for one in mine:
                listed.append(one)
                for cell in one.cells:
                    by_scenario.setdefault(cell.cell.scenario, []).append(cell)
        for name, cells in by_scenario.items():
            _write(fresh / "scenario" / f"{scenario_slug(name)}.html", _scenario(name, cells, about))
        _write(fresh / "supports.html", supports_page(listed, about))
        for purpose in PURPOSES.values():
            _write(fresh / f"{purpose.name}.html", operation_page(purpose, listed, about))
        _write(fresh / "costs.html", _costs(costs, about))
        _write(fresh / "index.html", _index(listed, sorted(by_scenario), aliases, about))
        _write(fresh / API / "clients.json", json.dumps(_overview(listed), separators=(",", ":")))
    return out / "index.html"


def api_path(family: str, version: str) -> str:
    """Return the path of a client's JSON in the site: `api/v1/clients/sarama/1.43.2.json`."""
    return f"{API}/clients/{family}/{_UNSAFE.sub('-', version)}.json"


def document(one: KnownClient) -> dict[str, Any]:
    """Return what the API says of a client (docs/schema/api-client.json)."""
    return {**one.data, "cells": [cell.data for cell in one.cells]}


def _families(clients: Iterable[KnownClient]) -> Iterable[list[KnownClient]]:
    mine: list[KnownClient] = []
    for one in clients:
        if mine and mine[0].client.family != one.client.family:
            yield mine
            mine = []
        mine.append(one)
    if mine:
        yield mine


def _write_family(fresh: Path, mine: Sequence[KnownClient], about: str) -> None:
    ordered = sorted(mine, key=lambda one: version_key(one.client.version))
    later: Mapping[Client, Client] = {a.client: b.client for a, b in pairwise(ordered)}
    earlier = {b: a for a, b in later.items()}
    newest = ordered[-1].client
    for one in ordered:
        slug = client_slug(one.client)
        near = {"older": earlier.get(one.client), "newer": later.get(one.client), "newest": newest}
        path = api_path(one.client.family, one.client.version)
        common = {"root": "../", "here": "", "one": one, "api": path, "about": about}
        text = environment().get_template("known_client.html").render(slug=slug, **near, **common)
        _write(fresh / "client" / f"{slug}.html", text)
        text = environment().get_template("known_cells.html").render(**_usual(one.cells), **common)
        _write(fresh / "cells" / f"{slug}.html", text)
        data = json.dumps(document(one), separators=(",", ":"), ensure_ascii=False)
        _write(fresh / path, data)
        if one.client == newest:
            os.link(fresh / path, fresh / api_path(one.client.family, LATEST))


def _scenario(name: str, cells: Sequence[KnownCell], about: str) -> str:
    found = scenarios.find(name)
    return (
        environment()
        .get_template("known_scenario.html")
        .render(
            root="../",
            here="",
            name=name,
            story=scenarios.story(found),
            asked=scenarios.questions(found),
            parts=grouped(cells),
            about=about,
            **_usual(cells),
        )
    )


def _usual(cells: Sequence[KnownCell]) -> dict[str, Setting | str]:
    """Return what most cells of a page have in common, which is said once."""
    settings, dates = Counter(setting(one.cell) for one in cells), Counter(one.rests_on for one in cells)
    return {"usual": settings.most_common(1)[0][0], "rests_on": dates.most_common(1)[0][0]}


def _index(listed: Sequence[KnownClient], names: Sequence[str], aliases: Sequence[Alias], about: str) -> str:
    rows = sorted(listed, key=lambda one: one.client.family)
    table = [[one.name, one.family, one.library or one.family, one.spans] for one in aliases]
    data = json.dumps(table, separators=(",", ":")).replace("<", "\\u003c")
    page = environment().get_template("known.html")
    return page.render(root="", here="index", rows=rows, scenarios=names, aliases=data, about=about)


def _costs(costs: CostPage, about: str) -> str:
    page = environment().get_template("costs.html")
    return page.render(root="", here="costs", layout="known_base.html", costs=costs, about=about)


def _overview(listed: Iterable[KnownClient]) -> dict[str, Any]:
    return {
        "clients": [
            {
                "family": one.client.family,
                "version": one.client.version,
                "levels": {str(level.role): level.words for level in one.levels},
                "path": api_path(one.client.family, one.client.version),
            }
            for one in listed
        ]
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
