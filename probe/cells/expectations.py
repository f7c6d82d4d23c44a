"""Compare a settled cell with the outcome and the facts of an expectation. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from probe.catalogue.known_results import Expectation
from probe.cells.aggregate import SettledCell
from probe.model import Verdict
from probe.model.outcomes import UNSETTLED


class Status(StrEnum):
    """The result of a comparison."""

    HOLDS = "holds"
    FAILS = "FAILS"
    STALE = "STALE"
    """The entry is marked `known_wrong`, but the expectation holds: the mark is out of date."""
    KNOWN_WRONG = "known wrong"
    UNJUDGED = "UNJUDGED"
    """Nothing was judged: the client is not available, or the harness failed."""


GOOD = frozenset({Status.HOLDS, Status.KNOWN_WRONG})


@dataclass(frozen=True, slots=True)
class Finding:
    """An expectation, the settled cell, and the result of their comparison."""

    expectation: Expectation
    status: Status
    text: str
    settled: SettledCell | None


def check(expectation: Expectation, settled: SettledCell | None) -> Finding:
    """Compare an expectation with a cell; a cell without a judgement never passes."""
    if settled is None or settled.outcome in UNSETTLED:
        reason = "no trial is stored" if settled is None else f"{settled.outcome}: {settled.verdicts[0].reason}"
        return Finding(expectation, Status.UNJUDGED, f"expected {_wanted(expectation)}; {reason}", settled)
    wrong = list(_wrong(expectation, settled))
    if expectation.known_wrong:
        if wrong:
            return Finding(expectation, Status.KNOWN_WRONG, f"{wrong[0]} ({expectation.known_wrong})", settled)
        text = f"{settled.tally} as expected, but the entry is marked known_wrong: {expectation.known_wrong}"
        return Finding(expectation, Status.STALE, f"{text}; remove the mark", settled)
    if wrong:
        return Finding(expectation, Status.FAILS, wrong[0], settled)
    return Finding(expectation, Status.HOLDS, settled.tally, settled)


def _wanted(expectation: Expectation) -> str:
    return " or ".join(expectation.outcomes)


def _wrong(expectation: Expectation, settled: SettledCell) -> Iterator[str]:
    if settled.outcome not in expectation.outcomes:
        yield f"expected {_wanted(expectation)}, got {settled.tally}"
    for name, wanted in expectation.facts.items():
        for verdict in settled.verdicts:
            got = _fact(verdict, name)
            if not fits(got, wanted):
                yield f"expected {settled.outcome} with {name} = {_text(wanted)}, got {name} = {_text(got)}"


def _fact(verdict: Verdict, name: str) -> Any:
    got = getattr(verdict.facts, name)
    if name == "api_versions":
        return dict(got)
    return list(got) if isinstance(got, tuple) else got


def fits(got: Any, wanted: Any) -> bool:
    """Return whether a fact is equal to `wanted`, within its `min` and `max`, or contains all of its items."""
    if not isinstance(wanted, Mapping):
        return bool(got == wanted)
    if isinstance(got, Mapping):
        return all(got.get(key) == value for key, value in wanted.items())
    if got is None:
        return False
    return bool(wanted.get("min", got) <= got <= wanted.get("max", got))


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return "none" if value is None else f"{value:.0f}" if isinstance(value, float) else str(value)
