"""A service of an audit on one screen: what does not fit is counted, what counts most stays. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from probe.cli.console.line_wrap import wrapped
from probe.model.counts import counted
from probe.model.safe_text import visible

MOST_LINES = 34
"""Greatest number of lines of a service with its rows in the table: with the heads it makes 40 of an audit of one."""
LEAST_LINES = 3
"""Lines of each client of a service that has more than fit."""
INDENT = 4
"""Columns by which the later lines of a text are indented on a terminal."""


class Rank(IntEnum):
    """Subject of a text; the smaller, the longer it stays."""

    ANSWER = 0
    TO_DO = 1
    GRAVE = 2
    NOTE = 3
    LESSER = 4
    ROLES = 5
    OPEN = 6
    SOURCES = 7
    ACCEPTED = 8


@dataclass(frozen=True, slots=True)
class Text:
    """A text about a client, which is one line where there is no terminal."""

    rank: Rank
    words: str


def service_lines(clients: Sequence[tuple[str, Iterable[Text]]], columns: int, rows: int = 0) -> list[str]:
    """Return the lines of a service, each client with its name in front, in at most `MOST_LINES` with its rows above.

    A client that needs fewer lines than its share leaves the others more.
    """
    blocks = [[(text.rank, _lines(name, text.words, columns)) for text in texts] for name, texts in clients]
    needed = sorted((sum(len(lines) for _, lines in block), place) for place, block in enumerate(blocks))
    room: dict[int, int] = {}
    for nth, (count, place) in enumerate(needed):
        share = (MOST_LINES - rows - sum(room.values())) // (len(needed) - nth)
        room[place] = min(count, max(LEAST_LINES, share))
    return [line for place, (name, _) in enumerate(clients) for line in _fitted(name, blocks[place], room[place])]


def _lines(name: str, words: str, columns: int) -> list[str]:
    return wrapped(visible(f"{name}: {words}"), columns, INDENT)


def _fitted(name: str, block: Sequence[tuple[Rank, list[str]]], room: int) -> list[str]:
    """Return the lines of a client; where they are more than `room`, those of the least rank are counted instead."""
    if sum(len(lines) for _, lines in block) <= room:
        return [line for _, lines in block for line in lines]
    kept, left = set[int](), room - 1
    for place, (_, lines) in sorted(enumerate(block), key=lambda item: item[1][0]):
        if len(lines) <= left:
            kept.add(place)
            left -= len(lines)
    folded = Counter(rank is Rank.GRAVE for place, (rank, _) in enumerate(block) if place not in kept)
    grave = counted(folded[True], "more cause") + " of work that stops or is lost"
    others = counted(folded[False], "more line")
    shown = " and ".join(text for text, kind in ((grave, True), (others, False)) if folded[kind])
    return [
        *(line for place, (_, lines) in enumerate(block) if place in kept for line in lines),
        f"{name}: {shown}: --all",
    ]
