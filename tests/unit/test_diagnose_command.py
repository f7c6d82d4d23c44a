"""`probe diagnose`: what it prints, its exit codes, its page, and that nothing of an input gets through unescaped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from probe.cli.app import app
from probe.cli.console.reading_progress import line
from probe.diagnose.client_identity import Library
from probe.diagnose.observation import Input, Left
from probe.errors import ProbeError
from probe.model import Cell, Engine, Facts, Outcome, Role, Row, Verdict
from tests.support.wire_script import TOPIC, Talk, WireScript
from tests.unit.test_lookup import publish, settled, shipped

__all__ = ["shipped"]  # the fixture
SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "diagnose.json"
STORAGE_ERROR = 56
EVIL = "<script>alert(1)</script>\x1b[2J\u202e"


def incident() -> WireScript:
    """One client writes on to the old leader, another asks and moves."""
    script = WireScript()
    stuck, moving = script.client("shipper", "10.0.0.7"), script.client("orders", "10.0.0.8")
    for talk in (stuck, moving):
        talk.asks()
        talk.works(10)
    moving.fails(STORAGE_ERROR, times=2)
    script.leader = 2
    moving.asks()
    moving.works(5, broker=12)
    stuck.fails(STORAGE_ERROR, times=300)
    moving.works(5, broker=12)
    return script


def run(monkeypatch: pytest.MonkeyPatch, files: dict[str, WireScript], *arguments: str) -> Result:
    """Run the command on transcripts by file name. A name without a transcript cannot be read."""

    @contextmanager
    def opened(
        paths: Sequence[str], *, progress: Any = None, log_zone: Any = None, names: Any = None
    ) -> Iterator[Input]:
        missing = [path for path in paths if path not in files]
        if missing:
            raise ProbeError(f"{missing[0]}: neither a capture nor a request log")
        if progress is not None:
            progress(1, 1)
        files[paths[0]].log_zone = log_zone
        yield files[paths[0]]

    monkeypatch.setattr("probe.diagnose.input.file_set.open_inputs", opened)
    return CliRunner().invoke(app, ["diagnose", *arguments, "--results", "no-results"])


def test_the_stuck_client_comes_first_with_everything_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch, {"a.pcap": incident()}, "a.pcap")
    lines = done.stdout.splitlines()
    assert lines[0].endswith("2 clients: 1 stuck, 1 recovered")
    assert lines[1].startswith("stuck      10.0.0.7 shipper (library not known)")
    text = done.stdout
    assert f"{TOPIC}-0: KAFKA_STORAGE_ERROR to Produce 300 times at broker 1 (10.0.1.11:9092)" in text
    assert "it never asked who leads now; by the last answers broker 2 (10.0.1.12:9092) leads" in text
    assert "futile requests/s" in text
    assert "recovered  10.0.0.8 orders" in text
    assert "moved to broker 2 (10.0.1.12:9092)" in text
    assert "broker     broker 1 (10.0.1.11:9092), which serves 0 objects by the last answers: " in text
    assert f"KAFKA_STORAGE_ERROR for {TOPIC}-0 302 times (led by broker 2)" in text
    assert isinstance(done.exception, ProbeError | SystemExit)


def healthy() -> WireScript:
    script = WireScript()
    talk = script.client()
    talk.asks()
    talk.works(10)
    return script


def unknown() -> WireScript:
    script = healthy()
    Talk(script, "other", "10.0.0.9").fails(STORAGE_ERROR)
    script.written = [event for event in script.written if script.connections[event.conn].client == "10.0.0.9"]
    return script


def empty() -> WireScript:
    return WireScript()


@pytest.mark.parametrize(
    ("files", "named", "code"),
    [
        ({"a": incident}, ["a"], 1),
        ({"a": incident}, ["a", "missing"], 1),
        ({"a": healthy}, ["a", "missing"], 2),
        ({}, ["missing"], 2),
        ({"a": unknown}, ["a"], 3),
        ({"a": empty}, ["a"], 3),
        ({"a": healthy}, ["a"], 0),
    ],
)
def test_exit_codes_are_those_of_an_audit(
    monkeypatch: pytest.MonkeyPatch, files: dict[str, Any], named: list[str], code: int
) -> None:
    done = run(monkeypatch, {name: make() for name, make in files.items()}, *named)
    found = getattr(done.exception, "exit_code", None)
    assert (done.exit_code if found is None else found) == code


def test_json_follows_its_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    script = incident()
    script.skipped = (Left(file="a.pcap", reason="encrypted (TLS)", count=3, unit="connections"),)
    done = run(monkeypatch, {"a.pcap": script}, "a.pcap", "--json")
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert [(one["client_id"], one["status"]) for one in document["clients"]] == [
        ("shipper", "stuck"),
        ("orders", "recovered"),
    ]
    assert document["not_read"] == [{"file": "a.pcap", "reason": "encrypted (TLS)", "count": 3, "unit": "connections"}]


def evil() -> WireScript:
    """Every text of the input moves the cursor, turns the writing and is a script."""
    script = WireScript()
    talk = script.client(EVIL, EVIL, row=Row(topic=EVIL, partition=0))
    talk.works(10)
    talk.fails(STORAGE_ERROR, times=200)
    script.connections = {
        conn: replace(one, broker_address=EVIL, file=EVIL) for conn, one in script.connections.items()
    }
    script.skipped = (Left(file=EVIL, reason=EVIL, count=1, unit=EVIL),)
    return script


@pytest.mark.parametrize("arguments", [(), ("--all",), ("--json",)], ids=str)
def test_no_control_character_of_an_input_reaches_the_terminal(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    done = run(monkeypatch, {"a": evil()}, "a", *arguments)
    assert "\x1b" not in done.output + str(done.exception)
    assert "\u202e" not in done.output + str(done.exception)


def test_the_page_escapes_everything_and_has_timelines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run(monkeypatch, {"a": evil()}, "a", "--html", str(page))
    text = page.read_text()
    assert "<script" not in text
    assert "\x1b" not in text
    assert '<svg class="timeline"' in text
    assert "KAFKA_STORAGE_ERROR" in text


@pytest.mark.parametrize("how", ["text", "json", "html"])
def test_an_anonymous_report_names_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str) -> None:
    script = incident()
    script.skipped = (Left(file="secret.pcap", reason="not Kafka", count=1, unit="connections"),)
    page = tmp_path / "page.html"
    options = {"text": ("--all",), "json": ("--json",), "html": ("--html", str(page))}[how]
    done = run(monkeypatch, {"secret.pcap": script}, "secret.pcap", "--anonymize", *options)
    text = page.read_text() if how == "html" else done.stdout
    for name in ("10.0.", "shipper", TOPIC, "secret"):
        assert name not in text, name
    for name in ("host-1", "client-1", "topic-1", "address-1"):
        assert name in text, name


def test_a_value_has_one_number_throughout(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch, {"a": incident()}, "a", "--anonymize", "--json")
    document = json.loads(done.stdout)
    names = {item["object"]["name"] for one in document["clients"] for item in one["troubles"]}
    names |= {item["object"]["name"] for one in document["brokers"] for item in one["refused"]}
    assert names == {"topic-1"}
    assert [one["address"] for one in document["clients"]] == ["host-1", "host-2"]


def test_progress_names_the_share_and_the_time_left() -> None:
    assert line(250_000_000, 1_000_000_000, 5.0) == "25 % of 1.00 GB read, about 15 s left"
    assert line(250_000_000, 0, 5.0) == "0.25 GB read in 5 s"


def cell(version: str, scenario: str, profile: str = "isolated") -> Cell:
    return Cell("sarama", version, Role.PRODUCER, profile, scenario, Engine.EMBEDDED, "3.9")


def judged(own: Cell, outcome: Outcome, *, conforms: bool) -> Any:
    base = settled(own, outcome)
    facts = Facts(fault_codes=(STORAGE_ERROR,), recovered=outcome is not Outcome.STUCK)
    verdict = Verdict(outcome=outcome, reason="as measured", conforms=conforms, facts=facts, rules=17)
    return replace(base, verdicts=(verdict,))


def test_the_evidence_names_the_cell_the_upgrade_and_what_helps(monkeypatch: pytest.MonkeyPatch, shipped: Path) -> None:
    fault = "disk/storage-error"
    publish(
        shipped,
        judged(cell("1.43.2", fault), Outcome.STUCK, conforms=False),
        judged(cell("1.43.3", fault), Outcome.REFRESHES, conforms=True),
        judged(cell("1.43.2", fault, "refresh-1s"), Outcome.STUCK, conforms=False),
        judged(cell("1.43.2", f"start-during/{fault}"), Outcome.CLEAN, conforms=True),
    )
    known = Library(family="sarama", versions=("1.43.2",), text="sarama, a version before 1.43.3")
    monkeypatch.setattr("probe.cli.wiring.diagnosis.by_fingerprint", lambda: lambda *_: known)
    text = run(monkeypatch, {"a": incident()}, "a").stdout
    assert "(sarama, a version before 1.43.3)" in text
    assert f"evidence: sarama@1.43.2 producer isolated {fault} on 3.9: stuck" in text
    assert (
        f"1.43.2 does the same; 1.43.3 is the first that passes in {fault}, so this is a version before 1.43.3" in text
    )
    assert f"helps: restart the client (1.43.2 isolated start-during/{fault}: clean)" in text
    assert f"does not help: a shorter metadata refresh (1.43.2 refresh-1s {fault}: stuck)" in text


def test_a_client_of_an_unknown_library_gets_no_advice_of_others(
    monkeypatch: pytest.MonkeyPatch, shipped: Path
) -> None:
    publish(shipped, judged(cell("1.43.2", "disk/storage-error"), Outcome.STUCK, conforms=False))
    assert (
        "evidence: the library is not known, so no cell can speak of it"
        in run(monkeypatch, {"a": incident()}, "a").stdout
    )


def test_a_client_that_was_stuck_and_recovered_is_said_to_have_been_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    script = WireScript()
    talk = script.client()
    talk.asks()
    talk.works(10)
    talk.fails(STORAGE_ERROR, times=300)
    talk.is_cut()
    script.leader = 2
    talk.asks()
    talk.works(20, broker=12)
    done = run(monkeypatch, {"a": script}, "a")
    assert done.exit_code == 1
    assert str(done.exception) == "1 of 1 clients were stuck: 10.0.0.7 orders-writer"
    assert done.stdout.splitlines()[1].startswith("was stuck  10.0.0.7 orders-writer")
    assert "stuck for 30." in done.stdout
    assert "evidence: " in done.stdout
    assert run(monkeypatch, {"a": script}, "a", "--now").exit_code == 0
    document = json.loads(run(monkeypatch, {"a": script}, "a", "--json").stdout)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert [one["status"] for one in document["clients"]] == ["was stuck"]
    assert "it asked who leads 1 time first after 30.3 s" in done.stdout


def test_the_report_says_what_times_without_a_zone_were_taken_for(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch, {"a.log": incident()}, "a.log", "--log-zone", "+05:30")
    assert "; the log names no zone, taken as UTC+05:30: as asked)" in done.stdout
    done = run(monkeypatch, {"a.log": incident()}, "a.log", "--json", "--log-zone", "Asia/Kolkata")
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert document["log_zone"] == {"zone": "Asia/Kolkata", "by": "option"}


def test_a_file_that_cannot_be_read_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = run(monkeypatch, {}, "missing")
    assert str(alone.exception) == "missing: neither a capture nor a request log"
    assert alone.output == ""
    beside = run(monkeypatch, {"a": healthy()}, "a", "missing", "gone")
    assert beside.output.count("missing") == beside.output.count("gone") == 1
    assert str(beside.exception) == "2 files could not be read, named above; the others are reported"
