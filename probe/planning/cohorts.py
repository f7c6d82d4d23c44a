"""Which trials watch a fault together, and how long cohorts take. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from operator import itemgetter

from probe.model import Engine, Target
from probe.planning.plan import LONG_MS, Plan, Planned, rest_after_s, seconds_of
from probe.scenarios.cluster_spec import Ground

TOGETHER = 64
"""Cells of a cohort at the most, if `--jobs` allows it: more clients leave two cores no room for brokers."""
IN_SILENCE = 72
"""The same where silence is watched for minutes, at a slow beat: whoever meets the fault as a leader's client and
whoever meets it as a coordinator's are one cohort, and keep one cluster for that time and not two."""
ROUNDS = 28
"""The same where clients start under the fault: they all start at once."""
MANY = 6
"""So many cohorts are worth another cluster."""
CLUSTERS = 4
"""There at once at the most, where memory allows it: those whose clients start, that are watched, or mended. Each
takes 20 CPU seconds to start, half of that to become quick, and a twentieth of two cores to do nothing."""
SILENT_CLUSTERS = 4
"""So many are there beside them whose cohorts watch silence: with four of five away for minutes, each cohort waited
half a minute for the one that was left to be mended, and a third of two cores was idle."""
LONG_WITHIN = 0.6
"""Within this share of a line's cohorts all begin that watch silence: minutes after the last of the others they would
be watched with nothing to do beside them."""
CLUSTER_S, SEAT_S, WARM_S, MEND_S = 12.0, 0.4, 6.0, 14.0
"""About, on two cores: a cluster's start; one more client that starts; warm-up; mending, reading back. For estimates
only."""


@dataclass(frozen=True, slots=True)
class Work:
    """One trial to be run."""

    item: Planned
    trial: int
    attempt: int = 0
    """How often the harness failed at it."""
    alone: bool = False
    """Its driver runs nothing else: it died when it did."""


def in_cohorts(work: Iterable[Work], size: int) -> list[Sequence[Work]]:
    """Put trials together that can watch one fault: same broker line, same play, control cells apart; lines in turn.

    Two trials of one cell never are in one cohort: they would be one sample and not two.
    """
    cohorts: list[Sequence[Work]] = []
    for _, group in groupby(sorted(work, key=_key), key=_key):
        members = list(group)
        most = min(size, _most(members[0].item))
        count = -(-len(members) // most)
        share = -(-len(members) // count)
        cohorts += [sorted(members[at : at + share], key=_age_it_needs) for at in range(0, len(members), share)]
    return cohorts


def _most(item: Planned) -> int:
    if item.part.at_start or item.part.second:
        return ROUNDS
    return IN_SILENCE if watches_silence(item) else TOGETHER


def watches_silence(item: Planned) -> bool:
    """Say whether a trial is watched for a minute and more."""
    return item.play.watch_ms >= LONG_MS


def _age_it_needs(work: Work) -> int:
    """Let those start first whose metadata must grow old before the fault may come: all others wait for them."""
    return -work.item.limits.min_discovery_age_ms


def layout(work: Sequence[Work], jobs: int, clusters: int) -> tuple[list[Sequence[Work]], int]:
    """Return the cohorts, and how many may be there at once: one starts and breaks, others only watch or are mended.

    Clusters that are built alike come together, control cells first; long and short ones in turn, so that some watch
    while others start.
    """
    cohorts = in_cohorts(work, jobs)
    kinds = dict.fromkeys(kind_of(cohort) for cohort in cohorts)
    alike = [[one for one in cohorts if kind_of(one) == kind] for kind in kinds]
    return [one for kind in alike for one in _controls_first(kind)], 1 if len(cohorts) < MANY else clusters


def _controls_first(cohorts: Sequence[Sequence[Work]]) -> list[Sequence[Work]]:
    controls, others = ([one for one in cohorts if one[0].item.is_control is control] for control in (True, False))
    return [*_in_turn(controls), *_in_turn(others)]


def follow(queue: Sequence[Sequence[Work]], cohort: Sequence[Work]) -> int:
    """Return how many cohorts come next that a cohort's cluster fits."""
    return sum(1 for _ in takewhile(lambda later: kind_of(later) == kind_of(cohort), queue))


def kind_of(cohort: Sequence[Work]) -> tuple[str, Ground]:
    """Return which line a cohort's cluster is of, and how it is built."""
    return cohort[0].item.cell.broker, cohort[0].item.part.ground


def _in_turn(cohorts: Sequence[Sequence[Work]]) -> list[Sequence[Work]]:
    """Spread the long ones evenly among the first of the short ones; of each kind the longest comes first."""
    ordered = sorted(cohorts, key=lambda cohort: -cohort_s(cohort, None))
    long, short = ([one for one in ordered if is_long(one) is wanted] for wanted in (True, False))
    places = [(LONG_WITHIN * place / len(long), one) for place, one in enumerate(long)]
    places += [(place / len(short), one) for place, one in enumerate(short, 1)]
    return [cohort for _, cohort in sorted(places, key=itemgetter(0))]


def is_long(cohort: Sequence[Work]) -> bool:
    """Say whether a cohort watches silence."""
    return any(watches_silence(work.item) for work in cohort)


def _key(work: Work) -> tuple[str, bool, str, str, int]:
    cell = work.item.cell
    part = work.item.part
    if watches_silence(work.item):  # the same steps, whatever of the broker a client works with
        part = replace(part, roles=(), play=replace(part.play, target=Target.CLUSTER))
    return cell.broker, not work.item.is_control, cell.scenario, repr(part), work.trial


def estimate_s(plan: Plan, jobs: int, watch_ms: int | None) -> float:
    """Return about how many seconds a plan takes with so many trials in flight."""
    if not any(item.cell.engine is Engine.KAFKA for item in plan.cells):
        return plan.estimate_s(jobs, watch_ms)
    work = [Work(item, n) for item in plan.cells for n in range(item.trials)]
    cohorts, at_once = layout(work, jobs, CLUSTERS)
    busy = sum(busy_s(cohort) for cohort in cohorts)
    seconds = max(busy, sum(cohort_s(cohort, watch_ms) for cohort in cohorts) / at_once)
    return seconds + CLUSTER_S * len({one.item.cell.broker for one in work})


def busy_s(cohort: Sequence[Work]) -> float:
    """Return about how many seconds a cohort is busy: it starts, and what was broken is over."""
    return WARM_S + SEAT_S * len(cohort) + max(rest_after_s(work.item) for work in cohort)


def cohort_s(cohort: Sequence[Work], watch_ms: int | None) -> float:
    """Return about how many seconds a cohort takes, by its slowest cell; somebody mostly watches to the end."""
    watch = max(seconds_of(work.item.play, watch_ms) for work in cohort)
    longest = max(work.item.play.watch_ms / 1000 for work in cohort)
    watched = watch if watch_ms is not None else (watch + longest) / 2
    return WARM_S + SEAT_S * len(cohort) + watched + MEND_S
