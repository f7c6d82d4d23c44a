"""feed.json: changed cells, newest first, as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). Pure.

The items come from the history of every cell, so that a rare reader misses no run. New cells are not changes, nor are
results under conditions that are not comparable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from probe.model import Cell
from probe.model.grades import Trend, grade_of, trend
from probe.model.run_ids import began, iso
from probe.site.data.page_names import slug
from probe.site.data.run_history import RunHistory, Stretch

VERSION = "https://jsonfeed.org/version/1.1"
TITLE = "Kafka metadata probe: changed cells"
ABOUT = "What Kafka client versions do when brokers fail: every item is a cell of the matrix whose answer changed."
MAX_ITEMS = 500
"""Greatest number of items."""


@dataclass(frozen=True, slots=True)
class _Change:
    cell: Cell
    before: Stretch
    after: Stretch

    @property
    def run_id(self) -> str:
        return self.after.first_run

    @property
    def trend(self) -> Trend:
        before, after = (grade_of(one.worst, one.conforms) for one in (self.before, self.after))
        return trend(before, after)


def feed(past: RunHistory, address: str = "") -> str:
    """Return the feed; `address` = the URL of the published site, without which items have no `url`."""
    base = address and f"{address.rstrip('/')}/"
    where = {"home_page_url": base, "feed_url": f"{base}feed.json"} if base else {}
    items = [_item(change, base) for change in _newest(past)]
    data = {"version": VERSION, "title": TITLE, "description": ABOUT, **where, "items": items}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _newest(past: RunHistory) -> Sequence[_Change]:
    found = sorted(_changes(past), key=lambda change: (change.run_id, change.cell), reverse=True)
    return found[:MAX_ITEMS]


def _changes(past: RunHistory) -> Iterator[_Change]:
    for cell, stretches in past.history.items():
        for number in {one.conditions for one in stretches}:
            for before, after in pairwise(one for one in stretches if one.conditions == number):
                if (before.worst, before.conforms) != (after.worst, after.conforms):
                    yield _Change(cell, before, after)


def _item(change: _Change, base: str) -> dict[str, Any]:
    cell, page = change.cell, f"cell/{slug(change.cell)}.html"
    became = str(change.trend).lower()
    moment = began(change.run_id)
    dated = {"date_published": iso(moment)} if moment else {}
    return {
        "id": f"{change.run_id}/{slug(cell)}",
        **({"url": f"{base}{page}"} if base else {}),
        "title": f"{cell}: {_named(change.before)} → {_named(change.after)} ({became})",
        "content_text": (
            f"{cell.client} as {cell.role} ({cell.profile}) in {cell.scenario}, {cell.place}: "
            f"{_sentence(change.before)} up to run {change.before.last_run}, {_sentence(change.after)} from run "
            f"{change.run_id} on."
        ),
        **dated,
        "tags": [became, cell.family, cell.scenario, str(change.after.outcome)],
        "_probe": {
            "run_id": change.run_id,
            "page": page,
            "trend": became,
            "cell": cell.columns(),
            "before": _side(change.before, change.before.last_run),
            "after": _side(change.after, change.run_id),
        },
    }


def _sentence(stretch: Stretch) -> str:
    conforms = {True: ", conforms", False: ", does not conform", None: ""}[stretch.conforms]
    return f"{_named(stretch)}{conforms}"


def _named(stretch: Stretch) -> str:
    """Return the outcome; where trials disagree, with the worst one."""
    same = stretch.outcome is stretch.worst
    return str(stretch.outcome) if same else f"{stretch.outcome} with {stretch.worst} as its worst trial"


def _side(stretch: Stretch, run_id: str) -> dict[str, Any]:
    return {
        "outcome": str(stretch.outcome),
        "conforms": stretch.conforms,
        "run_id": run_id,
        "worst": str(stretch.worst),
    }
