"""KIPs as measured: what documents declare, what cells show, and where they disagree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from probe.catalogue.files import data_file
from probe.catalogue.kips import NOTHING, Answer, declared, documented, kips
from probe.cells.aggregate import SettledCell
from probe.cells.kip_behaviour import BEHAVIOUR, HOLD_MS, Context
from probe.cells.kip_signs import WIRE, behaviour_signs, wire_signs
from probe.cells.supports import Contradiction, over_all, support_of
from probe.cli.wiring.catalogue import families
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Client, Facts, Outcome, Role, Verdict
from probe.model.handshake import Handshake, Purpose
from probe.model.words import Reroute, Trigger
from probe.protocol.names import API_NAMES
from probe.scenarios import generated_families
from tests.support.command import Done, command
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import publish

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "supports.json"
YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
BY_NUMBER = {one.number: one for one in kips()}
P, C, G, T = Role.PRODUCER, Role.CONSUMER, Role.GROUP, Role.TRANSACTIONAL
HINTED = "leader/hinted"


def cell(role: Role, scenario: str, *, broker: str = "3.9", profile: str = "isolated", version: str = "2.16.0") -> Cell:
    return replace(
        CELL, family="librdkafka", version=version, role=role, scenario=scenario, broker=broker, profile=profile
    )


def played(where: Cell, outcome: Outcome = Outcome.REFRESHES, **facts: Any) -> SettledCell:
    verdict = Verdict(outcome=outcome, reason="as it was", conforms=True, facts=Facts(**facts), rules=21)
    return SettledCell(cell=where, run_id="r1", trial=0, verdicts=(verdict,))


def sent(role: Role, *apis: tuple[str, int], scenario: str = "steady", **where: str) -> SettledCell:
    return played(cell(role, scenario, **where), Outcome.CLEAN, api_versions=apis)


@pytest.mark.parametrize(
    ("family", "version", "kip", "answer", "opt_in"),
    [
        ("librdkafka", "2.0.2", 320, NO, ""),
        ("librdkafka", "2.1.0", 320, YES, ""),
        ("librdkafka", "2.1.1", 580, UNKNOWN, ""),
        ("librdkafka", "2.11.1", 1102, YES, ""),
        ("java", "3.7.2", 899, NO, ""),
        ("java", "3.9.2", 899, YES, "metadata.recovery.strategy=rebootstrap"),
        ("java", "4.0.2", 899, YES, ""),
        ("franz-go", "1.16.1", 951, UNKNOWN, ""),
        ("franz-go", "1.18.1", 848, NO, ""),
        ("kafka-python", "1.4.7", 951, NO, ""),
        ("kafkajs", "2.2.4", 35, UNKNOWN, ""),
    ],
)
def test_what_documents_declare(family: str, version: str, kip: int, answer: Answer, opt_in: str) -> None:
    said = declared(family, version, kip)
    assert (said.answer, said.opt_in) == (answer, opt_in)
    assert said is NOTHING or (said.source and said.link.startswith("https://"))


def test_the_table_names_families_and_kips_that_exist_and_says_nothing_twice() -> None:
    text = data_file("kips.toml").read_text()
    assert documented() <= set(families())
    for family in documented():
        for version in families()[family].versions:
            for kip in kips():
                said = declared(family, version.version, kip.number)
                assert said.answer is not YES or said.source, (family, version.version, kip)
    assert set(BEHAVIOUR) | set(WIRE) <= set(BY_NUMBER)
    assert text.count("[[declared]]") == text.count("\nsource = ") == text.count("\nlink = ")
    assert {row.api for rows in WIRE.values() for row in rows} <= set(API_NAMES.values())
    assert HOLD_MS == generated_families.HOLD_MS


@pytest.mark.parametrize(
    ("kip", "cells", "answers"),
    [
        (320, [sent(C, ("Fetch", 12), ("OffsetForLeaderEpoch", 2))], {C: YES}),
        (320, [sent(C, ("Fetch", 12)), sent(G, ("Fetch", 4))], {C: UNKNOWN, G: NO}),
        (392, [sent(C, ("Fetch", 12)), sent(G, ("Fetch", 10))], {C: UNKNOWN, G: NO}),
        (447, [sent(T, ("TxnOffsetCommit", 3))], {T: YES}),
        (447, [sent(T, ("TxnOffsetCommit", 2))], {T: NO}),
        (447, [sent(T, ("EndTxn", 3))], {T: UNKNOWN}),
        (679, [sent(P, ("Produce", 9), ("InitProducerId", 4))], {P: YES}),
        (679, [sent(P, ("Produce", 9))], {P: NO}),
        (679, [sent(P, ("Produce", 9), profile="idempotent")], {None: UNKNOWN}),
        (848, [sent(G, ("ConsumerGroupHeartbeat", 0), broker="4.4")], {G: YES}),
        (848, [sent(G, ("Heartbeat", 4), broker="4.4")], {G: UNKNOWN}),
        (951, [sent(P, ("Produce", 10)), sent(C, ("Fetch", 15))], {P: YES, C: NO}),
        (951, [sent(P, ("Produce", 8), broker="2.6")], {None: UNKNOWN}),
        (1102, [sent(P, ("Metadata", 12), broker="4.4")], {P: NO}),
        (1102, [sent(P, ("Metadata", 12))], {None: UNKNOWN}),
        (899, [sent(P, ("Metadata", 12))], {None: UNKNOWN}),
    ],
)
def test_what_requests_show(kip: int, cells: list[SettledCell], answers: dict[Role | None, Answer]) -> None:
    found = wire_signs(BY_NUMBER[kip], cells, {})
    assert {one.role: one.answer for one in found} == answers
    assert all((one.cell is not None) == (one.answer is not UNKNOWN) for one in found)


def test_a_leader_epoch_shows_by_the_error_that_answers_it() -> None:
    fenced = played(cell(C, HINTED), api_versions=(("Fetch", 12),), fault_codes=(74,))
    assert over_all(wire_signs(BY_NUMBER[320], [fenced], {})) is YES
    injected = replace(fenced, cell=cell(C, "blip/fetch/FENCED_LEADER_EPOCH"))
    assert over_all(wire_signs(BY_NUMBER[320], [injected], {})) is UNKNOWN


@pytest.mark.parametrize(("requests", "answer"), [(((18, 3), (3, 4)), YES), (((3, 1),), NO)])
def test_api_versions_is_seen_in_first_requests(requests: tuple[tuple[int, int], ...], answer: Answer) -> None:
    control = sent(P, ("Produce", 9))
    first = Handshake(conn=0, broker=0, purposes=(Purpose.DISCOVERY,), requests=requests, versions=requests)
    assert over_all(wire_signs(BY_NUMBER[35], [control], {control.cell: (first,)})) is answer
    assert over_all(wire_signs(BY_NUMBER[35], [control], {})) is UNKNOWN
    assert over_all(wire_signs(BY_NUMBER[368], [control], {control.cell: (first,)})) is UNKNOWN


LATE: dict[str, Any] = {"reroute": Reroute.NONE, "recovered": False, "refresh_trigger": Trigger.NONE}
TOLD = {"unresolved": 0, "failed_ops": 9, "recovered": False}
REBOOT = {"fault_codes": (129,), "recovered": True}


@pytest.mark.parametrize(
    ("kip", "scenario", "outcome", "facts", "answer"),
    [
        (35, "api/unsupported", "rides", {"api_versions": (("Produce", 10),), "recovered": True}, YES),
        (35, "api/unsupported", "stuck", {"api_versions": (("Produce", 10),), "recovered": False}, NO),
        (35, "api/unsupported", "rides", {"api_versions": (("Produce", 7),), "recovered": True}, UNKNOWN),
        (91, "broker/hang", "stuck", {**TOLD, "watched_ms": 900_000.0}, YES),
        (91, "broker/hang", "stuck", {**TOLD, "watched_ms": 90_000.0}, UNKNOWN),
        (91, "broker/hang", "violates", {"unresolved": 2}, NO),
        (580, "hold/metadata/LEADER_NOT_AVAILABLE", "refreshes", {"refreshes": 27, "recovered": True}, NO),
        (580, "hold/metadata/LEADER_NOT_AVAILABLE", "refreshes", {"refreshes": 7, "recovered": True}, UNKNOWN),
        (679, "net/response-lost", "rides", {"duplicated": 3}, NO),
        (679, "net/response-lost", "rides", {"duplicated": 0, "recovered": True}, UNKNOWN),
        (899, "bootstrap/addresses-changed", "late", {"reroute": Reroute.BOOTSTRAP, "recovered": True}, YES),
        (899, "bootstrap/addresses-changed", "stuck", LATE, NO),
        (951, HINTED, "hinted", {"fault_hits": 1, "reroute": Reroute.HINT}, YES),
        (951, HINTED, "refreshes", {"fault_hits": 1, "reroute": Reroute.REFRESH}, NO),
        (951, HINTED, "not_provoked", {}, UNKNOWN),
        (1102, "metadata/rebootstrap-for-good", "refreshes", {**REBOOT, "reroute": Reroute.BOOTSTRAP}, YES),
        (1102, "metadata/rebootstrap-for-good", "stuck", {**REBOOT, "recovered": False}, NO),
        (1102, "metadata/rebootstrap-required", "rides", {**REBOOT, "connects": 4}, YES),
        (1102, "metadata/rebootstrap-required", "rides", {**REBOOT, "connects": 1}, NO),
        (1102, "metadata/rebootstrap-required", "rides", {**REBOOT, "connects": 2}, UNKNOWN),
    ],
)
def test_what_a_trial_shows(kip: int, scenario: str, outcome: str, facts: dict[str, Any], answer: Answer) -> None:
    where = cell(P, scenario, broker="4.4")
    context = Context(back_off_ms=100, delivery_ms=120_000)
    found = behaviour_signs(BY_NUMBER[kip], [played(where, Outcome(outcome), **facts)], context)
    assert over_all(found) is answer


def test_an_interval_grows_where_that_of_an_older_release_is_constant() -> None:
    item = played(cell(P, "hold/metadata/LEADER_NOT_AVAILABLE"), refreshes=7, recovered=True)
    assert over_all(behaviour_signs(BY_NUMBER[580], [item], Context(back_off_ms=100, older_is_constant=True))) is YES


def test_one_trial_breaks_a_promise_and_one_shows_an_ability() -> None:
    kept, broken = (played(cell(P, "net/response-lost"), duplicated=n, recovered=True) for n in (0, 2))
    assert over_all(behaviour_signs(BY_NUMBER[679], [kept, broken], Context())) is NO
    hint, later = (played(cell(P, HINTED), fault_hits=1, reroute=how) for how in (Reroute.HINT, Reroute.REFRESH))
    (sign,) = behaviour_signs(BY_NUMBER[951], [later, hint], Context())
    assert (sign.answer, sign.shown, sign.of) == (YES, 1, 2)


class TestContradictions:
    """Documents against trials."""

    def of(self, family: str, version: str, kip: int, *cells: SettledCell, **more: Any) -> Contradiction:
        said = declared(family, version, kip)
        client = Client(family, version)
        return support_of(BY_NUMBER[kip], client, said, cells, {}, Context(), **more).contradiction

    def test_what_is_declared_and_not_so(self) -> None:
        item = played(cell(C, HINTED), fault_hits=1, reroute=Reroute.REFRESH)
        assert self.of("franz-go", "1.22.3", 951, item) is Contradiction.NOT_SO
        assert self.of("franz-go", "1.22.3", 951, item, own_settings=True) is Contradiction.NONE
        assert self.of("franz-go", "1.16.1", 951, item) is Contradiction.NONE

    def test_what_is_so_and_not_declared(self) -> None:
        item = played(cell(P, "bootstrap/addresses-changed"), reroute=Reroute.BOOTSTRAP)
        assert self.of("librdkafka", "2.3.0", 899, item) is Contradiction.UNDECLARED

    def test_what_a_cell_does_not_switch_on_contradicts_nothing(self) -> None:
        item = played(cell(P, "bootstrap/addresses-changed"), Outcome.STUCK, **LATE)
        assert self.of("java", "3.9.2", 899, item) is Contradiction.NONE
        profile = "isolated+metadata.recovery.strategy=rebootstrap"
        on = replace(item, cell=replace(item.cell, profile=profile))
        assert self.of("java", "3.9.2", 899, on) is Contradiction.NOT_SO


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return evidence of a version that follows hints and of one that does not."""
    facts: dict[str, Any] = {"fault_hits": 1, "api_versions": (("Produce", 10),)}
    cells = [
        played(cell(P, HINTED, version="2.11.1"), reroute=Reroute.REFRESH, **facts),
        played(cell(P, HINTED), Outcome.HINTED, reroute=Reroute.HINT, **facts),
    ]
    return publish(tmp_path_factory.mktemp("evidence") / "evidence.sqlite", *cells)


class TestCommand:
    """`probe supports`."""

    def ask(self, evidence: Path, *words: str) -> Done:
        return command("supports", *words, "--evidence", str(evidence))

    def test_a_kip_has_its_source_its_cell_and_a_command(self, evidence: Path) -> None:
        done = self.ask(evidence, "librdkafka@2.16.0", "KIP-951")
        assert done.returncode == 0
        assert "INTRODUCTION.md of 2.5.0" in done.stdout
        assert "in faults, producer: yes; was at the new leader before Metadata named it" in done.stdout
        assert "probe run --client librdkafka@2.16.0 --scenario leader/hinted --role producer" in done.stdout

    def test_a_contradiction_is_exit_code_1(self, evidence: Path) -> None:
        done = self.ask(evidence, "pkg:pypi/confluent-kafka@2.11.1")
        assert done.returncode == 1
        assert "DECLARED, AND NOT SO: producer was at the new leader only after Metadata named it" in done.stdout
        assert "KIP-951" in done.stderr

    def test_all_versions_of_a_kip(self, evidence: Path) -> None:
        lines = self.ask(evidence, "librdkafka", "951").stdout.splitlines()
        assert [line.split()[:2] for line in lines[2:]] == [["2.11.1", "yes"], ["2.16.0", "yes"]]

    def test_json_has_a_schema(self, evidence: Path) -> None:
        done = self.ask(evidence, "librdkafka@2.11.1", "--json")
        found = json.loads(done.stdout)
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(found)
        assert found["contradictions"] == {"declared_and_not_so": 1, "so_and_not_declared": 0}
        assert [one["kip"] for one in found["answers"]] == sorted(BY_NUMBER)

    @pytest.mark.parametrize(
        ("words", "code", "text"),
        [
            (["librdkafka@2.16.0", "12"], 2, "12 is none of the KIPs that decide an incident; known are 35, 91"),
            (["librdkafka@2.16.0", "x"], 2, "x is none of the KIPs"),
            (["librdkafka@0.9.0"], 3, "nothing is known of librdkafka@0.9.0"),
        ],
    )
    def test_bad_input_is_one_line(self, evidence: Path, words: list[str], code: int, text: str) -> None:
        done = self.ask(evidence, *words)
        assert done.returncode == code
        assert text in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_shipped_evidence_contradicts_what_librdkafka_declares() -> None:
    done = command("supports", "librdkafka@2.11.1", "1102", "--evidence", str(built(TEXT)), "--max-age", "36500")
    assert done.returncode == 1
    assert "asked again on the same connection" in done.stdout
