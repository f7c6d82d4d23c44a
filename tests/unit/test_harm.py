"""Harm: one rank per trial, from its facts. Most rows are stored trials that were drawn and read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from probe.catalogue.harm_bounds import rendered
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.cli.wiring.catalogue import families
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Engine, Outcome, Role, Verdict
from probe.model.columns import FACTS, Facts
from probe.model.harm import (
    ANSWERED_MS,
    DEFAULTS_MS,
    FACTS_OF_HARM,
    SCOPED,
    SILENT_MS,
    Harm,
    TrialHarm,
    gravest,
    may_harm,
)
from probe.model.harm_bounds import TABLE, bounds_in
from probe.model.harm_rules import harm_of
from probe.model.outcomes import SAY_NOTHING
from probe.model.refusals import closed_at, refusal
from probe.model.session_timeouts import session_ms, timeouts
from probe.model.words import AfterHeal, OwnLimit

CELL = Cell("sarama", "1.43.2", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")
P, C, G, T = Role.PRODUCER, Role.CONSUMER, Role.GROUP, Role.TRANSACTIONAL
O = Outcome  # noqa: E741  # short in the table


def cell(role: Role = P, scenario: str = "leader/elected", profile: str = "isolated") -> Cell:
    return replace(CELL, role=role, scenario=scenario, profile=profile)


def said(where: Cell, outcome: Outcome, conforms: bool | None, **facts: Any) -> str | None:
    found = harm_of(Verdict(outcome=outcome, reason="", conforms=conforms, facts=Facts(**facts)), bounds_in(where))
    return None if found is None else found.words


DRAWN = [
    # a writer loses what was acknowledged or nobody accounts for, whatever the outcome says
    (cell(scenario="leader/hinted"), O.REFRESHES, True, {"recovery_ms": 2239.0, "kept_ms": 2038.0, "lost": 2}, "loses"),
    (cell(), O.SURFACES, False, {"errors_surfaced": 1, "failed_ops": 1, "lost": 1}, "loses"),
    (cell(scenario="broker/shutdown-hung"), O.LATE, False, {"recovery_ms": 79193.0, "lost": 1}, "loses"),
    (cell(scenario="broker/unclean-election"), O.STORMS, None, {"storm": "b", "lost": 76}, "loses"),
    (cell(scenario="broker/kill"), O.STUCK, False, {"errors_surfaced": 213, "lost": 1, "reordered": 7}, "loses"),
    (cell(T, "broker/kill"), O.FATAL, False, {"errors_surfaced": 2, "lost": 118}, "loses"),
    (
        cell(scenario="leader/election-slow"),
        O.VIOLATES,
        False,
        {"reordered": 30, "unresolved": 1, "storm": "ab"},
        "loses",
    ),
    (cell(), O.VIOLATES, False, {"phantom": 3}, "loses"),
    # a broken promise that no fact counts: operations in another cluster, records of an aborted transaction
    (cell(G, "cluster/replaced"), O.VIOLATES, False, {"errors_surfaced": 10, "failed_ops": 8}, "loses"),
    # a reader that skips loses, one that goes back repeats
    (cell(C), O.VIOLATES, False, {"position_jump": 9, "duplicated": 0}, "loses"),
    (cell(G), O.VIOLATES, False, {"lost": 4, "position_jump": 2, "duplicated": 2}, "loses"),
    (cell(G, "broker/slow-recovery"), O.VIOLATES, False, {"duplicated": 2, "position_jump": 2}, "repeats"),
    (cell(C, "broker/unclean-election"), O.VIOLATES, None, {"duplicated": 17, "position_jump": 17}, "repeats"),
    (cell(T), O.VIOLATES, False, {"reordered": 5, "lost": 0}, "repeats"),
    # duplicates that no promise excludes are a fact
    (cell(), O.REFRESHES, True, {"reordered": 21, "duplicated": 4, "recovery_ms": 3993.0, "kept_ms": 3772.0}, "none"),
    # a standstill for good, with and without a word to the application
    (cell(T, "broker/kill"), O.STUCK, False, {"after_heal": AfterHeal.RECOVERED}, "stops silently"),
    (cell(scenario="disk/storage-error"), O.STUCK, False, {"errors_surfaced": 51, "failed_ops": 51}, "stops"),
    (cell(scenario="disk/storage-error"), O.STUCK, False, {"failed_ops": 1}, "stops"),
    (cell(G, "net/partial-frame"), O.FATAL, False, {}, "stops"),
    (cell(T, "txn/fenced"), O.FATAL, True, {"errors_surfaced": 2, "failed_ops": 2}, "none"),
    (cell(scenario="topic/absent"), O.FATAL, None, {}, "stops"),
    # conforming outcomes that stand still for minutes, and late ones that do not
    (cell(C, "broker/shutdown-hung"), O.REFRESHES, True, {"recovery_ms": 305644.0}, "stalls 306 s"),
    (cell(C, "net/stale-answer"), O.RIDES, True, {"recovery_ms": 304174.0}, "stalls 304 s"),
    (cell(G, "broker/address-reused"), O.LATE, False, {"recovery_ms": 41344.0, "errors_surfaced": 4}, "stalls 41 s"),
    (cell(G, "cluster/outage"), O.SURFACES, True, {"recovery_ms": 29095.0, "errors_surfaced": 2}, "stalls 29 s"),
    (
        cell(scenario="topic/absent"),
        O.STORMS,
        False,
        {"recovery_ms": 15377.0, "kept_ms": 7.0, "storm": "a"},
        "stalls 15 s",
    ),
    (cell(scenario="topic/too-few-replicas"), O.LATE, False, {"recovery_ms": 2116.0, "kept_ms": 10.0}, "none"),
    (cell(G, "one-broker/broker/kill"), O.LATE, False, {"recovery_ms": 5979.0}, "none"),
    (cell(C, "broker/hang"), O.LATE, False, {"recovery_ms": 71000.0}, "none"),
    (cell(C, "broker/hang"), O.LATE, False, {"recovery_ms": 111000.0}, "stalls 111 s"),
    # what brokers kept the client waiting is theirs
    (cell(), O.REFRESHES, True, {"recovery_ms": 20000.0, "kept_ms": 19000.0}, "none"),
    # a flood, and errors
    (cell(C, "hold/metadata/LEADER_NOT_AVAILABLE"), O.STORMS, False, {"recovery_ms": 297.0, "storm": "b"}, "burdens"),
    (cell(scenario="leader/election-slow"), O.LATE, False, {"recovery_ms": 9392.0, "failed_ops": 139}, "errors"),
    (cell(C, "broker/restart-loop"), O.LATE, False, {"recovery_ms": 3339.0, "errors_surfaced": 3}, "errors"),
    (cell(G, "net/reset"), O.SURFACES, False, {"recovery_ms": 2924.0, "errors_surfaced": 4}, "errors"),
    # errors where they are an answer: the scenario takes them, the profile asks for them, nothing is required
    (cell(G, "client/slow-handler"), O.SURFACES, True, {"errors_surfaced": 1}, "none"),
    (cell(G, "blip/find-coordinator/GROUP_AUTHORIZATION_FAILED"), O.SURFACES, True, {"errors_surfaced": 1}, "none"),
    (cell(profile="no-retries+linger.ms=5"), O.SURFACES, True, {"errors_surfaced": 1}, "none"),
    (cell(scenario="topic/absent"), O.SURFACES, None, {"errors_surfaced": 1}, "none"),
    # one bad broker takes everything down
    (cell(), O.STUCK, False, {"bystander_own_gap_ms": 16000.0}, "stops silently, everything"),
    (cell(), O.LATE, False, {"recovery_ms": 16000.0, "bystander_errors": 1}, "stalls 16 s, everything"),
    (cell(C, "broker/hang"), O.STUCK, False, {"bystander_own_gap_ms": 16000.0}, "stops silently"),
    # one record was lost, and not "everything"
    (cell(), O.REFRESHES, True, {"lost": 1, "bystander_errors": 1}, "loses"),
]


@pytest.mark.parametrize(("where", "outcome", "conforms", "facts", "words"), DRAWN)
def test_harm_of_a_trial(
    where: Cell, outcome: Outcome, conforms: bool | None, facts: dict[str, Any], words: str
) -> None:
    assert said(where, outcome, conforms, **facts) == words


def test_all_but_lost_and_repeated_records_have_a_scope() -> None:
    scopes = {rank: TrialHarm(rank=rank, everything=True).scope for rank in Harm}
    assert {rank for rank, scope in scopes.items() if scope == "everything"} == SCOPED
    assert {rank for rank, scope in scopes.items() if not scope} == {Harm.NONE, Harm.REPEATS, Harm.LOSES}
    assert TrialHarm(rank=Harm.STALLS).scope == "partition"


@pytest.mark.parametrize("outcome", sorted(SAY_NOTHING))
def test_outcome_that_says_nothing_is_unknown_and_never_none(outcome: Outcome) -> None:
    assert said(CELL, outcome, None) is None
    assert gravest([None]) is None


def test_records_that_a_reader_reports_as_lost_are_no_loss_of_a_writer() -> None:
    assert said(cell(C), O.REFRESHES, True, lost=3) == "none"


@pytest.mark.parametrize(
    ("scenario", "profile", "bound_ms"),
    [
        ("disk/storage-error", "isolated", 15_000),
        ("broker/kill", "isolated", 15_000),
        ("net/blackhole", "isolated", 95_000),
        ("client/slow-handler", "short-limits", 95_000),
        ("group/member-killed", "short-limits", 101_000),
        ("group/member-killed", "defaults", 105_000),
        ("group/member-killed", "defaults+Consumer.Group.Session.Timeout=30s", 125_000),
        ("group/member-killed", "short-limits+session.timeout.ms=9000", 104_000),
        ("hold/produce/NO_SUCH_SCENARIO", "isolated", 15_000),
    ],
)
def test_bound_follows_from_what_can_tell_the_client(scenario: str, profile: str, bound_ms: int) -> None:
    assert bounds_in(cell(G, scenario, profile)).bound_ms == bound_ms


@pytest.mark.parametrize(
    ("client", "session_s"),
    [
        (("java", "2.8.2"), 10),
        (("java", "3.9.2"), 45),
        (("librdkafka", "1.5.0"), 10),
        (("librdkafka", "2.16.0"), 45),
        (("kafka-python", "2.3.3"), 10),
        (("kafka-python", "3.0.12"), 45),
        (("kafkajs", "2.2.4"), 30),
        (("rskafka", "0.6.0"), 45),
    ],
)
def test_a_session_ends_after_the_time_of_the_library(client: tuple[str, str], session_s: int) -> None:
    family, version = client
    where = replace(cell(G, "group/member-killed", "defaults"), family=family, version=version)
    assert bounds_in(where).bound_ms == SILENT_MS + 1000 * session_s
    assert session_ms(where.client, "defaults") == 1000 * session_s


def test_session_timeouts_are_within_the_limits_of_client_toml() -> None:
    assert {row.family for row in timeouts()} <= set(families())
    for row in timeouts():
        family = families()[row.family]
        newest = [one for one in family.behaviour.own_limits if one.limit is OwnLimit.SESSION and not one.until]
        assert row.until or all(row.ms <= one.value for one in newest), row


def test_gravest_trial_gives_the_cell_its_harm() -> None:
    trials = [
        TrialHarm(rank=Harm.STOPS),
        TrialHarm(rank=Harm.STOPS, silently=True),
        TrialHarm(rank=Harm.STALLS, stalls_ms=99_000.0),
        None,
    ]
    assert gravest(trials) == TrialHarm(rank=Harm.STOPS, silently=True)
    assert gravest(trials[2:]) == TrialHarm(rank=Harm.STALLS, stalls_ms=99_000.0)


def settled(*verdicts: Verdict, where: Cell = CELL) -> SettledCell:
    return SettledCell(cell=where, run_id="r", trial=1, verdicts=verdicts)


GOOD = Verdict(outcome=O.REFRESHES, reason="", conforms=True)
BAD = Verdict(outcome=O.STUCK, reason="", conforms=False)


def test_cell_says_in_how_many_trials_its_harm_came() -> None:
    found = harm_in(settled(GOOD, BAD, GOOD, Verdict(outcome=O.BROKEN, reason="")))
    assert found is not None
    assert (found.words, found.bad, found.of) == ("stops silently in 1 of 3", 1, 3)
    assert harm_in(settled(Verdict(outcome=O.WAITING, reason=""))) is None


def test_a_loss_on_real_brokers_is_the_harm_of_the_same_question() -> None:
    lost = Verdict(outcome=O.REFRESHES, reason="", conforms=True, facts=Facts(lost=40, acked=2920))
    real = settled(lost, where=replace(CELL, engine=Engine.KAFKA))
    found = harm_in(replace(settled(GOOD), real=real))
    assert found is not None
    assert found.rank is Harm.LOSES


def test_a_client_that_brokers_refuse_stops() -> None:
    reason = refusal("4.4", closed_at("Produce v2", 12))
    refused = Verdict(outcome=O.UNSUPPORTED, reason=reason, conforms=None)
    found = harm_in(settled(refused, where=replace(CELL, scenario="steady")))
    assert found is not None
    assert found.rank is Harm.STOPS


def test_the_table_of_scenarios_is_up_to_date() -> None:
    assert TABLE.read_text() == rendered(), "python -m probe.catalogue.harm_bounds updates it"


def test_facts_of_harm_exist_and_decide_whether_facts_are_built() -> None:
    assert set(FACTS_OF_HARM) <= set(FACTS)
    plain = dict.fromkeys(FACTS_OF_HARM)
    harmless = {**plain, "acked": 90, "recovery_ms": 300.0, "kept_ms": 20.0, "bystander_own_gap_ms": 800.0}
    assert not may_harm([*harmless.values()])
    for name, value in {"lost": 1, "storm": 7, "recovery_ms": 15_001.0, "failed_ops": 1, "after_heal": 3}.items():
        assert may_harm([*{**plain, name: value}.values()])


@pytest.mark.parametrize("bound_ms", [ANSWERED_MS, SILENT_MS])
def test_no_bound_lies_near_a_documented_default(bound_ms: int) -> None:
    assert all(abs(bound_ms - default) > 0.2 * default for default in DEFAULTS_MS)


def test_few_recovered_trials_of_the_evidence_lie_near_a_bound() -> None:
    times: dict[int, list[float]] = {ANSWERED_MS: [], SILENT_MS: []}
    query = "SELECT scenario, role, recovery_ms - coalesce(kept_ms, 0) FROM judged WHERE recovered"
    with closing(sqlite3.connect(built(TEXT))) as database:
        for scenario, role, took in database.execute(query):
            bound_ms = bounds_in(cell(Role(role), scenario)).bound_ms
            if took is not None and bound_ms in times:
                times[bound_ms].append(took)
    for bound_ms, found in times.items():
        near = [took for took in found if 0.9 * bound_ms <= took <= 1.1 * bound_ms]
        assert len(found) > 1000
        assert len(near) <= 0.02 * len(found)
