"""Words for cells about log-ins and handshakes: whether the client got in again, and learned why not. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from probe.cells.aggregate import SettledCell
from probe.model import LearnedBy
from probe.model.counts import counted

_LEARNED: Mapping[LearnedBy, str] = {
    LearnedBy.ERROR: "the application learns why by an error",
    LearnedBy.NOTICE: "the application learns why by a log line or callback only",
    LearnedBy.NOTHING: "the application never learns why",
}
FACTS = ("fault_hits", "reason_by", "recovery_ms")
"""The facts that these words rest on."""
_SESSIONS = "auth/session-"
"""Scenarios in which nothing is refused, and sessions end."""


def is_about_log_ins(scenario: str) -> bool:
    """Return whether a scenario is about log-ins or TLS handshakes."""
    return scenario.startswith(("auth/", "tls/"))


def log_in_remarks(answer: SettledCell | None) -> Iterator[str]:
    """Yield what the trials of a cell about log-ins show; nothing of other cells, and without evidence."""
    if answer is None or not is_about_log_ins(answer.cell.scenario):
        return
    trials = [verdict.facts for verdict in answer.verdicts]
    if answer.cell.scenario.startswith(_SESSIONS):
        cut = sum(facts.fault_hits > 0 for facts in trials)
        ends = "brokers end its connections when sessions are over"
        yield f"{ends}{_share(cut, len(trials))}" if cut else "it logs in again before its sessions are over"
        return
    back = [facts.recovery_ms for facts in trials if facts.recovery_ms is not None]
    after = f" within {max(back) / 1000:.1f} s" if back else ""
    yield (
        f"it works again by itself{after}{_share(len(back), len(trials))}" if back else "it never works again by itself"
    )
    learned = Counter(facts.reason_by for facts in trials if facts.reason_by is not LearnedBy.NONE)
    for way, count in learned.most_common():
        yield f"{_LEARNED[way]}{_share(count, len(trials))}"


def _share(count: int, whole: int) -> str:
    return "" if count == whole else f" (in {count} of {counted(whole, 'trial')})"
