"""KIPs that decide an incident, and what each library declares about them (`data/kips.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from probe.catalogue.files import data_file
from probe.model.cell import Role
from probe.model.versions import version_key


class Answer(StrEnum):
    """An answer about a KIP. There is no fourth: what is not known is no guess."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kip:
    """A Kafka Improvement Proposal."""

    number: int
    title: str
    asks: str
    """The deed of a client that follows it, as a clause without subject."""
    roles: tuple[Role, ...]
    """The roles that it concerns."""

    def __str__(self) -> str:
        return f"KIP-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement of a library's own documents about a KIP."""

    answer: Answer
    words: str = ""
    """Further words of theirs: `Early Access`; empty = none."""
    opt_in: str = ""
    """The setting that switches it on; empty = it is on by default."""
    source: str = ""
    """File and release, with what stands there; empty = nothing was found."""
    link: str = ""

    @property
    def shown(self) -> str:
        """Return the answer; of what a setting switches on, that it is off by default."""
        return f"{self.answer}, opt-in" if self.answer is Answer.YES and self.opt_in else str(self.answer)


NOTHING = Statement(answer=Answer.UNKNOWN, words="no statement of its documents is listed")
"""The statement of a library of which none is listed."""
_UNCLEAR = "unclear"
_ANSWERS: Mapping[str, Answer] = {"yes": Answer.YES, "no": Answer.NO, _UNCLEAR: Answer.UNKNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One `[[declared]]`: the first one that covers a version counts."""

    family: str
    kip: int
    answer: str = "yes"
    """`yes`, `no`, or `unclear`: neither, as `words` say."""
    since: str = ""
    """First version; empty = all."""
    until: str = ""
    """Last version; empty = all later ones."""
    earlier: str = ""
    """The answer for versions before `since`, by the same source; empty = it says nothing of them."""
    words: str = ""
    opt_in: str = ""
    source: str
    link: str

    def statement_about(self, version: str) -> Statement | None:
        """Return the statement about a version; None if there is none."""
        key = version_key(version)
        if self.since and key < version_key(self.since):
            if not self.earlier:
                return None
            words = self.words if self.earlier == _UNCLEAR else f"came with {self.since}"
            return self._as(_ANSWERS[self.earlier], words)
        if self.until and key > version_key(self.until):
            return None
        return self._as(_ANSWERS[self.answer], self.words)

    def _as(self, answer: Answer, words: str) -> Statement:
        opt_in = self.opt_in if answer is Answer.YES else ""
        return Statement(answer=answer, words=words, opt_in=opt_in, source=self.source, link=self.link)


@cache
def kips() -> tuple[Kip, ...]:
    """Return the KIPs, by number."""
    found = (Kip(**{**row, "roles": tuple(map(Role, row["roles"]))}) for row in _file()["kip"])
    return tuple(sorted(found, key=lambda one: one.number))


@cache
def documented() -> frozenset[str]:
    """Return the families whose documents were read."""
    return frozenset(row.family for row in _rows())


def declared(family: str, version: str, kip: int) -> Statement:
    """Return what the documents of a library say of a KIP in a version; `NOTHING` where none does."""
    mine = (row.statement_about(version) for row in _rows() if row.family == family and row.kip == kip)
    return next((said for said in mine if said is not None), NOTHING)


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(data_file("kips.toml").read_text(encoding="utf-8"))


@cache
def _rows() -> tuple[_Row, ...]:
    return tuple(_Row(**row) for row in _file()["declared"])
