"""Applications that do not report deliveries: the wire and the read-back prove them (wire_proof.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from probe.model import App, AppKind, History, Outcome, Role, Stored
from probe.model.cluster_history import OLD as OLD_RECORD
from probe.protocol.apis import SYNC_GROUP
from probe.verdict import certain, judge
from probe.verdict.service import ERRORS
from probe.verdict.wire_proof import with_wire_proof
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BEAT, ME, NEW, OLD, PRODUCE, STEADY, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    ask,
    call,
    failed,
    fault_on,
    fetched,
    moved,
    row,
    tell,
    wait,
    watch,
)

REPORTED_BY_LIBRARIES = {AppKind.ACKED, AppKind.COMMITTED, *ERRORS}
MOVE = (fault_on(), failed(2), moved(), announced(), ask(), tell())


def silent(trial: History, **header: Any) -> History:
    """Return the same trial of an application that does not report what happened to its records."""
    events = tuple(item for item in trial.events if not (isinstance(item, App) and item.kind in REPORTED_BY_LIBRARIES))
    return History(replace(trial.header, judged_by="wire", **header), events)


def written(*numbers: int, broker: int = NEW, answered: bool = True) -> Step:
    """Add one request with these records."""

    def step(script: Script) -> None:
        asked = script.request(PRODUCE, broker, row(size=800), acks=-1)
        offsets = [script.store(AFFECTED, number) for number in numbers]
        if answered:
            script.answer(asked, row(offset=offsets[0]))

    return step


def begun(count: int = 1) -> Step:
    """Add operations that the application accepts and has not sent."""

    def step(script: Script) -> None:
        for _ in range(count):
            script.app(AppKind.SENT, partition=AFFECTED, sequence=script.next_sequence(AFFECTED))
            script.now += BEAT

    return step


def proved(trial: History) -> dict[int, int]:
    """Return the time at which each operation of the affected partition was proved, by number."""
    found = [item for item in with_wire_proof(trial.header, list(trial.events)) if isinstance(item, App)]
    return {item.sequence: item.at for item in found if item.kind is AppKind.ACKED and item.partition == AFFECTED}


def test_verdicts_agree_with_and_without_acknowledgements() -> None:
    trial = history(*MOVE, acked(60), watch(10_000))
    loud, quiet = judge(trial), judge(silent(trial))
    assert quiet.outcome is Outcome.REFRESHES
    assert loud.outcome is Outcome.SURFACES  # errors of a silent application are not observed
    assert (quiet.facts.recovery_ms or 0) <= (loud.facts.recovery_ms or 0)
    assert quiet.facts.acked == loud.facts.acked
    assert (quiet.facts.lost, quiet.facts.errors_surfaced) == (0, 0)


def test_a_silent_application_must_write_to_be_clean() -> None:
    assert judge(silent(history(fault_on(), acked(60, OLD), watch(6000), play=STEADY))).outcome is Outcome.CLEAN
    assert judge(silent(history(fault_on(), begun(60), watch(6000), play=STEADY))).outcome is not Outcome.CLEAN


def test_without_an_answer_of_the_target_it_is_stuck() -> None:
    assert judge(silent(history(*MOVE, failed(90), watch(10_000)))).outcome is Outcome.STUCK


def test_records_without_an_answer_prove_nothing() -> None:
    trial = history(*MOVE, begun(3), written(12, 13, 14, answered=False), begun(50), watch(60_000))
    assert judge(silent(trial)).outcome is Outcome.STUCK


def test_an_answered_record_that_is_not_stored_is_lost() -> None:
    trial = history(*MOVE, acked(60), watch(10_000))
    gone = {item for item in trial.header.stored if item.partition == AFFECTED and item.offset in {20, 30, 31}}
    found = judge(silent(trial, stored=tuple(item for item in trial.header.stored if item not in gone)))
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.lost == len(gone)


def test_recovery_needs_operations_started_after_the_move() -> None:
    """Operations started before the announcement are proved by a late request, but they are no recovery."""
    early = history(fault_on(), begun(3), moved(), announced(), ask(), tell(), written(10, 11, 12), watch(10_000))
    assert {10, 11, 12} <= set(proved(silent(early)))
    assert judge(silent(early)).facts.recovered is not True


def test_an_answer_proves_records_up_to_the_next_answer() -> None:
    trial = silent(history(*MOVE, begun(4), written(12, 13), written(14, 15), watch(10_000)))
    at = proved(trial)
    assert at[12] == at[13] < at[14] == at[15]


def test_an_answer_does_not_prove_later_unanswered_records() -> None:
    """The record is between the offsets of two answers, but it started after the first request was sent."""
    trial = silent(history(*MOVE, begun(), written(12), begun(), written(13, answered=False), watch(10_000)))
    assert 12 in proved(trial)
    assert 13 not in proved(trial)


def test_a_copy_is_counted_once_and_as_a_duplicate() -> None:
    trial = silent(
        history(*MOVE, begun(), written(12, answered=False), wait(50), written(12), acked(60), watch(10_000))
    )
    assert judge(trial).facts.duplicated == 1
    assert list(proved(trial)).count(12) == 1


def test_records_of_another_instance_do_not_count() -> None:
    trial = silent(history(*MOVE, acked(5), watch(10_000)))
    stranger = tuple(replace(item, instance="other") for item in trial.header.stored)
    assert proved(replace(trial, header=replace(trial.header, stored=stranger))) == {}
    assert proved(trial)


def test_a_running_trial_ends_by_its_answers() -> None:
    running = silent(history(*MOVE, acked(70), running=True), stored=())
    assert certain(running)
    assert not certain(silent(history(*MOVE, begun(70), running=True), stored=()))


def test_a_running_trial_counts_one_operation_per_answer() -> None:
    trial = silent(history(*MOVE, begun(3), written(14), begun(2), watch(10_000)), stored=())
    late = [number for number in proved(trial) if number >= 12]
    assert late == [14]


def test_an_application_with_acknowledgements_needs_no_proof() -> None:
    trial = history(*MOVE, acked(5), watch(10_000))
    assert with_wire_proof(trial.header, list(trial.events)) == list(trial.events)


def reader(*steps: Step) -> History:
    """Return the history of a group member that reports records without offsets and assignments."""
    trial = silent(history(*steps, role=Role.GROUP, play=STEADY))
    blind = (
        replace(item, offset=-1) if isinstance(item, App) and item.kind is AppKind.RECEIVED else item
        for item in trial.events
    )
    return History(trial.header, tuple(blind))


def again(*numbers: int) -> Step:
    """Deliver records again."""

    def step(script: Script) -> None:
        for number in numbers:
            script.app(AppKind.RECEIVED, partition=AFFECTED, sequence=number, offset=number)
            script.now += BEAT

    return step


def test_skipped_records_are_found_by_their_numbers() -> None:
    skips = reader(fault_on(), fetched(5, OLD), again(17, 18), watch(6000))
    stored = (*skips.header.stored, *(Stored(AFFECTED, number, "feed", number) for number in range(15, 19)))
    assert judge(replace(skips, header=replace(skips.header, stored=stored))).facts.position_jump == 2
    assert judge(reader(fault_on(), fetched(5, OLD), watch(6000))).facts.position_jump == 0


def test_a_second_delivery_is_allowed_only_after_a_rejoin() -> None:
    twice = judge(reader(fault_on(), fetched(5, OLD), again(12, 13), watch(6000)))
    joined = call(SYNC_GROUP, OLD, row(), answer=(row(),))
    rejoined = judge(reader(fault_on(), fetched(5, OLD), joined, again(12, 13), watch(6000)))
    assert twice.outcome is Outcome.VIOLATES
    assert rejoined.facts.position_jump == 0


def test_a_record_of_the_history_of_the_cluster_has_no_place_among_the_others() -> None:
    before = reader(fault_on(), fetched(5, OLD), watch(6000))
    old = App(at=before.events[0].at, kind=AppKind.RECEIVED, instance=ME, partition=AFFECTED, sequence=OLD_RECORD)
    seen = with_wire_proof(before.header, [*before.events, old])
    assert old in seen
    assert judge(History(before.header, (before.events[0], old, *before.events[1:]))) == judge(before)


def test_the_instance_is_found_in_transformed_values() -> None:
    wrapped = 'probe,key=p0-5 value="telegraf-producer-0a1b2c 0 17 1234567" 1700000000000000000\n'
    assert Stored.of(0, 3, wrapped) == Stored(0, 3, "telegraf-producer-0a1b2c", 17)
    assert Stored.of(0, 3, f"{ME} 0 4 99") == Stored(0, 3, ME, 4)
    assert Stored.of(0, 3, "of no form").sequence == -1
    assert Stored.of(0, 3, "x" * 1_000_000).sequence == -1
