"""Applications that tell of no delivery: the wire and the read-back prove what they did (wire_proof.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from probe.model import App, AppKind, History, Outcome, Role, Stored
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

TOLD_BY_LIBRARIES = {AppKind.ACKED, AppKind.COMMITTED, *ERRORS}
MOVE = (fault_on(), failed(2), moved(), announced(), ask(), tell())


def silent(told: History, **header: Any) -> History:
    """The same trial, of an application that says nothing of what came of its records."""
    events = tuple(item for item in told.events if not (isinstance(item, App) and item.kind in TOLD_BY_LIBRARIES))
    return History(replace(told.header, judged_by="wire", **header), events)


def written(*numbers: int, broker: int = NEW, answered: bool = True) -> Step:
    """One request with these records, begun long ago or just now."""

    def step(script: Script) -> None:
        asked = script.request(PRODUCE, broker, row(size=800), acks=-1)
        offsets = [script.store(AFFECTED, number) for number in numbers]
        if answered:
            script.answer(asked, row(offset=offsets[0]))

    return step


def begun(count: int = 1) -> Step:
    """Operations handed to the application, which keeps them for now."""

    def step(script: Script) -> None:
        for _ in range(count):
            script.app(AppKind.SENT, partition=AFFECTED, sequence=script.next_sequence(AFFECTED))
            script.now += BEAT

    return step


def proved(told: History) -> dict[int, int]:
    """Return when each operation of the affected partition was proved, by number."""
    found = [item for item in with_wire_proof(told.header, list(told.events)) if isinstance(item, App)]
    return {item.sequence: item.at for item in found if item.kind is AppKind.ACKED and item.partition == AFFECTED}


def test_the_same_trial_is_judged_alike_with_and_without_acknowledgements() -> None:
    told = history(*MOVE, acked(60), watch(10_000))
    loud, quiet = judge(told), judge(silent(told))
    assert quiet.outcome is Outcome.REFRESHES
    assert loud.outcome is Outcome.SURFACES  # an application's errors are heard by nobody
    assert (quiet.facts.recovery_ms or 0) <= (loud.facts.recovery_ms or 0)
    assert quiet.facts.acked == loud.facts.acked
    assert (quiet.facts.lost, quiet.facts.errors_surfaced) == (0, 0)


def test_steady_is_clean_and_a_silent_application_that_writes_nothing_is_not() -> None:
    assert judge(silent(history(fault_on(), acked(60, OLD), watch(6000), play=STEADY))).outcome is Outcome.CLEAN
    assert judge(silent(history(fault_on(), begun(60), watch(6000), play=STEADY))).outcome is not Outcome.CLEAN


def test_without_an_answer_at_the_target_it_is_stuck() -> None:
    assert judge(silent(history(*MOVE, failed(90), watch(10_000)))).outcome is Outcome.STUCK


def test_records_without_an_answer_prove_nothing() -> None:
    told = history(*MOVE, begun(3), written(12, 13, 14, answered=False), begun(50), watch(60_000))
    assert judge(silent(told)).outcome is Outcome.STUCK


def test_an_answer_whose_record_is_not_there_is_a_loss() -> None:
    told = history(*MOVE, acked(60), watch(10_000))
    gone = {item for item in told.header.stored if item.partition == AFFECTED and item.offset in {20, 30, 31}}
    found = judge(silent(told, stored=tuple(item for item in told.header.stored if item not in gone)))
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.lost == len(gone)


def test_old_records_in_a_late_request_do_not_count_as_started_since() -> None:
    """What was begun before the target was announced is proved by it, but recovery needs operations begun since."""
    early = history(fault_on(), begun(3), moved(), announced(), ask(), tell(), written(10, 11, 12), watch(10_000))
    assert {10, 11, 12} <= set(proved(silent(early)))
    assert judge(silent(early)).facts.recovered is not True


def test_a_request_proves_each_record_from_its_offset_to_the_next_answer() -> None:
    told = silent(history(*MOVE, begun(4), written(12, 13), written(14, 15), watch(10_000)))
    at = proved(told)
    assert at[12] == at[13] < at[14] == at[15]


def test_a_record_behind_a_lost_answer_is_not_proved_by_the_answer_before_it() -> None:
    """It lies between two answers' offsets, but it began after the first request had left."""
    told = silent(history(*MOVE, begun(), written(12), begun(), written(13, answered=False), watch(10_000)))
    assert 12 in proved(told)
    assert 13 not in proved(told)


def test_a_copy_is_counted_once_and_as_a_duplicate() -> None:
    told = silent(history(*MOVE, begun(), written(12, answered=False), wait(50), written(12), acked(60), watch(10_000)))
    assert judge(told).facts.duplicated == 1
    assert list(proved(told)).count(12) == 1


def test_records_of_another_instance_are_not_ours() -> None:
    told = silent(history(*MOVE, acked(5), watch(10_000)))
    stranger = tuple(replace(item, instance="other") for item in told.header.stored)
    assert proved(replace(told, header=replace(told.header, stored=stranger))) == {}
    assert proved(told)


def test_a_trial_that_runs_is_over_when_answers_say_so() -> None:
    running = silent(history(*MOVE, acked(70), running=True), stored=())
    assert certain(running)
    assert not certain(silent(history(*MOVE, begun(70), running=True), stored=()))


def test_a_trial_that_runs_counts_one_operation_an_answer_and_none_of_the_future() -> None:
    told = silent(history(*MOVE, begun(3), written(14), begun(2), watch(10_000)), stored=())
    late = [number for number in proved(told) if number >= 12]
    assert late == [14]


def test_an_application_that_tells_for_itself_is_taken_at_its_word() -> None:
    told = history(*MOVE, acked(5), watch(10_000))
    assert with_wire_proof(told.header, list(told.events)) == list(told.events)


def reader(*steps: Step) -> History:
    """A group member that tells of records, but neither of their offsets nor of assignments."""
    told = silent(history(*steps, role=Role.GROUP, play=STEADY))
    blind = (
        replace(item, offset=-1) if isinstance(item, App) and item.kind is AppKind.RECEIVED else item
        for item in told.events
    )
    return History(told.header, tuple(blind))


def again(*numbers: int) -> Step:
    """Records are delivered that were delivered before."""

    def step(script: Script) -> None:
        for number in numbers:
            script.app(AppKind.RECEIVED, partition=AFFECTED, sequence=number, offset=number)
            script.now += BEAT

    return step


def test_a_reader_that_skips_is_found_out_by_the_numbers_of_its_records() -> None:
    skips = reader(fault_on(), fetched(5, OLD), again(17, 18), watch(6000))
    stored = (*skips.header.stored, *(Stored(AFFECTED, number, "feed", number) for number in range(15, 19)))
    assert judge(replace(skips, header=replace(skips.header, stored=stored))).facts.position_jump == 2
    assert judge(reader(fault_on(), fetched(5, OLD), watch(6000))).facts.position_jump == 0


def test_what_is_delivered_again_breaks_a_promise_unless_the_member_joined_anew() -> None:
    twice = judge(reader(fault_on(), fetched(5, OLD), again(12, 13), watch(6000)))
    joined = call(SYNC_GROUP, OLD, row(), answer=(row(),))
    anew = judge(reader(fault_on(), fetched(5, OLD), joined, again(12, 13), watch(6000)))
    assert twice.outcome is Outcome.VIOLATES
    assert anew.facts.position_jump == 0


def test_the_writer_is_found_in_what_an_application_makes_of_a_value() -> None:
    wrapped = 'probe,key=p0-5 value="telegraf-producer-0a1b2c 0 17 1234567" 1700000000000000000\n'
    assert Stored.of(0, 3, wrapped) == Stored(0, 3, "telegraf-producer-0a1b2c", 17)
    assert Stored.of(0, 3, f"{ME} 0 4 99") == Stored(0, 3, ME, 4)
    assert Stored.of(0, 3, "of no form").sequence == -1
    assert Stored.of(0, 3, "x" * 1_000_000).sequence == -1
