"""Answer three questions about a history: which verdict, may the observation end, does the outcome conform."""

from __future__ import annotations

from dataclasses import dataclass, replace

from probe.model import (
    App,
    AppKind,
    Cell,
    EngineEvent,
    EngineKind,
    Expectation,
    Facts,
    History,
    Outcome,
    Profile,
    Reaction,
    Reality,
    Verdict,
)
from probe.model.outcomes import NO_ANSWER
from probe.model.roles import ROLES
from probe.verdict.findings import Findings, find
from probe.verdict.instances import others
from probe.verdict.other_cluster import served_elsewhere
from probe.verdict.patience import patience_ms
from probe.verdict.progress import (
    Progress,
    has_recovered,
    here_ms,
    kept_waiting,
    observe,
    reached,
    watched_enough,
)
from probe.verdict.reason_text import bystander_text, reader_text, reason_text
from probe.verdict.standstill_text import standstill_text
from probe.verdict.table import RULES_VERSION, Rule, decide
from probe.verdict.wire_evidence import WireEvidence

ENDINGS = frozenset({AppKind.FATAL, AppKind.CLOSED, AppKind.UNSUPPORTED})
STORM_WATCH_MS = 5000
"""A client that reached its goal is observed for this time, since some storms begin after success."""
UNSEEN_MS = 1500
"""Time from reaching a goal until it is certain: a second without errors comes first (docs/verdicts.md#recovered)."""
SUCCESSES_ELSEWHERE = 3
"""Number of operations in another cluster that show that a client goes on there."""
MOMENT_MS = 400
MOMENTS = 50
"""Where the verdict may become certain at any moment, it is checked this number of times in the time that passed."""
GIVE_UP_MS = 60000
"""A trial whose target never became available is not observed longer than twice its patience and this time."""


def judge(history: History) -> Verdict:
    """Judge a history by the table. The same history always gets the same verdict."""
    found = find(history)
    rule = decide(found)
    facts = replace(found.facts, rescued_by=found.rescuer) if rule.outcome is Outcome.LATE else found.facts
    return Verdict(
        outcome=rule.outcome,
        reason=sentence(rule, found),
        conforms=conforms(found.cell, found.play, rule.outcome, facts, at_limit=found.at_limit),
        facts=facts,
        rules=RULES_VERSION,
    )


def sentence(rule: Rule, found: Findings) -> str:
    """Return the sentence of a rule about findings."""
    beside = (
        "" if rule.outcome in NO_ANSWER else reader_text(found) + standstill_text(found.facts) + bystander_text(found)
    )
    return rule.reason.format_map(reason_text(found)) + beside


def conforms(cell: Cell, play: Expectation, outcome: Outcome, facts: Facts, *, at_limit: bool = False) -> bool | None:
    """Return whether an outcome conforms. None where the cell is informative or the outcome says nothing.

    In profile `no-retries` an error may surface; so may errors that end calls at their promised limit (`at_limit`),
    where the client recovered as it should. A client does not conform if its bystander got errors, or had a gap
    longer than prompt, without the time in which brokers kept it waiting.
    """
    if not play.conforms or play.reality is not Reality.EFFECTIVE or outcome in NO_ANSWER:
        return None
    if facts.bystander_errors or (facts.bystander_own_gap_ms or 0) > play.prompt_ms:
        return False
    if at_limit and outcome is Outcome.SURFACES and play.expects in {Reaction.DISCOVER, Reaction.RETRY}:
        return True
    return outcome in Profile.parse(cell.profile).conforming(play.conforms)


def certain(history: History) -> bool:
    """Return whether a longer observation cannot change the verdict."""
    return not outlook(history).left_ms


@dataclass(frozen=True, slots=True)
class Outlook:
    """Whether a longer observation of a trial can change its verdict."""

    left_ms: int
    """0 = it cannot change the verdict. Otherwise the time for which this cannot become true."""
    needs_event: bool = False
    """During the observation this cannot become true before an event about the affected object."""
    settled: bool = False
    """It is true after that time in any case: the client reached its goal, and is observed for storms only."""
    recovered: bool | None = None
    """As in the facts, where it was computed."""


def outlook(history: History) -> Outlook:
    """Return whether a longer observation can change the verdict, and when to check again.

    The check is cheap in the first seconds, when no verdict can be certain. The end of an instance makes it certain at
    once.
    """
    header = history.header
    begin: int | None = None
    beside = others(header.subject)
    for event in history.events:
        if isinstance(event, App) and event.kind in ENDINGS and event.instance not in beside:
            return Outlook(0)
        if begin is None and isinstance(event, EngineEvent) and event.kind is EngineKind.FAULT_ON:
            begin = event.at
    now = history.events[-1].at if history.events else 0
    if begin is not None:
        left = min(STORM_WATCH_MS, header.play.watch_ms) - max(header.watched_ms, (now - begin) // 1000)
        if left > 0:
            return Outlook(left)
    progress = observe(WireEvidence(history))
    return replace(_outlook(progress), recovered=has_recovered(progress))


def _outlook(progress: Progress) -> Outlook:
    evidence, watched = progress.reading, progress.watched_ms
    play = evidence.play
    moment = max(MOMENT_MS, watched // MOMENTS)
    there = reached(progress)
    if play.expects is Reaction.NOTHING:
        left = play.watch_ms - min(watched, here_ms(progress))
        if left > 0:
            return Outlook(left)
        return Outlook(0 if there or watched_enough(progress) else moment)
    if there and progress.hits:
        left = max(0, STORM_WATCH_MS - (evidence.timeline.until - _goal_at(progress)) // 1000)
        role = ROLES[evidence.role]  # a heartbeat may be due then, or the next transaction may fail
        return Outlook(left, settled=not (role.member or role.transactional))
    by_goal = moment if progress.errors.affected else STORM_WATCH_MS - UNSEEN_MS
    if watched < play.watch_ms:
        return Outlook(min(by_goal, play.watch_ms - watched), needs_event=not there)
    if len(served_elsewhere(evidence)) >= SUCCESSES_ELSEWHERE:
        return Outlook(0)  # a promise is broken, whatever comes
    over = not progress.hits or watched_enough(progress) or watched >= 2 * patience_ms(evidence.header) + GIVE_UP_MS
    return Outlook(0 if over and not kept_waiting(progress) else moment)


def _goal_at(progress: Progress) -> int:
    if progress.reading.play.expects is Reaction.SURFACE:
        return progress.errors.affected[0].at
    return progress.reading.timeline.until if progress.recovery.at is None else progress.recovery.at
