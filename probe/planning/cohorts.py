"""Trials that observe a fault together, and how long cohorts take. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from operator import itemgetter

from probe.model import Target
from probe.model.engines import ENGINES
from probe.model.security import Security
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.planning.plan import Plan, Planned, seconds_of, settled_after_s
from probe.scenarios.cluster_spec import ClusterSpec

MAX_COHORT = 64
"""Most cells of a cohort, if `--jobs` allows it: with more clients, two cores have no capacity left for brokers."""
MAX_SILENCE_COHORT = 72
"""Most cells of a cohort that observes silence for minutes, at a long interval. Clients of a leader and clients of a
coordinator are then in one cohort, so one cluster serves both."""
MAX_STARTING_COHORT = 28
"""Most cells of a cohort whose clients start under the fault, all at once."""
MAX_PROCESSES_COHORT = 12
"""Most cells of a cohort whose clients have a process each."""
COHORTS_PER_CLUSTER = 6
"""Number of cohorts from which another cluster is worth its start."""
MAX_CLUSTERS = 4
"""Most clusters at once, where memory allows it, whose clients start or whose fault is observed or reverted. Each costs
CPU to start and some more while it idles; see docs/performance.md."""
MAX_SILENCE_CLUSTERS = 4
"""Most additional clusters whose cohorts observe silence. With fewer of them, cohorts wait for a cluster while cores
are idle."""
LONG_START_SHARE = 0.6
"""Share of a line's cohorts within which all long cohorts begin, so that they do not remain alone at the end."""
CLUSTER_S, SEAT_S, WARM_S, MEND_S = 12.0, 0.4, 9.0, 14.0
"""Approximate seconds on two cores: start of a cluster; start of one more client; warm-up, with the traffic before the
fault; revert and read-back. For estimates only."""


@dataclass(frozen=True, slots=True)
class TrialTask:
    """One trial to run."""

    item: Planned
    trial: int
    attempt: int = 0
    """Number of earlier attempts in which the harness failed."""
    alone: bool = False
    """Its driver runs nothing else, since the driver died in an earlier attempt."""
    young: bool = False
    """It has no harmless election, since its client did not bear it in an earlier attempt."""
    most: int | None = None
    """Most cells of its cohort, after a larger one that was given back."""


def into_cohorts(work: Iterable[TrialTask], size: int) -> list[Sequence[TrialTask]]:
    """Group trials that can observe one fault: same line, workload, steps and expectation; control cells apart.

    The cohorts of the lines are sorted by line. Two trials of one cell are never in one cohort: they would be one
    sample instead of two.
    """
    cohorts: list[Sequence[TrialTask]] = []
    for _, group in groupby(sorted(work, key=_key), key=_key):
        members = list(group)
        most = min(members[0].most or size, size, _max_size(members[0].item))
        count = -(-len(members) // most)
        share = -(-len(members) // count)
        cohorts += [sorted(members[at : at + share], key=_age_it_needs) for at in range(0, len(members), share)]
    return cohorts


def _max_size(item: Planned) -> int:
    if item.variant.cluster.own_tls:  # nobody can tell whose connection ends before its first request
        return 1
    if item.variant.alone:
        return MAX_PROCESSES_COHORT
    if item.variant.at_start or item.variant.second_instance:
        return MAX_STARTING_COHORT
    return MAX_SILENCE_COHORT if observes_silence(item) else MAX_COHORT


def observes_silence(item: Planned) -> bool:
    """Return whether a trial is observed for a minute or longer, as far as is known before."""
    return _watches_silence(item) or (item.limits.to_the_end and not item.is_control)


def _watches_silence(item: Planned) -> bool:
    return item.expectation.watch_ms >= LONG_OBSERVATION_MS


def _age_it_needs(work: TrialTask) -> int:
    """Sort trials first whose metadata must be old before the fault: all others wait for them."""
    return -work.item.limits.min_discovery_age_ms


def cluster_layout(work: Sequence[TrialTask], jobs: int, clusters: int) -> tuple[list[Sequence[TrialTask]], int]:
    """Return the cohorts in order, and how many of them may run at once.

    One starts and injects its fault while others observe or revert. Cohorts with equal clusters come together, control
    cells first; long and short ones alternate, so that some observe while others start.
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
    """Return how many of the next cohorts can use a cohort's cluster."""
    return sum(1 for _ in takewhile(lambda later: kind_of(later) == kind_of(cohort), queue))


def kind_of(cohort: Sequence[TrialTask]) -> tuple[str, ClusterSpec, Security | None]:
    """Return the release line of a cohort's cluster, how it is built, and the security of its listeners."""
    item = cohort[0].item
    return item.cell.broker, item.variant.cluster, item.profile.security


def _in_turn(cohorts: Sequence[Sequence[TrialTask]]) -> list[Sequence[TrialTask]]:
    """Spread the long cohorts evenly among the first of the short ones; of each kind the longest comes first."""
    ordered = sorted(cohorts, key=lambda cohort: -cohort_s(cohort, None))
    long, short = ([one for one in ordered if is_long(one) is wanted] for wanted in (True, False))
    before = max(0.0, LONG_START_SHARE - (1 - LONG_START_SHARE) * len(long) / max(1, len(short)))  # share of the short
    places = [(before * place / len(long), one) for place, one in enumerate(long)]
    places += [(place / len(short), one) for place, one in enumerate(short, 1)]
    return [cohort for _, cohort in sorted(places, key=itemgetter(0))]


def is_long(cohort: Sequence[TrialTask]) -> bool:
    """Return whether a cohort observes silence."""
    return any(observes_silence(work.item) for work in cohort)


def _key(work: TrialTask) -> tuple[str, bool, str, str, int, int]:
    cell = work.item.cell
    variant = work.item.variant
    if _watches_silence(work.item):  # the steps are the same for clients of the leader and of the coordinator
        variant = replace(variant, roles=(), expectation=replace(variant.expectation, target=Target.CLUSTER))
    which = f"{cell.scenario}{cell.unusual}"  # the load of a cohort is that of its workload
    if work.item.profile.security is not None:
        which += f" {work.item.profile.security}"
    if work.item.limits.to_the_end:  # such a client may be observed for minutes, and others would wait for it
        which += " to the end"
    return cell.broker, not work.item.is_control, which, repr(variant), work.trial, work.most or 0


def estimate_s(plan: Plan, jobs: int, watch_ms: int | None) -> float:
    """Return about how many seconds a plan takes with `jobs` trials at once."""
    if not any(ENGINES[item.cell.engine].cohorts for item in plan.cells):
        return plan.estimate_s(jobs, watch_ms)
    work = [TrialTask(item, n) for item in plan.cells for n in range(item.trials)]
    cohorts, at_once = cluster_layout(work, jobs, MAX_CLUSTERS)
    busy = sum(busy_s(cohort) for cohort in cohorts)
    seconds = max(busy, sum(cohort_s(cohort, watch_ms) for cohort in cohorts) / at_once)
    return seconds + CLUSTER_S * len({one.item.cell.broker for one in work})


def busy_s(cohort: Sequence[TrialTask]) -> float:
    """Return about how many seconds a cohort is busy: from its start until the reactions to the fault are over."""
    return WARM_S + SEAT_S * len(cohort) + max(settled_after_s(work.item) for work in cohort)


def alone_s(item: Planned, watch_ms: int | None) -> float:
    """Return by about how many seconds a cohort of one cell makes a run on real brokers longer."""
    cohort = (TrialTask(item, 0),)
    return max(busy_s(cohort), cohort_s(cohort, watch_ms) / MAX_CLUSTERS)


def cohort_s(cohort: Sequence[TrialTask], watch_ms: int | None) -> float:
    """Return about how many seconds a cohort takes, by its slowest cell; mostly one trial is observed to the end."""
    watch = max(seconds_of(work.item.expectation, work.item.limit_ms(watch_ms)) for work in cohort)
    longest = max(work.item.expectation.watch_ms / 1000 for work in cohort)
    watched = watch if watch_ms is not None else (watch + longest) / 2
    return WARM_S + SEAT_S * len(cohort) + watched + MEND_S
