"""Which trials watch a fault together, and how long cohorts take. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from operator import itemgetter

from probe.model import Engine, Target
from probe.planning.plan import LONG_OBSERVATION_MS, Plan, Planned, seconds_of, settled_after_s
from probe.scenarios.cluster_spec import ClusterSpec

MAX_COHORT = 64
"""Cells of a cohort at the most, if `--jobs` allows it: more clients leave two cores no room for brokers."""
MAX_SILENCE_COHORT = 72
"""The same where silence is watched for minutes, at a slow beat: whoever meets the fault as a leader's client and
whoever meets it as a coordinator's are one cohort, and keep one cluster for that time and not two."""
MAX_STARTING_COHORT = 28
"""The same where clients start under the fault: they all start at once."""
COHORTS_PER_CLUSTER = 6
"""So many cohorts are worth another cluster."""
MAX_CLUSTERS = 4
"""There at once at the most, where memory allows it: those whose clients start, that are watched, or mended. Each
takes 20 CPU seconds to start, half of that to become quick, and a twentieth of two cores to do nothing."""
MAX_SILENCE_CLUSTERS = 4
"""So many are there beside them whose cohorts watch silence: with four of five away for minutes, each cohort waited
half a minute for the one that was left to be mended, and a third of two cores was idle."""
LONG_START_SHARE = 0.6
"""Within this share of a line's cohorts all begin that watch silence: minutes after the last of the others they would
be watched with nothing to do beside them."""
CLUSTER_S, SEAT_S, WARM_S, MEND_S = 12.0, 0.4, 6.0, 14.0
"""About, on two cores: a cluster's start; one more client that starts; warm-up; mending, reading back. For estimates
only."""


@dataclass(frozen=True, slots=True)
class TrialTask:
    """One trial to be run."""

    item: Planned
    trial: int
    attempt: int = 0
    """How often the harness failed at it."""
    alone: bool = False
    """Its driver runs nothing else: it died when it did."""


def into_cohorts(work: Iterable[TrialTask], size: int) -> list[Sequence[TrialTask]]:
    """Put trials together that can watch one fault: same broker line, same play, control cells apart; lines in turn.

    Two trials of one cell never are in one cohort: they would be one sample and not two.
    """
    cohorts: list[Sequence[TrialTask]] = []
    for _, group in groupby(sorted(work, key=_key), key=_key):
        members = list(group)
        most = min(size, _max_size(members[0].item))
        count = -(-len(members) // most)
        share = -(-len(members) // count)
        cohorts += [sorted(members[at : at + share], key=_age_it_needs) for at in range(0, len(members), share)]
    return cohorts


def _max_size(item: Planned) -> int:
    if item.variant.at_start or item.variant.second_instance:
        return MAX_STARTING_COHORT
    return MAX_SILENCE_COHORT if observes_silence(item) else MAX_COHORT


def observes_silence(item: Planned) -> bool:
    """Say whether a trial is watched for a minute and more."""
    return item.expectation.watch_ms >= LONG_OBSERVATION_MS


def _age_it_needs(work: TrialTask) -> int:
    """Let those start first whose metadata must grow old before the fault may come: all others wait for them."""
    return -work.item.limits.min_discovery_age_ms


def cluster_layout(work: Sequence[TrialTask], jobs: int, clusters: int) -> tuple[list[Sequence[TrialTask]], int]:
    """Return the cohorts, and how many may be there at once: one starts and breaks, others only watch or are mended.

    Clusters that are built alike come together, control cells first; long and short ones in turn, so that some watch
    while others start.
    """
    cohorts = into_cohorts(work, jobs)
    kinds = dict.fromkeys(kind_of(cohort) for cohort in cohorts)
    alike = [[one for one in cohorts if kind_of(one) == kind] for kind in kinds]
    return [one for kind in alike for one in _controls_first(kind)], 1 if len(
        cohorts
    ) < COHORTS_PER_CLUSTER else clusters


def _controls_first(cohorts: Sequence[Sequence[TrialTask]]) -> list[Sequence[TrialTask]]:
    controls, others = ([one for one in cohorts if one[0].item.is_control is control] for control in (True, False))
    return [*_in_turn(controls), *_in_turn(others)]


def cohorts_after(queue: Sequence[Sequence[TrialTask]], cohort: Sequence[TrialTask]) -> int:
    """Return how many cohorts come next that a cohort's cluster fits."""
    return sum(1 for _ in takewhile(lambda later: kind_of(later) == kind_of(cohort), queue))


def kind_of(cohort: Sequence[TrialTask]) -> tuple[str, ClusterSpec]:
    """Return which line a cohort's cluster is of, and how it is built."""
    return cohort[0].item.cell.broker, cohort[0].item.variant.cluster


def _in_turn(cohorts: Sequence[Sequence[TrialTask]]) -> list[Sequence[TrialTask]]:
    """Spread the long ones evenly among the first of the short ones; of each kind the longest comes first."""
    ordered = sorted(cohorts, key=lambda cohort: -cohort_s(cohort, None))
    long, short = ([one for one in ordered if is_long(one) is wanted] for wanted in (True, False))
    places = [(LONG_START_SHARE * place / len(long), one) for place, one in enumerate(long)]
    places += [(place / len(short), one) for place, one in enumerate(short, 1)]
    return [cohort for _, cohort in sorted(places, key=itemgetter(0))]


def is_long(cohort: Sequence[TrialTask]) -> bool:
    """Say whether a cohort watches silence."""
    return any(observes_silence(work.item) for work in cohort)


def _key(work: TrialTask) -> tuple[str, bool, str, str, int]:
    cell = work.item.cell
    variant = work.item.variant
    if observes_silence(work.item):  # the same steps, whatever of the broker a client works with
        variant = replace(variant, roles=(), expectation=replace(variant.expectation, target=Target.CLUSTER))
    return cell.broker, not work.item.is_control, cell.scenario, repr(variant), work.trial


def estimate_s(plan: Plan, jobs: int, watch_ms: int | None) -> float:
    """Return about how many seconds a plan takes with so many trials in flight."""
    if not any(item.cell.engine is Engine.KAFKA for item in plan.cells):
        return plan.estimate_s(jobs, watch_ms)
    work = [TrialTask(item, n) for item in plan.cells for n in range(item.trials)]
    cohorts, at_once = cluster_layout(work, jobs, MAX_CLUSTERS)
    busy = sum(busy_s(cohort) for cohort in cohorts)
    seconds = max(busy, sum(cohort_s(cohort, watch_ms) for cohort in cohorts) / at_once)
    return seconds + CLUSTER_S * len({one.item.cell.broker for one in work})


def busy_s(cohort: Sequence[TrialTask]) -> float:
    """Return about how many seconds a cohort is busy: it starts, and what was broken is over."""
    return WARM_S + SEAT_S * len(cohort) + max(settled_after_s(work.item) for work in cohort)


def cohort_s(cohort: Sequence[TrialTask], watch_ms: int | None) -> float:
    """Return about how many seconds a cohort takes, by its slowest cell; somebody mostly watches to the end."""
    watch = max(seconds_of(work.item.expectation, watch_ms) for work in cohort)
    longest = max(work.item.expectation.watch_ms / 1000 for work in cohort)
    watched = watch if watch_ms is not None else (watch + longest) / 2
    return WARM_S + SEAT_S * len(cohort) + watched + MEND_S
