"""An audit in every format, read by programs that are not ours."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt

from probe.catalogue.scenarios import CORE
from probe.cells.audit import Finding, Report, Upgrade, examine, worst_first
from probe.cells.audit_gate import Gates
from probe.cells.gate_words import Gate
from probe.cells.ignores import apply, read_ignores
from probe.cli.wiring.catalogue import apps, packages
from probe.inventory.entries import Place
from probe.model import Cell, Client, Outcome
from probe.reports.audit.formats import WRITERS, Format, write
from probe.reports.audit.question import Question
from probe.reports.audit.result import AuditResult
from probe.reports.audit.sarif import LEVELS
from probe.reports.audit.vex import statements
from tests.support import finding_readers
from tests.support.finding_readers import ask, sarif_problems, sarif_rows, sarif_schema
from tests.support.synthetic_rows import CELL, settled_cell

OLD = replace(CELL, version="1.43.2")
OTHER = replace(OLD, scenario="leader/elected")
FINDING = "PROBE-sarama-producer-disk-storage-error"
NASTY = 'shop "<b>|&\x1b\N{RIGHT-TO-LEFT OVERRIDE}`*'
ACCEPTED = """
[[ignore]]
service = "accepted"
reason = "it runs beside brokers without disks of their own"
expires = 2027-01-31
"""


STORED = {
    cell: settled_cell(cell, outcome)
    for cell, outcome in (
        (OLD, Outcome.STUCK),
        (OTHER, Outcome.REFRESHES),
        (CELL, Outcome.REFRESHES),
        (replace(CELL, family="librdkafka", version="2.8.0"), Outcome.SURFACES),
    )
}


def report(name: str, cell: Cell, *more: Cell, **changes: Any) -> Report:
    made = Report(name, str(cell.client), str(cell.client), 1, examine([cell, *more], STORED), None)
    return replace(made, **changes)


def audit() -> AuditResult:
    up = Upgrade("1.43.3", "1.43.2", exact=True)
    reports = [
        report("orders", OLD, OTHER, replace(OLD, scenario="net/reset"), upgrade=up, place=Place("a b/go.mod", 7)),
        report(NASTY, replace(OLD, profile="isolated+Producer.Retry.Max=9"), upgrade=replace(up, exact=False)),
        report("accepted", OLD, upgrade=up),
        report("python", replace(CELL, family="librdkafka", version="2.8.0"), client="confluent-kafka@2.8.2"),
        report("fine", CELL, place=Place("/srv/fine/go.mod")),
        Report("lost", "nobody@1", "", 1, (), None, problem="there is no client nobody"),
    ]
    ignored = apply(read_ignores(ACCEPTED, "x"), reports, date(2026, 12, 1))
    return AuditResult(
        reports=worst_first(ignored.reports),
        results="results",
        packages=packages(),
        apps=apps(),
        failing=Gates(of=frozenset({Gate.STOPS})),
        moment=datetime(2026, 12, 1, tzinfo=UTC),
        question=QUESTION,
    )


QUESTION = Question(scenarios=CORE, is_baseline=True, left=118, broker="3.9", engine="embedded")


def written(form: Format) -> str:
    return write(form, audit())


def test_every_format_but_the_table_has_a_writer() -> None:
    assert {*WRITERS} == {*Format} - {Format.TABLE}


@pytest.mark.parametrize("form", [form for form in Format if form is not Format.TABLE])
def test_no_format_writes_characters_that_control_a_terminal(form: Format) -> None:
    text = written(form)
    assert "\x1b" not in text
    assert "\u202e" not in text or form is Format.JUNIT  # its readers show the text


class TestSarif:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "out.sarif"
        path.write_text(written(Format.SARIF))
        return path

    def test_what_stops_or_loses_is_an_error_what_stalls_or_repeats_a_warning(self) -> None:
        assert {harm.word: level for harm, level in LEVELS.items()} == {
            **dict.fromkeys(("loses", "stops"), "error"),
            **dict.fromkeys(("stalls", "repeats"), "warning"),
            **dict.fromkeys(("burdens", "errors", "none"), "note"),
        }

    def test_its_schema_is_met(self, file: Path) -> None:
        jsonschema.Draft7Validator(sarif_schema()).validate(json.loads(file.read_text()))

    def test_the_multitool_reads_every_finding_with_its_place(self, file: Path) -> None:
        rows = sarif_rows(file, "RuleId", "Level", "Location.Uri", "Location.Region.StartLine", "Properties.service")
        assert {(row["RuleId"], row["Level"], row["Properties.service"]) for row in rows} == {
            (FINDING, "Error", "orders"),
            (FINDING, "Error", "accepted"),
            (FINDING, "Warning", json.dumps(NASTY, ensure_ascii=False)[1:-1]),
            ("PROBE-librdkafka-producer-disk-storage-error", "Note", "python"),  # an error was reported, no more
        }
        (orders,) = (row for row in rows if row["Properties.service"] == "orders")
        assert (orders["Location.Uri"], orders["Location.Region.StartLine"]) == ("a%20b/go.mod", "7")

    def test_the_multitool_finds_no_fault_but_the_missing_home_page(self, file: Path) -> None:
        assert sarif_problems(file) <= {"SARIF2005"}

    def test_the_multitool_finds_faults(self, file: Path) -> None:
        data = json.loads(file.read_text())
        data["runs"][0]["results"][0]["ruleIndex"] = 99
        file.write_text(json.dumps(data, indent=1))
        assert sarif_problems(file) - {"SARIF2005"}

    def test_an_accepted_finding_is_suppressed_with_its_reason(self, file: Path) -> None:
        results = json.loads(file.read_text())["runs"][0]["results"]
        (one,) = (item for item in results if "suppressions" in item)
        assert one["properties"]["service"] == "accepted"
        assert one["suppressions"][0]["justification"].endswith("disks of their own (until 2027-01-31)")

    def test_what_is_not_known_is_a_note_and_no_result(self, file: Path) -> None:
        notes = json.loads(file.read_text())["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        texts = [note["message"]["text"] for note in notes]
        assert "lost (nobody@1): there is no client nobody." in texts
        assert "orders (sarama@1.43.2): 1 question not answered (never measured)." in texts


class TestVex:
    def test_the_cyclonedx_library_accepts_it(self) -> None:
        ask(finding_readers.CYCLONEDX, written(Format.CYCLONEDX))

    def test_the_cyclonedx_library_finds_faults(self) -> None:
        broken = json.loads(written(Format.CYCLONEDX))
        broken["vulnerabilities"][0]["analysis"]["state"] = "perhaps"
        with pytest.raises(AssertionError, match="perhaps"):
            ask(finding_readers.CYCLONEDX, json.dumps(broken))

    def test_vexipy_reads_the_worst_finding_of_each_package(self) -> None:
        found = {(name, tuple(of)): status for name, status, of in ask(finding_readers.VEXIPY, written(Format.OPENVEX))}
        sarama = "pkg:golang/github.com/IBM/sarama@v{}".format
        assert found == {
            (FINDING, (sarama("1.43.2"),)): "affected",
            (FINDING, (sarama("1.43.3"),)): "not_affected",
            ("PROBE-sarama-producer-leader-elected", (sarama("1.43.2"),)): "not_affected",
            ("PROBE-sarama-producer-net-reset", (sarama("1.43.2"),)): "under_investigation",
            ("PROBE-librdkafka-producer-disk-storage-error", ("pkg:pypi/confluent-kafka@2.8.2",)): "affected",
        }

    def test_both_formats_say_the_same_of_each_finding(self) -> None:
        states = {"exploitable": "affected", "in_triage": "under_investigation", "not_affected": "not_affected"}
        cyclonedx = json.loads(written(Format.CYCLONEDX))["vulnerabilities"]
        openvex = json.loads(written(Format.OPENVEX))["statements"]
        assert [(one["id"], states[one["analysis"]["state"]]) for one in cyclonedx] == [
            (one["vulnerability"]["name"], one["status"]) for one in openvex
        ]

    def test_a_statement_is_as_old_as_its_evidence_and_says_what_to_do(self) -> None:
        openvex = json.loads(written(Format.OPENVEX))["statements"]
        (one,) = (item for item in openvex if item["vulnerability"]["name"] == FINDING and item["status"] == "affected")
        assert one["timestamp"] == "2026-11-27T07:13:07Z"
        assert one["action_statement"].startswith("Upgrade to sarama 1.43.3 (1.43.2 is not enough).")
        assert [name in one["status_notes"] for name in ("orders", "accepted", NASTY[:4])] == [True] * 3

    def test_a_finding_that_is_accepted_everywhere_is_not_to_be_fixed(self) -> None:
        only = replace(audit(), reports=[item for item in audit().reports if item.name == "accepted"])
        (one,) = json.loads(write(Format.CYCLONEDX, only))["vulnerabilities"]
        assert (one["analysis"]["state"], one["analysis"]["response"]) == ("exploitable", ["will_not_fix"])
        assert one["recommendation"].startswith("Accepted: it runs beside brokers")

    @pytest.mark.parametrize("form", [Format.CYCLONEDX, Format.OPENVEX])
    def test_the_same_audit_gives_the_same_document(self, form: Format) -> None:
        assert written(form) == written(form)


def test_junitparser_reads_failures_and_skipped_cases() -> None:
    suites = {name.partition(" (")[0]: rest for name, *rest in ask(finding_readers.JUNIT, written(Format.JUNIT))}
    assert {name: rest[:3] for name, rest in suites.items() if not name.startswith("shop")} == {
        "orders": [3, 1, 1],
        "accepted": [1, 0, 1],
        "python": [1, 0, 1],
        "fine": [1, 0, 0],
        "lost": [1, 0, 1],
    }
    assert suites["orders"][3][0] == ["disk/storage-error producer isolated embedded 3.9", ["Failure"]]


def test_markdown_is_tables_without_a_break_or_raw_html() -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(written(Format.MARKDOWN))
    assert sum(token.type == "table_open" for token in tokens) == 4
    raw = [token.content for token in tokens if token.type == "html_block"]
    assert not [text for text in raw if not text.startswith(("<details><summary>", "</details>"))]
    inline = [child for token in tokens for child in token.children or ()]
    assert not [child for child in inline if child.type in {"html_inline", "link_open", "code_inline", "em_open"}]


def test_a_client_that_cannot_work_is_a_finding_in_the_formats_of_pipelines(tmp_path: Path) -> None:
    lost = [replace(item, is_broken=True) for item in audit().reports if item.name == "lost"]
    broken = replace(audit(), reports=lost)
    file = tmp_path / "out.sarif"
    file.write_text(write(Format.SARIF, broken))
    assert [row["RuleId"] for row in sarif_rows(file, "RuleId")] == ["PROBE-broken-client"]
    assert sarif_problems(file) <= {"SARIF2005"}
    ((_, *counts, _),) = ask(finding_readers.JUNIT, write(Format.JUNIT, broken))
    assert counts == [1, 1, 0]
    assert "| fails | lost | nobody@1 |  | there is no client nobody |" in write(Format.MARKDOWN, broken)


def test_a_statement_has_the_packages_of_all_services_with_the_library() -> None:
    cell = replace(CELL, family="librdkafka", version="2.8.0")
    reports = [
        report("py", cell, client="confluent-kafka@2.8.2"),
        report("go", cell, client="confluent-kafka-go@2.8.0"),
    ]
    (one,) = statements(replace(audit(), reports=reports))
    assert {purl.partition("/")[0] for purl in one.purls} == {"pkg:pypi", "pkg:golang"}


def test_a_package_with_an_accepted_failure_is_not_called_unaffected_by_a_service_that_passes() -> None:
    whole = audit()
    (accepted,) = (one for one in whole.reports if one.name == "accepted")
    fine = replace(accepted.faults[0], finding=Finding.PASSES, ignored="")
    reports = [accepted, replace(accepted, name="fine", faults=(fine,))]
    (one,) = statements(replace(whole, reports=reports))
    assert one.finding is Finding.FAILS


def test_no_cell_of_csv_is_a_formula() -> None:
    named = replace(audit(), reports=[replace(one, name="=cmd|' /C calc'!A0") for one in audit().reports])
    rows = list(csv.DictReader(io.StringIO(write(Format.CSV, named))))
    assert {row["service"] for row in rows} == {"'=cmd|' /C calc'!A0"}
    assert {(row["file"], row["line"]) for row in rows} == {("a b/go.mod", "7"), ("/srv/fine/go.mod", ""), ("", "")}


def test_package_urls_are_read_with_their_parts() -> None:
    cases = {
        ("sarama@1.43.2", "sarama@1.43.2"): [("golang", "github.com/IBM", "sarama", "v1.43.2")],
        ("sarama@1.38.1", "sarama@1.38.1"): [("golang", "github.com/Shopify", "sarama", "v1.38.1")],
        ("filebeat@8.16.1", "sarama@1.29.1"): [("golang", "github.com/Shopify", "sarama", "v1.29.1")],
        ("kafka-connect@3.9.2", "java@3.9.2"): [("maven", "org.apache.kafka", "kafka-clients", "3.9.2")],
        ("kafkajs@2.2.4", "kafkajs@2.2.4"): [("npm", None, "kafkajs", "2.2.4")],
        ("confluent-kafka-python@2.8.2", "librdkafka@2.8.0"): [("pypi", None, "confluent-kafka", "2.8.2")],
        ("confluent-kafka-javascript@1.2.0", "librdkafka@2.8.0"): [
            ("npm", "@confluentinc", "kafka-javascript", "1.2.0")
        ],
        ("rdkafka-sys@4.3.0+1.9.2", "librdkafka@1.9.2"): [("cargo", None, "rdkafka-sys", "4.3.0+1.9.2")],
        ("librdkafka@2.8.0", "librdkafka@2.8.0"): [("nuget", None, "librdkafka.redist", "2.8.0")],
    }
    clients = [[Client(*text.split("@")) for text in pair] for pair in cases]
    purls = [packages().purls(named, library) for named, library in clients]
    for texts, expected in zip(purls, cases.values(), strict=True):
        parts = ask(finding_readers.PURL, json.dumps(texts))
        assert [tuple(one[:4]) for one in parts] == expected
        assert [one[4] for one in parts] == texts
