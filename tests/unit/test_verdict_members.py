"""A group of two members is judged as one: each partition has an owner, in time, and nothing is skipped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import App, AppKind, ClientError, History, MarkKind, Outcome, Role, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BYSTANDER, ME, OLD, Script
from tests.support.transcript_steps import Step, app, ask, at, fault_on, healed, mark, tell, watch
from tests.support.verdict_case import expectation_of

OTHER = "c-s"
"""The second member."""
EVERY_MS, WATCH_MS, SESSION_MS = 500, 30_000, 6000
BOTH = (AFFECTED, BYSTANDER)
SETTINGS = {"session_timeout_ms": str(SESSION_MS), "heartbeat_ms": "3000"}
"""By these a partition is due 15 s after a member went silent."""


def given(member: str, partition: int, offset: int) -> Step:
    """Give a stored record to a member."""
    return lambda script: script.add(
        App(
            at=script.now,
            kind=AppKind.RECEIVED,
            instance=member,
            partition=partition,
            sequence=1000 + offset,
            offset=offset,
        )
    )


def reads(member: str, partition: int, since_ms: int, until_ms: int, *, skip: int = 0, stores: bool = True) -> Step:
    """Let a member read what is written, every half second, but the first `skip` records."""

    def step(script: Script) -> None:
        for number, ms in enumerate(range(since_ms, until_ms, EVERY_MS)):
            at(ms)(script)
            if stores:
                script.store(partition, 1000 + number, "feed")
            if number >= skip:
                given(member, partition, script.offsets[partition])(script)

    return step


def of_member(member: str, kind: AppKind, *partitions: int) -> Step:
    return lambda script: script.add(App(at=script.now, kind=kind, instance=member, partitions=partitions))


BEFORE = (at(-4000), app(AppKind.ASSIGNED, partitions=(AFFECTED,)), of_member(OTHER, AppKind.ASSIGNED, BYSTANDER))
"""Each member has a partition before the fault."""


def judged(*steps: Step, scenario: str = "group/member-killed") -> Verdict:
    return judge(trial(*steps, scenario=scenario))


def trial(*steps: Step, scenario: str = "group/member-killed") -> History:
    found = history(
        *BEFORE,
        at(0),
        fault_on(),
        *steps,
        watch(WATCH_MS),
        role=Role.GROUP,
        play=expectation_of(scenario, Role.GROUP),
        bystander=False,
    )
    subject = replace(found.header.subject, successor=OTHER)
    header = replace(found.header, subject=subject, settings={**found.header.settings, **SETTINGS})
    events = tuple(sorted(found.events, key=lambda item: item.at))
    return replace(found, header=header, events=events)


KILLED = mark(MarkKind.KILLED)
MINE = reads(ME, AFFECTED, 500, WATCH_MS)


def test_a_group_whose_killed_member_is_replaced_conforms() -> None:
    found = judged(KILLED, MINE, reads(ME, BYSTANDER, 9000, WATCH_MS))
    assert (found.outcome, found.conforms) == (Outcome.CLEAN, True)
    assert found.facts.outage_ms == pytest.approx(9000, abs=100)


def test_a_partition_that_nobody_reads_is_named() -> None:
    found = judged(KILLED, MINE)
    assert (found.outcome, found.conforms) == (Outcome.STUCK, False)
    assert found.reason.startswith("no member of the group reads partition 1 in 30")


def test_a_partition_that_is_read_again_too_late_does_not_conform() -> None:
    found = judged(KILLED, MINE, reads(ME, BYSTANDER, 16_000, WATCH_MS))
    assert (found.outcome, found.conforms) == (Outcome.LATE, False)
    assert found.reason == "nobody read partition 1 for 16.0 s, which was due within 15.0 s"


def test_a_record_that_no_member_was_given_breaks_a_promise() -> None:
    found = judged(
        KILLED,
        MINE,
        reads(OTHER, BYSTANDER, 0, 100),
        reads(ME, BYSTANDER, 9000, WATCH_MS, skip=3),
    )
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.position_jump == 3
    assert "3 records that no member was given" in found.reason


def test_a_record_that_both_members_were_given_one_after_the_other_breaks_none() -> None:
    def again(script: Script) -> None:
        at(8500)(script)
        given(ME, BYSTANDER, script.offsets[BYSTANDER])(script)

    found = judged(KILLED, MINE, reads(OTHER, BYSTANDER, 0, 100), again, reads(ME, BYSTANDER, 9000, WATCH_MS))
    assert found.outcome is Outcome.CLEAN


def test_the_end_of_a_killed_member_is_none_of_the_client() -> None:
    ends = of_member(OTHER, AppKind.FATAL)
    steps = (KILLED, ends, MINE, reads(ME, BYSTANDER, 9000, WATCH_MS))
    assert judged(*steps).outcome is Outcome.CLEAN
    assert judged(*steps[1:]).outcome is Outcome.FATAL


def test_an_error_of_the_other_member_counts() -> None:
    def fails(script: Script) -> None:
        at(9000)(script)
        refused = ClientError(25, "UNKNOWN_MEMBER_ID", "Error")
        script.add(App(at=script.now, kind=AppKind.COMMIT_ERROR, instance=OTHER, error=refused))

    steps = (at(8000), app(AppKind.REVOKED, partitions=(AFFECTED,)), healed(), reads(OTHER, AFFECTED, 9000, WATCH_MS))
    found = judged(*steps, reads(OTHER, BYSTANDER, 500, WATCH_MS), fails, scenario="group/member-paused")
    assert found.outcome is Outcome.SURFACES
    assert found.facts.first_error == "UNKNOWN_MEMBER_ID"


def paused(*steps: Step) -> Verdict:
    """Judge a group whose first member loses its partition to the second one."""
    taken = reads(OTHER, AFFECTED, 9000, WATCH_MS)
    return judged(
        at(14_000), healed(), *steps, taken, reads(OTHER, BYSTANDER, 0, WATCH_MS), scenario="group/member-paused"
    )


def test_a_member_that_comes_back_says_what_it_lost() -> None:
    assert paused(app(AppKind.REVOKED, partitions=(AFFECTED,))).outcome is Outcome.CLEAN
    found = paused()
    assert found.outcome is Outcome.VIOLATES
    assert found.reason.endswith("1 partition lost without a word")


def test_what_the_other_member_had_before_was_not_lost() -> None:
    """The second member reads its own partition all the time."""
    found = judged(at(14_000), healed(), MINE, reads(OTHER, BYSTANDER, 0, WATCH_MS), scenario="group/member-paused")
    assert found.outcome is Outcome.CLEAN


def test_two_members_that_read_one_partition_by_turns_break_a_promise() -> None:
    def both(script: Script) -> None:
        for number, ms in enumerate(range(500, WATCH_MS, EVERY_MS)):
            at(ms)(script)
            script.store(AFFECTED, 1000 + number, "feed")
            for member in (ME, OTHER):
                given(member, AFFECTED, script.offsets[AFFECTED])(script)

    revoked = app(AppKind.REVOKED, partitions=(AFFECTED,))
    found = judged(
        at(14_000), healed(), revoked, both, reads(OTHER, BYSTANDER, 0, WATCH_MS), scenario="group/member-paused"
    )
    assert found.outcome is Outcome.VIOLATES
    assert "two members read partition 0 at once" in found.reason


LEADERLESS = "group/member-joins-leaderless"
JOINED = mark(MarkKind.JOINS)


def joined(*steps: Step) -> Verdict:
    """Judge a group whose second member joins while partition 0 has no leader for 15 s."""
    revoked = app(AppKind.REVOKED, partitions=(AFFECTED,))
    stays = reads(ME, BYSTANDER, 500, WATCH_MS)
    return judged(JOINED, revoked, stays, at(15_000), healed(), *steps, scenario=LEADERLESS)


def test_a_partition_without_a_leader_is_due_from_its_election_on() -> None:
    found = joined(reads(OTHER, AFFECTED, 23_000, WATCH_MS))
    assert (found.outcome, found.facts.outage_ms) == (Outcome.CLEAN, pytest.approx(8000, abs=100))
    assert joined(reads(OTHER, AFFECTED, 25_000, WATCH_MS)).outcome is Outcome.LATE


def test_the_partition_that_has_a_leader_is_read_throughout() -> None:
    """It is the bystander: where it stands still for longer than prompt, the group does not conform."""
    stands = (reads(ME, BYSTANDER, 500, 5000), reads(OTHER, BYSTANDER, 10_000, WATCH_MS))
    found = judged(
        JOINED,
        *stands,
        at(15_000),
        healed(),
        reads(ME, AFFECTED, 16_000, WATCH_MS),
        app(AppKind.REVOKED, partitions=(BYSTANDER,)),
        scenario=LEADERLESS,
    )
    assert (found.outcome, found.conforms) == (Outcome.CLEAN, False)
    assert "nothing for the bystander in 5.5 s" in found.reason


@pytest.mark.parametrize(("every_ms", "outcome"), [(1000, Outcome.CLEAN), (250, Outcome.STORMS)])
def test_a_refresh_that_waits_for_the_application_is_none_too_many(every_ms: int, outcome: Outcome) -> None:
    """Questions at odd times, of a client that is to ask every second; its group may ask as often."""

    def asks(script: Script) -> None:
        for ms in range(1000, 9000, every_ms):
            at(ms + ms % 7 * 13)(script)
            ask()(script)
            tell(OLD)(script)

    steps = (KILLED, MINE, reads(ME, BYSTANDER, 9000, WATCH_MS), asks)
    whole = trial(*steps)
    header = replace(whole.header, settings={**whole.header.settings, "refresh_ms": "1000"})
    assert judge(replace(whole, header=header)).outcome is outcome
