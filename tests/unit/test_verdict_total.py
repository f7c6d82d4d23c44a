"""The verdict table is total: every history and every combination of facts has a row, and every row is reachable."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from probe.model import (
    App,
    AppKind,
    Cell,
    ClientError,
    Closed,
    Engine,
    EngineEvent,
    EngineKind,
    Event,
    Expectation,
    Facts,
    Folded,
    History,
    Mark,
    MarkKind,
    Opened,
    Outcome,
    Reaction,
    Request,
    Reroute,
    Response,
    Role,
    Row,
    Stored,
    Symptom,
    Target,
    Verdict,
)
from probe.verdict import RULES, RULES_VERSION, certain, judge
from probe.verdict.findings import Findings
from probe.verdict.members import Taken
from probe.verdict.reason_text import reason_text
from probe.verdict.table import decide
from tests.support.histories import history
from tests.support.transcript import ME, NEW, OLD, STEADY, STORAGE_ERROR, THIRD, TOPIC, ZERO

CELL = Cell("f", "1", Role.PRODUCER, "isolated", "s", Engine.EMBEDDED, "3.9")
flags = st.booleans()
plays = st.builds(
    Expectation,
    kind=st.sampled_from(Symptom),
    expects=st.sampled_from(Reaction),
    target=st.sampled_from(Target),
    codes=st.sampled_from([(), (56, 6), (16,), (0,)]),
    apis=st.sampled_from([(), (0,), (1, 22)]),
    causes=st.sampled_from([(), ("error",), ("error", "disconnect"), ("bootstrap",)]),
    election_ms=st.sampled_from([None, 150, 9000]),
    prompt_ms=st.sampled_from([0, 1000, 3000]),
    watch_ms=st.sampled_from([0, 5000, 10_000]),
    conforms=st.sampled_from([(), (Outcome.REFRESHES,)]),
)
facts = st.builds(
    Facts,
    errors_surfaced=st.integers(0, 2),
    storm=st.sampled_from(["", "a", "bd"]),
    reroute=st.sampled_from([None, *Reroute]),
    fault_hits=st.integers(0, 3),
    fault_codes=st.sampled_from([(), (56,)]),
    recovery_ms=st.sampled_from([None, 5.0, 5000.0]),
    futile_requests_per_s=st.sampled_from([None, 0.0, 10.0]),
)
findings = st.builds(
    Findings,
    cell=st.just(CELL),
    play=plays,
    broken=st.sampled_from(["", "", "x"]),
    impossible=st.sampled_from(["", "", "x"]),
    provoked=flags,
    fatal=st.sampled_from(["", "", "x"]),
    promises=st.sampled_from([(), (), ("1 lost",)]),
    unserved=st.sampled_from(["", "", "x"]),
    goal=flags,
    enough=flags,
    only_soft=flags,
    by_cause=flags,
    slow=flags,
    rescuer=st.sampled_from(["itself", "retry"]),
    facts=facts,
)


@given(findings)
def test_every_combination_of_facts_has_a_row(found: Findings) -> None:
    rule = decide(found)
    earlier = RULES[: RULES.index(rule)]
    assert rule.holds(found)
    assert not any(item.holds(found) for item in earlier)
    assert rule.reason.format_map(reason_text(found))


def _found(expects: Reaction = Reaction.DISCOVER, **more: object) -> Findings:
    return Findings(cell=CELL, play=replace(STORAGE_ERROR, expects=expects), **more)  # type: ignore[arg-type]


SURFACED = Facts(errors_surfaced=1)
WITNESSES: dict[str, Findings] = {
    "broken": _found(broken="x", impossible="x"),
    "impossible": _found(impossible="x", provoked=False),
    "no hit": _found(provoked=False, goal=False),
    "ended": _found(fatal="x", promises=("1 lost",)),
    "promise broken": _found(promises=("1 lost",), goal=False),
    "never served": _found(unserved="x", goal=False, enough=False),
    "not yet": _found(goal=False, enough=False),
    "goal missed": _found(goal=False, facts=Facts(storm="b")),
    "storm": _found(facts=Facts(storm="b", errors_surfaced=1)),
    "read again late": _found(Reaction.NOTHING, taken=Taken(longest_ms=9_000, partition=1, due_ms=5_000)),
    "nothing expected, no error": _found(Reaction.NOTHING, provoked=False),
    "nothing expected, an error": _found(Reaction.NOTHING, facts=SURFACED),
    "surfacing expected": _found(Reaction.SURFACE, facts=SURFACED),
    "retrying expected, no error": _found(Reaction.RETRY),
    "retrying expected, an error": _found(Reaction.RETRY, slow=True, facts=SURFACED),
    "only soft hits": _found(only_soft=True, by_cause=False),
    "late": _found(slow=True, facts=SURFACED),
    "an error": _found(facts=Facts(errors_surfaced=1, reroute=Reroute.HINT)),
    "hint": _found(facts=Facts(reroute=Reroute.HINT)),
    "refresh": _found(facts=Facts(reroute=Reroute.REFRESH)),
}


def test_every_row_is_reachable() -> None:
    assert [rule.name for rule in RULES] == list(WITNESSES)
    for name, found in WITNESSES.items():
        assert decide(found).name == name


def test_a_retry_without_its_cause_is_late() -> None:
    assert decide(_found(Reaction.RETRY, by_cause=False)).name == "late"


def test_cell_outcomes_are_no_trial_outcomes() -> None:
    reached = {rule.outcome for rule in RULES}
    assert set(Outcome) - reached == {Outcome.FLAKY, Outcome.NOT_RUN}


# random histories

times = st.integers(ZERO - 3_000_000, ZERO + 12_000_000)
brokers = st.sampled_from([-1, 0, OLD, NEW, THIRD])
conns = st.integers(0, 4)
corrs = st.integers(0, 6)
apis = st.sampled_from([0, 1, 2, 3, 8, 10, 11, 12, 18, 22, 23, 999])
codes = st.sampled_from([0, 0, 6, 16, 56, -1, 9])
rows = st.lists(
    st.builds(
        Row,
        topic=st.sampled_from(["", TOPIC, "other"]),
        partition=st.sampled_from([-1, 0, 1]),
        key=st.sampled_from(["", "g", "tx"]),
        key_type=st.sampled_from([-1, 0, 1]),
        code=codes,
        leader=st.sampled_from([None, -1, OLD, NEW]),
    ),
    max_size=3,
).map(tuple)
wire = {"conn": conns, "broker": brokers}
call = {"api": apis, "version": st.integers(0, 17), "rows": rows, "corr": corrs, **wire}
numbers = st.integers(-1, 30)
counts = st.integers(0, 3000)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Opened, at=times, **wire),
    st.builds(Closed, at=times, by=st.sampled_from(["client", "broker", "relay"]), **wire),
    st.builds(Request, at=times, everything=flags, acks=st.sampled_from([None, 0, 1, -1]), size=numbers, **call),
    st.builds(Response, at=times, sent_at=times, code=codes, error=st.sampled_from(["", "short"]), **call),
    st.builds(
        Folded, at=times, until=times, api=apis, version=numbers, requests=counts, responses=counts, rows=rows, **wire
    ),
    st.builds(
        App,
        at=times,
        kind=st.sampled_from(AppKind),
        instance=st.just(ME),
        partition=st.sampled_from([-1, 0, 1]),
        sequence=numbers,
        offset=numbers,
        origin_at=st.sampled_from([0, ZERO + 5_000_000]),
        error=st.sampled_from([None, ClientError(56, "KAFKA_STORAGE_ERROR", "E"), ClientError(-1, "", "E")]),
        partitions=st.sampled_from([(), (0,), (0, 1)]),
    ),
    st.builds(
        EngineEvent,
        at=times,
        kind=st.sampled_from(EngineKind),
        broker=brokers,
        topic=st.sampled_from(["", TOPIC]),
        partition=st.sampled_from([-1, 0, 1]),
        key=st.sampled_from(["", "g"]),
    ),
    st.builds(Mark, at=times, kind=st.sampled_from(MarkKind)),
)


@settings(max_examples=120, deadline=None)
@given(
    drawn=st.lists(events, max_size=40),
    play=plays,
    role=st.sampled_from(Role),
    stored=st.lists(st.builds(Stored, st.integers(0, 1), numbers, st.sampled_from([ME, "feed"]), numbers), max_size=4),
    begun=flags,
)
def test_every_history_has_a_verdict(
    drawn: list[Event], play: Expectation, role: Role, stored: list[Stored], begun: bool
) -> None:
    fault = [EngineEvent(at=ZERO, kind=EngineKind.FAULT_ON)] if begun else []
    plain = history(role=role, play=play, bystander=False, stored=tuple(stored), committed={0: 5})
    whole = tuple(sorted([*plain.events[:30], *fault, *drawn], key=lambda event: event.at))
    trial = History(plain.header, whole)
    found = judge(trial)
    assert found.rules == RULES_VERSION
    assert found.reason
    assert certain(trial) in {True, False}
    _sound(found)
    assert judge(trial) == found


def _sound(found: Verdict) -> None:
    """Check properties of every verdict."""
    facts = found.facts
    assert min(facts.fault_hits, facts.soft_hits, facts.refreshes, facts.errors_surfaced) >= 0
    assert facts.soft_hits <= facts.fault_hits
    for value in (facts.refresh_ms, facts.reroute_ms, facts.recovery_ms, facts.outage_ms, facts.bystander_gap_ms):
        assert value is None or value >= 0
    assert bool(facts.rescued_by) == (found.outcome is Outcome.LATE)
    if found.outcome in {Outcome.REFRESHES, Outcome.HINTED}:
        assert facts.recovered
        assert facts.fault_hits
        assert not facts.errors_surfaced


def test_an_empty_history_is_broken_and_no_exception() -> None:
    empty = History(history(play=STEADY).header, ())
    assert judge(empty).outcome in {Outcome.BROKEN, Outcome.WAITING, Outcome.STUCK}
    assert judge(replace(empty, header=replace(empty.header, play=STORAGE_ERROR))).outcome is Outcome.BROKEN
