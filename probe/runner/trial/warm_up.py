"""A client's warm-up: it serves, its metadata is old enough, and the fault may come."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from probe.model import App, AppKind, Engine, MarkKind, Role
from probe.model.clock import now_us
from probe.recorder import Recorder
from probe.runner.trial.client_limits import refresh_ms
from probe.runner.trial.compatibility import why_not
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.state import Course
from probe.scenarios.reach import Versions, depends_on_version, out_of_reach
from probe.verdict.apis import MAIN
from probe.verdict.usage_counts import versions_used
from probe.verdict.wire_evidence import Reading

WARM_S = 45.0
"""A client that serves nothing for so long has no steady state here."""
WARM_OPERATIONS, WARM_TRANSACTIONS = 3, 2
"""As many as make a recovery (SEMANTICS 2). A third transaction took 15 s more on busy brokers of 2.6, and the whole
cohort waited for it."""
SHORT_REFRESH_MS = 5000
"""A periodic refresh at least this often ticks three times before the fault, which comes at a seeded phase."""


async def warm_up(course: Course, pacing: Pacing, served: Callable[[], None]) -> bool:
    """Wait until operations succeed on both partitions and metadata is old enough; say whether they do.

    `served` is called in between.
    """
    recorder, subject = course.recorder, course.header.subject
    reached = await recorder.until(lambda now: now.ending is not None or serves(course, now), WARM_S)
    if recorder.ending is not None:
        _ended_early(course, recorder.ending)
        return False
    if not reached:
        if reason := _does_not_speak(course):
            course.header = replace(course.header, impossible=reason)
            return False
        partitions = (subject.affected, subject.bystander)
        counts = ", ".join(f"{recorder.successes[partition]} on partition {partition}" for partition in partitions)
        course.problem(f"warm-up did not end within {WARM_S:.0f} s: {counts} succeeded")
        return False
    course.learn()
    if reason := _impossible(course):
        course.header = replace(course.header, impossible=reason)
        return False
    recorder.mark(MarkKind.WARM)
    served()
    await pacing.wait(_phase_s(course))
    if _young_ms(course) and not _ticks_often(course):  # franz-go's producer asks once more at just that age
        await pacing.wait(_phase_s(course))
    return True


def serves(course: Course, now: Recorder) -> bool:
    """Say whether operations have succeeded on both partitions, and whatever else the role does."""
    subject, role = course.header.subject, course.item.cell.role
    served = all(now.successes[partition] >= WARM_OPERATIONS for partition in (subject.affected, subject.bystander))
    if role is Role.TRANSACTIONAL:
        served = now.kinds[AppKind.TXN_COMMITTED] >= WARM_TRANSACTIONS
    if subject.bystander_instance:
        served = served and now.beside >= WARM_OPERATIONS
    return served and (role is not Role.GROUP or now.kinds[AppKind.COMMITTED] > 0)


def _impossible(course: Course) -> str:
    """Say why this client, as it is set, cannot meet the fault."""
    part = course.item.part
    acks = course.recorder.settings.get("acks", "all")
    if part.acks_all and acks not in {"all", "-1"}:
        return f"it writes with acks={acks}, which waits for no other replica; profile idempotent asks for all"
    return out_of_reach(part, _versions(course)) if depends_on_version(part) else ""


def _versions(course: Course) -> Versions:
    """Return the highest version of each request in warm-up, as the verdict's facts name them."""
    return dict(versions_used(Reading(course.history())))


def _does_not_speak(course: Course) -> str:
    """Say why a client cannot work with real brokers of this line, if it cannot.

    Only the control cell finds it out: whoever was well there and says nothing now has brokers that are too busy.
    """
    recorder, cell = course.recorder, course.item.cell
    if cell.engine is not Engine.KAFKA or not course.item.is_control:
        return ""
    served = bool(recorder.successes) or recorder.kinds[AppKind.TXN_COMMITTED] > 0
    return why_not(cell.broker, recorder.history(course.header).events, MAIN[cell.role], served=served)


def _ended_early(course: Course, ending: App) -> None:
    if ending.kind is AppKind.UNSUPPORTED:
        course.header = replace(course.header, impossible=ending.text or "the driver says so")
    elif reason := _does_not_speak(course):
        course.header = replace(course.header, impossible=reason)
    else:
        reason = ending.text or (ending.error.text if ending.error else "")
        course.problem(f"the client ended in warm-up ({ending.kind}): {reason}")


def _phase_s(course: Course) -> float:
    """Return how long to wait before the fault: past the minimum discovery age, at a seeded phase of any refresh."""
    header = course.header
    rng = random.Random(f"{header.seed}/{header.cell}/{header.trial}")  # noqa: S311  # no secret
    left_ms = _young_ms(course)
    if _ticks_often(course):
        every_ms = refresh_ms(course.recorder.settings)
        left_ms = max(left_ms, 3 * every_ms) + rng.randrange(every_ms)
    return (left_ms + rng.randrange(course.item.beat_ms)) / 1000


def _young_ms(course: Course) -> int:
    """Return how much older metadata must grow before the client would ask again; 0 if it is old enough."""
    age_ms = course.header.limits.min_discovery_age_ms
    return max(0, age_ms - (now_us() - course.recorder.discovered_at) // 1000) if age_ms else 0


def _ticks_often(course: Course) -> bool:
    return 0 < refresh_ms(course.recorder.settings) <= SHORT_REFRESH_MS
