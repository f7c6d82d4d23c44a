"""A client whose application was absent says what it lost, and commits nothing that another member has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import App, AppKind, History, Outcome, Request, Response, Role, Verdict
from probe.protocol.apis import CONSUMER_GROUP_HEARTBEAT, END_TXN, SYNC_GROUP
from probe.protocol.names import error_code
from probe.verdict import certain, judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, COMMIT, OLD, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    app,
    at,
    call,
    fault_on,
    fetched,
    healed,
    row,
    transactions,
    watch,
)
from tests.support.verdict_case import expectation_of

OTHER = "c-s"
"""The second member of the group, with a connection of its own."""
CONN = 900
AWAY_MS, WATCH_MS = 25_000, 45_000
REVOKED = app(AppKind.REVOKED, partitions=(AFFECTED,))
ASSIGNED = app(AppKind.ASSIGNED, partitions=(AFFECTED,))
COMMITS = "1 commit of partitions that another member had"


def takes_over(script: Script) -> None:
    """Let the second member read five records, and commit them."""
    for number in range(5):
        script.store(AFFECTED, 1000 + number, "feed")
        given = App(
            at=script.now,
            kind=AppKind.RECEIVED,
            instance=OTHER,
            partition=AFFECTED,
            sequence=1000 + number,
            offset=script.offsets[AFFECTED],
        )
        script.add(given)
    commits(script.offsets[AFFECTED] + 1, conn=CONN, client_id=OTHER)(script)


def commits(offset: int | None = None, *, code: int = 0, conn: int = 901, client_id: str = "c") -> Step:
    """Commit an offset (as far as stored, by default) on the wire."""

    def step(script: Script) -> None:
        until = script.offsets[AFFECTED] + 1 if offset is None else offset
        asked = Request(
            at=script.now,
            conn=conn,
            broker=OLD,
            corr=1,
            api=COMMIT,
            version=7,
            client_id=client_id,
            rows=(row(offset=until),),
        )
        script.add(asked)
        script.answer(asked, row(code=code))

    return step


def given(api: int, code: int = 0) -> Step:
    """Let the coordinator answer with an assignment, or refuse one."""
    return call(api, OLD, row(), answer=(), code=code)


def trial(*steps: Step, role: Role = Role.GROUP, running: bool = False) -> History:
    """Return a trial in which the second member takes over, and the client is back after 25 s."""
    taken = (at(10_000), takes_over) if role is Role.GROUP else ()
    begin = (fault_on(), *taken, at(AWAY_MS), healed())
    found = history(
        *begin,
        *steps,
        watch(WATCH_MS),
        role=role,
        play=expectation_of("client/paused", role),
        bystander=False,
        running=running,
    )
    successor = OTHER if role is Role.GROUP else ""
    return replace(found, header=replace(found.header, subject=replace(found.header.subject, successor=successor)))


def works(role: Role = Role.GROUP) -> Step:
    work: dict[Role, Step] = {
        Role.GROUP: fetched(100, OLD),
        Role.TRANSACTIONAL: transactions(100, OLD),
        Role.PRODUCER: acked(100, OLD),
    }
    return work[role]


def goes_on(*steps: Step, role: Role = Role.GROUP) -> Verdict:
    """Judge a client that works until the end after these steps."""
    return judge(trial(*steps, at(35_000), works(role), role=role))


def test_a_member_that_says_what_it_lost_and_goes_on_conforms() -> None:
    found = goes_on(REVOKED, ASSIGNED)
    assert (found.outcome, found.conforms) == (Outcome.CLEAN, True)


def test_an_error_is_a_word_too() -> None:
    found = goes_on(app(AppKind.COMMIT_ERROR, 25), ASSIGNED)
    assert (found.outcome, found.conforms) == (Outcome.SURFACES, True)
    assert found.reason == "1 error reached the application, first UNKNOWN_MEMBER_ID after its absence, and it went on"


def test_a_member_that_loses_its_partition_in_silence_breaks_a_promise() -> None:
    found = goes_on(ASSIGNED)
    assert (found.outcome, found.conforms) == (Outcome.VIOLATES, False)
    assert found.reason.endswith("1 partition lost without a word")


def without_successor(whole: History) -> History:
    """Remove what the second member reports."""
    kept = [item for item in whole.events if not (isinstance(item, App) and item.instance == OTHER)]
    return replace(whole, events=tuple(kept))


def test_nothing_was_lost_where_nobody_took_over() -> None:
    assert judge(without_successor(trial(ASSIGNED, at(35_000), works()))).outcome is Outcome.CLEAN


def test_an_accepted_commit_of_a_lost_partition_breaks_a_promise() -> None:
    found = goes_on(commits(), REVOKED, ASSIGNED)
    assert found.outcome is Outcome.VIOLATES
    assert COMMITS in found.reason


def test_a_refused_commit_is_none() -> None:
    assert goes_on(commits(code=error_code("UNKNOWN_MEMBER_ID")), REVOKED, ASSIGNED).outcome is Outcome.CLEAN


def test_a_commit_before_the_other_member_read_anything_is_the_owners() -> None:
    whole = trial(REVOKED, ASSIGNED, at(35_000), works())
    early = history(at(2000), commits(3)).events
    taken = tuple(item for item in early if isinstance(item, Request | Response) and item.conn == 901)
    events = tuple(sorted([*whole.events, *taken], key=lambda item: item.at))
    assert judge(replace(whole, events=events)).outcome is Outcome.CLEAN


@pytest.mark.parametrize("api", [SYNC_GROUP, CONSUMER_GROUP_HEARTBEAT])
def test_a_member_that_has_its_partition_again_commits(api: int) -> None:
    assert goes_on(REVOKED, given(api), ASSIGNED, commits()).outcome is Outcome.CLEAN


@pytest.mark.parametrize("answer", [(), (given(SYNC_GROUP, code=27),)])
def test_an_assignment_that_no_coordinator_gave_is_none(answer: tuple[Step, ...]) -> None:
    found = goes_on(REVOKED, *answer, ASSIGNED, commits())
    assert found.outcome is Outcome.VIOLATES
    assert COMMITS in found.reason


def test_but_not_an_offset_from_before() -> None:
    found = goes_on(REVOKED, given(SYNC_GROUP), ASSIGNED, commits(2))
    assert found.outcome is Outcome.VIOLATES
    assert COMMITS in found.reason


def test_what_the_other_member_was_given_is_not_lost() -> None:
    """The group's committed offset lies beyond all that the client itself was given."""
    whole = trial(REVOKED)
    end = max(item.offset for item in whole.header.stored) + 1
    whole = replace(whole, header=replace(whole.header, committed={AFFECTED: end}))
    assert judge(whole).facts.lost == 0
    assert judge(without_successor(whole)).facts.lost == 5


@pytest.mark.parametrize("code", [47, 48, 90])
@pytest.mark.parametrize(("word", "outcome"), [(True, Outcome.SURFACES), (False, Outcome.VIOLATES)])
def test_a_producer_whose_transaction_was_ended_says_so(code: int, word: bool, outcome: Outcome) -> None:
    refused = call(END_TXN, OLD, row(), answer=(row(),), code=code)
    said = (app(AppKind.TXN_ERROR, code, sequence=3),) if word else ()
    assert goes_on(refused, *said, role=Role.TRANSACTIONAL).outcome is outcome


def test_a_producer_that_does_not_go_on_does_not_conform() -> None:
    found = judge(trial(app(AppKind.TXN_ERROR, 90), app(AppKind.FATAL, 90), role=Role.TRANSACTIONAL))
    assert (found.outcome, found.conforms) == (Outcome.FATAL, False)


def test_a_client_that_serves_no_more_is_stuck() -> None:
    found = judge(trial(role=Role.PRODUCER))
    assert found.outcome is Outcome.STUCK
    assert found.reason.startswith("it does not serve in 45")
    assert found.reason.endswith("after its absence")


def test_the_end_of_the_other_member_ends_no_observation() -> None:
    def leaves(script: Script) -> None:
        script.add(App(at=script.now, kind=AppKind.CLOSED, instance=OTHER))

    running = trial(at(28_000), leaves, fetched(3, OLD), running=True)
    header = replace(running.header, watched_ms=28_400)
    assert not certain(replace(running, header=header, events=running.events[:-1]))
