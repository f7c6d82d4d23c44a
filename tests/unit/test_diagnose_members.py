"""Members of the new group protocols on a wire that is only watched: who is fenced, in again, and at work again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from probe.cells.aggregate import SettledCell
from probe.diagnose.advice import Advice, advise
from probe.diagnose.client_identity import Library
from probe.diagnose.findings import Finding, Status
from probe.diagnose.membership import STALE
from probe.diagnose.names import BrokerNames
from probe.diagnose.report import details, lines, summary
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Facts, Outcome, Role, Row, Trigger, Verdict
from probe.model.engines import DEFAULT_ENGINE
from probe.protocol import apis
from tests.support.wire_members import Member
from tests.support.wire_script import GROUP, OLD, WireScript

FENCED, UNKNOWN_MEMBER, STALE_EPOCH = 110, 25, 113


@pytest.fixture
def member() -> Member:
    """A member of epoch 3."""
    one = Member(WireScript())
    one.beats(0, 3)
    one.asks_offsets()
    one.works(5, 3)
    return one


def group_finding(member: Member) -> Finding:
    return next(one for one in member.script.only().findings if one.item.name == GROUP)


def text(found: Finding) -> str:
    return summary(found, BrokerNames(()))


@pytest.mark.parametrize("code", [FENCED, UNKNOWN_MEMBER])
def test_a_member_that_joins_again_is_fenced_and_in_again(member: Member, code: int) -> None:
    member.beats(3, code=code, every_ms=199)
    member.beats(0, 5)
    member.works(5, 5)
    found = group_finding(member)
    assert found.status is Status.RECOVERED
    assert "fenced at epoch 3, in again after 0.2 s as epoch 5" in text(found)


def test_a_member_that_was_fenced_is_named_beside_a_longer_trouble(member: Member) -> None:
    for _ in range(2):
        asked = member.talk.request(apis.FETCH, OLD, Row(topic="orders", partition=0))
        member.talk.answer(asked, Row(topic="orders", partition=0, code=74))
        member.beats(3, 3)
    member.beats(3, code=FENCED, every_ms=199)
    member.beats(0, 5)
    member.works(5, 5)
    report = list(lines(member.script.diagnose(), (), everything=False))
    assert sum("FENCED_LEADER_EPOCH to Fetch" in line for line in report[:4]) == 1
    assert sum("fenced at epoch 3, in again after 0.2 s as epoch 5" in line for line in report) == 1


def test_a_member_that_keeps_its_epoch_is_not_in_again(member: Member) -> None:
    """As @platformatic/kafka 1.35.0: it sends its old epoch, and is refused for ever."""
    for _ in range(15):
        member.beats(3, code=UNKNOWN_MEMBER)
    found = group_finding(member)
    assert found.status is Status.STUCK
    assert found.member is not None
    assert (found.member.fences, found.member.fence and found.member.fence.times) == (1, 15)
    assert "fenced at epoch 3, and not in again: its last heartbeat had epoch 3, and 0 joins" in text(found)


def test_a_member_that_is_refused_as_it_joins_was_never_in(member: Member) -> None:
    member.beats(3, code=FENCED)
    for _ in range(15):
        member.beats(0, code=111)
    assert "fenced at epoch 3, and not in again: it joins, and is refused" in text(group_finding(member))
    other = Member(WireScript())
    for _ in range(15):
        other.beats(0, code=UNKNOWN_MEMBER)
    assert "fenced" not in text(group_finding(other))


def test_an_older_fence_is_no_part_of_a_later_trouble(member: Member) -> None:
    member.beats(3, code=FENCED)
    member.beats(0, 5)
    member.works(20, 5)
    for _ in range(3):
        member.talk.answer(member.talk.request(apis.FIND_COORDINATOR, OLD, Row(key=GROUP)), Row(key=GROUP, leader=1))
        member.commits(16)
    assert all("fenced" not in text(one) for one in member.script.only().findings if one.since > member.script.now - 5)


def test_a_commit_with_an_older_epoch_is_explained(member: Member) -> None:
    for _ in range(12):
        member.commits(STALE_EPOCH)
        member.beats(3, 3)
    found = group_finding(member)
    assert found.status is Status.STUCK
    assert STALE in list(details(found, BrokerNames(())))


def test_heartbeats_do_not_show_that_a_member_has_its_offsets(member: Member) -> None:
    """As librdkafka 2.16.0: after one OffsetFetch that is refused with 113 the offsets are never asked for again."""
    member.asks_offsets(STALE_EPOCH)
    for _ in range(40):
        member.beats(3, 3)
    assert group_finding(member).status is Status.STUCK


@pytest.mark.parametrize(
    ("way", "status"),
    [("offsets", Status.RECOVERED), ("commit", Status.RECOVERED), ("assignment", Status.UNKNOWN)],
)
def test_offsets_commits_and_assignments_show_that_a_member_has_its_place(
    member: Member, way: str, status: Status
) -> None:
    member.asks_offsets(STALE_EPOCH)
    member.beats(3, 4 if way == "assignment" else 3)
    for _ in range(5):
        if way == "offsets":
            member.asks_offsets()
        if way == "commit":
            member.commits()
        member.beats(4 if way == "assignment" else 3, 4 if way == "assignment" else 3)
    for _ in range(40 if way == "assignment" else 0):
        member.beats(4, 4)
    assert group_finding(member).status is status


def test_a_member_that_reads_on_and_commits_no_more_is_stuck(member: Member) -> None:
    """As @platformatic/kafka 2.12.1, whose commits wait for an event of a join that does not come."""
    member.beats(3, code=FENCED)
    member.beats(0, 4)
    member.works(40, 4, commits=False)
    found = group_finding(member)
    assert found.status is Status.STUCK
    assert found.times == 1
    assert found.reason.startswith("it reads on, and has committed nothing in the 4")
    assert "FENCED_MEMBER_EPOCH to ConsumerGroupHeartbeat 1 time" in text(found)


@pytest.mark.parametrize("ends", ["commits", "nothing to read", "soon"])
def test_a_member_that_may_have_nothing_to_commit_is_not_stuck(member: Member, ends: str) -> None:
    member.beats(3, code=FENCED)
    member.beats(0, 4)
    member.works(10 if ends == "soon" else 40, 4, commits=ends == "commits")
    for _ in range(20 if ends == "nothing to read" else 0):
        member.beats(4, 4)
    assert all(one.status is not Status.STUCK for one in member.script.only().findings)


def test_members_that_share_a_client_id_are_one_unknown_member(member: Member) -> None:
    other = member.talk
    member.talk = member.script.client("orders-reader", api=apis.FETCH, version=17)
    member.beats(0, 3)
    member.talk, second = other, member.talk
    member.beats(3, code=FENCED)
    member.talk = second
    for _ in range(3):
        member.beats(3, 3)
    assert group_finding(member).member is None


def test_a_heartbeat_without_an_answer_is_a_sign_of_trouble(member: Member) -> None:
    member.talk.request(apis.CONSUMER_GROUP_HEARTBEAT, OLD, Row(key=GROUP, epoch=3))
    member.script.ends_after(40_000)
    assert group_finding(member).silent == 1


class Evidence:
    """Cells of one version in both group protocols, and one of a cut connection."""

    def find(self, _: Wanted, *, facts: bool = False) -> Mapping[Cell, SettledCell]:
        assert facts
        return {one.cell: one for one in (self._stuck("isolated"), self._stuck("consumer-protocol"), self._cut())}

    def later(self, _: Collection[Cell]) -> Mapping[Cell, SettledCell]:
        return {}

    def _stuck(self, profile: str) -> SettledCell:
        facts = Facts(fault_codes=(UNKNOWN_MEMBER, 16))
        return settled(
            f"hold/{profile}", profile, Verdict(outcome=Outcome.STUCK, reason="", conforms=False, facts=facts)
        )

    def _cut(self) -> SettledCell:
        facts = Facts(refresh_trigger=Trigger.DISCONNECT)
        found = Verdict(outcome=Outcome.RIDES, reason="", conforms=True, facts=facts)
        return settled("net/reset", "consumer-protocol", found)


def settled(scenario: str, profile: str, verdict: Verdict) -> SettledCell:
    cell = Cell("platformatic-kafka", "1.35.0", Role.GROUP, profile, scenario, DEFAULT_ENGINE, "4.4")
    return SettledCell(cell=cell, run_id="r", trial=0, verdicts=(verdict,))


def advice_for(member: Member) -> Advice:
    found = replace(group_finding(member), role=Role.GROUP)
    return advise(found, Library(family="platformatic-kafka"), Evidence())


def test_evidence_is_of_the_members_own_protocol(member: Member) -> None:
    for _ in range(15):
        member.beats(3, code=16)
    found = advice_for(member)
    assert [one.cell.profile for one in found.same] == ["consumer-protocol"]
    assert [one.action.partition(" (")[0] for one in found.measures] == ["end its connection to the old leader"]


def test_no_other_connection_helps_a_fenced_member(member: Member) -> None:
    for _ in range(15):
        member.beats(3, code=UNKNOWN_MEMBER)
    found = advice_for(member)
    assert found.same
    assert found.measures == ()


def test_a_member_of_the_classic_protocol_has_the_evidence_of_that(member: Member) -> None:
    for _ in range(15):
        member.beats(3, code=16)
    classic = replace(group_finding(member), role=Role.GROUP, member=None)
    found = advise(classic, Library(family="platformatic-kafka"), Evidence())
    assert [one.cell.profile for one in found.same] == ["isolated"]
