"""The content of an answer about objects, and the time at which an answer is due (pure)."""

from __future__ import annotations

from collections.abc import Iterable

from probe.diagnose.fetch_pattern import LONG_POLL_US
from probe.diagnose.objects import Item, work_on
from probe.diagnose.proofs import FETCHES, is_bad
from probe.model import Request, Response
from probe.verdict.broker_delay import JOINS
from probe.verdict.hits import SILENCE_US


def due(request: Request) -> int | None:
    """Return from when on a request without an answer is a sign of trouble; None if it may wait for any time."""
    if request.api in JOINS:
        return None
    if request.api in FETCHES:
        return request.at + LONG_POLL_US + SILENCE_US
    return request.at + SILENCE_US


def is_step(event: Response, item: Item) -> bool:
    """Return whether an answer has a code about an object that is no error."""
    return event.code != 0 or any(row.code and item in work_on(event.api, (row,)) for row in event.rows)


def bad_items(event: Response, items: Iterable[Item]) -> dict[Item, int]:
    """Return the objects that an answer refuses, with the code."""
    found: dict[Item, int] = {}
    whole: dict[str, int] = {}
    for row in event.rows:
        if not is_bad(event.api, row.code):
            continue
        if row.topic and row.partition < 0 and not row.key:
            whole[row.topic] = row.code
        for item in work_on(event.api, (row,)):
            found.setdefault(item, row.code)
    if is_bad(event.api, event.code):
        whole_answer = event.code
        return {item: found.get(item, whole_answer) for item in items}
    return {**{item: whole[item.name] for item in items if item.name in whole}, **found}
