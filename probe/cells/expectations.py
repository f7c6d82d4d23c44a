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
    """Compare an expectation with a cell; a cell without a judgement, or with too few trials, never passes."""
    if settled is None or settled.outcome in UNSETTLED:
        reason = "no trial is stored" if settled is None else f"{settled.outcome}: {settled.verdicts[0].reason}"
        return Finding(expectation, Status.UNJUDGED, f"expected {_wanted(expectation)}; {reason}", settled)
    wrong = next(_wrong(expectation, settled), "")
    if not wrong and not _is_certain(expectation, settled):
        text = f"expected {_wanted(expectation)}; judged so far: {_got(expectation, settled)}"
        return Finding(expectation, Status.UNJUDGED, text, settled)
    if expectation.known_wrong:
        if wrong:
            return Finding(expectation, Status.KNOWN_WRONG, f"{wrong} ({expectation.known_wrong})", settled)
        text = (
            f"{_got(expectation, settled)} as expected, but the entry is marked known_wrong: {expectation.known_wrong}"
        )
        return Finding(expectation, Status.STALE, f"{text}; remove the mark", settled)
    if wrong:
        return Finding(expectation, Status.FAILS, wrong, settled)
    return Finding(expectation, Status.HOLDS, _got(expectation, settled), settled)


def _wanted(expectation: Expectation) -> str:
    """Return the outcomes that an entry claims, with the number of trials if there are several."""
    claim, count = expectation.claim, expectation.trials
    parts = ((claim.outcome, "each"), (claim.bad_in_some, "some"), (claim.good_never, "none"))
    texts = [(" or ".join(names), share) for names, share in parts if names]
    return " and ".join(names if count == 1 else f"{names} in {share} of {count} trials" for names, share in texts)


def _got(expectation: Expectation, settled: SettledCell) -> str:
    return settled.tally if expectation.trials == 1 else f"{settled.tally} in {len(settled.verdicts)} trials"


def _is_certain(expectation: Expectation, settled: SettledCell) -> bool:
    """Return whether further trials could not change that nothing is wrong."""
    claim = expectation.claim
    only_some = claim.bad_in_some and not (claim.outcome or claim.good_never)
    return bool(only_some and _is_seen(expectation, settled)) or len(settled.verdicts) >= expectation.trials


def _is_seen(expectation: Expectation, settled: SettledCell) -> bool:
    """Return whether a trial has an outcome that some trials must have."""
    return any(verdict.outcome in expectation.claim.bad_in_some for verdict in settled.verdicts)


def _wrong(expectation: Expectation, settled: SettledCell) -> Iterator[str]:
    claim, enough = expectation.claim, len(settled.verdicts) >= expectation.trials
    if any(verdict.outcome not in claim.allowed for verdict in settled.verdicts):
        yield f"expected {_wanted(expectation)}, got {_got(expectation, settled)}"
    if claim.bad_in_some and not _is_seen(expectation, settled) and enough:
        yield f"expected {_wanted(expectation)}, got {_got(expectation, settled)}"
    for name, wanted in claim.facts.items():
        for verdict in settled.verdicts:
            got = _fact(verdict, name)
            if verdict.outcome in claim.needed and not fits(got, wanted):
                yield f"expected {verdict.outcome} with {name} = {_text(wanted)}, got {name} = {_text(got)}"


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
