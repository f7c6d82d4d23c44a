"""Command `lookup`, and what the look-ups share: own and shipped evidence, files, sites, age, release lines."""

from __future__ import annotations

import csv
import functools
import http.server
import io
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from probe.cells.aggregate import SettledCell
from probe.cli.app import app
from probe.evidence.places import SETTLED
from probe.evidence.schema import Run
from probe.evidence.writer import Contents, put, whole
from probe.files.digests import digest_of
from probe.files.shipped_evidence import PUBLISHED
from probe.model import Cell, Engine, Outcome, Role
from probe.model.conditions import current
from probe.verdict import RULES_VERSION
from tests.support.synthetic_rows import CELL, fill, verdict

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "lookup.json"
OLD = replace(CELL, version="1.43.2")
NEW = replace(CELL, version="1.61.1")


def settled(cell: Cell, outcome: Outcome, number: int | None = None) -> SettledCell:
    number = current(Engine.EMBEDDED) if number is None else number
    verdicts = (verdict(outcome, rules=RULES_VERSION),)
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=verdicts, conditions=number)


def publish(path: Path, *items: SettledCell, days: int = 0) -> Path:
    """Write evidence that was measured some days ago."""
    started = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    contents = Contents(cells={item.cell: item for item in items}, runs=[Run(run_id="r1", started=started)])
    put(path, whole(contents), digest=True)
    return path


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the place of the package's evidence, which does not exist yet."""
    path = tmp_path / "package" / PUBLISHED
    monkeypatch.setenv("PROBE_EVIDENCE", str(path))
    return path


def look(results: Path, *arguments: str) -> Result:
    """Look up a client, each finding on its own: the answer on one screen is in test_decision.py."""
    narrowed = {"--scenario", "--all"}.intersection(arguments)
    more = [] if narrowed else ["--scenario", "*"]
    return CliRunner().invoke(app, ["lookup", *arguments, *more, "--results", str(results)])


def code(done: Result) -> int:
    return getattr(done.exception, "exit_code", done.exit_code)


def test_shipped_evidence_answers_without_any_run(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES), days=12)
    done = look(tmp_path / "results", "sarama@1.43.2")
    assert code(done) == 1
    title, found, reason, better, evidence, shows, *_ = done.stdout.splitlines()
    assert title == "sarama@1.43.2 on broker line 3.9, embedded engine, profile isolated: 1 fails, in 1 trial"
    assert (found, reason.strip()) == (
        "  fails          producer isolated disk/storage-error: stops silently; stuck in 1 trial",
        "it stuck",
    )
    assert better.strip() == "1.43.3 passes"
    assert evidence.strip().startswith("shipped evidence of ")
    assert evidence.endswith(f"(12 days old), rules {RULES_VERSION}, conditions {current(Engine.EMBEDDED)}")
    assert shows.strip().startswith("probe run --client sarama@1.43.2 ")
    assert str(done.exception) == "sarama@1.43.2: stops in disk/storage-error (producer)"
    assert code(look(tmp_path / "results", "sarama@1.43.3")) == 0
    assert not (tmp_path / "results").exists()


def test_older_conditions_are_named_after_the_answer(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK, 1))
    for arguments in ((), ("--scenario", "*"), ("--json",)):
        done = CliRunner().invoke(app, ["lookup", str(OLD.client), *arguments, "--results", str(tmp_path)])
        assert done.output.startswith(done.stdout)
        assert done.stderr.startswith("1 cell was measured under older conditions only")


def test_own_results_answer_with_the_command_that_shows_them(tmp_path: Path, shipped: Path) -> None:
    run_id = fill(tmp_path / "results", (OLD, 0, Outcome.STUCK))
    done = look(tmp_path / "results", "sarama@1.43.2")
    assert code(done) == 1
    assert f"(0 days old), rules 1, conditions {current(Engine.EMBEDDED)}\n" in done.stdout
    assert "\n                 probe show --results" in done.stdout
    assert f"--run {run_id}" in done.stdout


def test_where_own_and_shipped_disagree_both_are_shown_and_the_worse_decides(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.REFRESHES))
    fill(tmp_path / "results", (OLD, 0, Outcome.STUCK))
    done = look(tmp_path / "results", "sarama@1.43.2")
    assert code(done) == 1
    assert "evidence disagrees on 1 cell: the worse counts" in done.stderr
    assert "but shipped evidence of" in done.stdout
    only = look(tmp_path / "results", "sarama@1.43.2", "--evidence", "shipped")
    assert (code(only), "disagrees" in only.stderr) == (0, False)


def test_a_family_lists_its_versions_as_numbers(tmp_path: Path, shipped: Path) -> None:
    publish(
        shipped,
        settled(OLD, Outcome.STUCK),
        settled(replace(CELL, version="1.9.0"), Outcome.STORMS),
        settled(CELL, Outcome.REFRESHES),
    )
    done = look(tmp_path, "sarama")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["1.9.0", "1.43.2", "1.43.3"]
    assert "1 fails, in 1 trial: producer disk/storage-error stuck" in done.stdout


def test_an_application_is_answered_by_its_library_with_its_settings(tmp_path: Path, shipped: Path) -> None:
    from probe.catalogue.apps import Application  # noqa: PLC0415
    from probe.cli.wiring.catalogue import apps  # noqa: PLC0415
    from probe.model import Profile  # noqa: PLC0415

    profile = str(Application(apps()["filebeat"], "8.16.1").profile(Profile("isolated"), Role.PRODUCER))
    own = replace(CELL, version="1.29.1", profile=profile)
    publish(shipped, settled(own, Outcome.STUCK), settled(replace(own, profile="isolated"), Outcome.REFRESHES))
    done = look(tmp_path, "filebeat@8.16.1")
    assert code(done) == 0
    assert "filebeat@8.16.1 (sarama@1.29.1 with its settings)" in done.stdout
    assert ": 1 suspected" in done.stdout
    assert "disk/storage-error: stops silently; stuck in 1 trial (sarama@1.29.1 inside it)" in done.stdout
    assert "Beats link a fork that adds a reconnect back-off" in " ".join(done.stdout.split())


def test_an_application_without_trials_of_its_own_is_suspected_by_its_librarys_settings(
    tmp_path: Path, shipped: Path
) -> None:
    other = replace(CELL, version="1.29.1")
    publish(shipped, *(settled(item, Outcome.STUCK) for item in (other, replace(other, role=Role.GROUP))))
    done = look(tmp_path, "filebeat@8.16.1")
    assert code(done) == 0
    assert ": 1 suspected" in done.stdout
    stands_in = "stuck in 1 trial (sarama@1.29.1 inside it, with the library's own settings)"
    assert stands_in in " ".join(done.stdout.split())
    publish(shipped, settled(other, Outcome.REFRESHES))
    fine = look(tmp_path, "filebeat@8.16.1")
    assert (code(fine), ": 1 suspected fine" in fine.stdout) == (0, True)


def test_several_versions_are_not_answered_by_one(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(NEW, Outcome.REFRESHES))
    done = look(tmp_path, "sarama@all")
    assert code(done) == 2
    assert "name one, or sarama for a line about each" in str(done.exception)
    assert "sarama@latest (sarama@1.61.1) on" in look(tmp_path, "sarama@latest").stdout
    family = look(tmp_path, "sarama", "--json")
    assert (code(family), json.loads(family.stdout)["stands_for"]) == (0, "sarama")


def test_old_evidence_names_no_version_that_passes(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES), days=200)
    done = look(tmp_path, "sarama@1.43.2")
    assert code(done) == 1
    assert "1.43.3 passes" not in done.stdout
    assert "1.43.3 passes" in look(tmp_path, "sarama@1.43.2", "--max-age", "300").stdout


def test_an_audit_keeps_the_line_and_the_other_evidence_in_json_and_csv(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(replace(OLD, broker="2.6"), Outcome.REFRESHES), settled(OLD, Outcome.STUCK))
    (tmp_path / "fleet.csv").write_text("service,client,role\norders,sarama@1.43.2,producer\n")
    options = ["--scenario", OLD.scenario, "--broker", "3.2", "--results", str(tmp_path / "results")]
    for form in ("json", "csv"):
        done = CliRunner().invoke(app, ["audit", str(tmp_path / "fleet.csv"), *options, "--format", form])
        assert "never measured on line 3.2: refreshes in 1 trial on 2.6 and stuck in 1 trial on 3.9" in done.stdout
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["broker"], row["measured_on"], row["measured_profile"]) == ("3.2", "3.9", "isolated")


def test_json_follows_its_schema(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(NEW, Outcome.REFRESHES))
    fill(tmp_path / "results", (OLD, 0, Outcome.REFRESHES))
    done = look(tmp_path / "results", "sarama@1.43.2", "--json")
    data = json.loads(done.stdout)
    jsonschema.validate(data, json.loads(SCHEMA.read_text()))
    (answer,) = data["answers"]
    assert (answer["finding"], answer["evidence"], answer["passes_in"]) == ("fails", "shipped", "1.61.1")
    assert [item["evidence"] for item in answer["others"]] == ["own"]
    empty = json.loads(look(tmp_path / "results", "sarama@1.43.2", "--json", "--broker", "0.10.2").stdout)
    jsonschema.validate(empty, json.loads(SCHEMA.read_text()))


def test_a_line_without_evidence_is_named_and_answered_from_both_sides(tmp_path: Path, shipped: Path) -> None:
    on = {line: replace(OLD, broker=line) for line in ("2.6", "3.9")}
    publish(shipped, settled(on["2.6"], Outcome.REFRESHES), settled(on["3.9"], Outcome.STUCK))
    between = look(tmp_path, "sarama@1.43.2", "--broker", "3.2.1")
    assert code(between) == 0
    assert "on broker line 3.2, embedded engine, profile isolated: 1 suspected" in between.stdout
    assert "never measured on line 3.2: refreshes in 1 trial on 2.6 and stuck in 1 trial on 3.9" in between.stdout
    assert code(look(tmp_path, "sarama@1.43.2", "--broker", "2.6")) == 0
    assert code(look(tmp_path, "sarama@1.43.2")) == 1


@pytest.mark.parametrize("wrong", ["three", "3", "3.x", "-3.9", "3.9-"])
def test_what_is_no_release_line_is_one_line(tmp_path: Path, shipped: Path, wrong: str) -> None:
    done = look(tmp_path, "sarama@1.43.2", f"--broker={wrong}")
    assert f"--broker {wrong}: write a Kafka release line" in str(done.exception)


def test_old_evidence_proves_no_longer_that_a_client_passes(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.REFRESHES), settled(NEW, Outcome.STUCK), days=200)
    assert code(look(tmp_path, "sarama@1.43.2")) == 3
    assert code(look(tmp_path, "sarama@1.43.2", "--max-age", "300")) == 0
    failing = look(tmp_path, "sarama@1.61.1")
    assert (code(failing), "(200 days old)" in failing.stdout) == (1, True)


@pytest.mark.parametrize(
    ("client", "says", "exit_code"),
    [
        ("nope@1.0", "lookup nope: there is no client family or application nope", 2),
        ("sarama@0.0.1", "nothing is known of sarama@0.0.1", 3),
    ],
)
def test_what_is_not_known_is_one_line(tmp_path: Path, shipped: Path, client: str, says: str, exit_code: int) -> None:
    done = look(tmp_path, client)
    assert code(done) == exit_code
    assert says in str(done.exception)


def test_runs_that_the_settled_cells_lack_are_named_in_one_line(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.REFRESHES))
    fill(tmp_path, (OLD, 0, Outcome.STUCK))
    (tmp_path / SETTLED).unlink()
    done = look(tmp_path, "sarama@1.43.2")
    assert done.stderr.splitlines() == [
        f"{tmp_path}: 1 run is newer than {SETTLED} and not looked at; `probe matrix --results {tmp_path}` adds them"
    ]
    assert code(done) == 0


def test_a_run_that_was_judged_again_is_newer_than_the_settled_cells(tmp_path: Path, shipped: Path) -> None:
    run_id = fill(tmp_path, (OLD, 0, Outcome.STUCK))
    assert look(tmp_path, "sarama@1.43.2").stderr == ""
    (tmp_path / f"run_id={run_id}" / "verdicts").mkdir()
    later = (tmp_path / SETTLED).stat().st_mtime + 5
    os.utime(tmp_path / f"run_id={run_id}" / "verdicts", (later, later))
    assert "1 run is newer" in look(tmp_path, "sarama@1.43.2").stderr


def test_a_damaged_file_of_the_package_is_one_line(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK))
    shipped.write_bytes(shipped.read_bytes()[:-10])
    done = look(tmp_path, "sarama@1.43.2")
    assert code(done) == 3
    assert "does not have the digest that stands beside it" in str(done.exception)


def test_version_shows_the_digest_of_the_evidence(shipped: Path) -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout.splitlines()[1] == "no evidence is shipped"
    publish(shipped, settled(OLD, Outcome.STUCK))
    stated = f"evidence sha256:{digest_of(shipped.read_bytes())}"
    assert CliRunner().invoke(app, ["--version"]).stdout.splitlines()[1] == stated


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_published_site_answers_and_is_kept_by_its_digest(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    site = tmp_path / "team" / "site"
    path = publish(site / PUBLISHED, settled(OLD, Outcome.STUCK))
    with served(site) as url:
        done = look(tmp_path, "sarama@1.43.2", "--evidence", f"{url}/index.html")
        assert (code(done), f"{url}/index.html of" in done.stdout) == (1, True)
        kept = list((tmp_path / "cache" / "evidence").iterdir())
        assert [one.read_bytes() for one in kept] == [path.read_bytes()]
        path.unlink()
        assert code(look(tmp_path, "sarama@1.43.2", "--evidence", url)) == 1  # the digest is that of the copy
        (site / f"{PUBLISHED}.sha256").write_text("0" * 64)
        path.write_bytes(b"another file")
        wrong = look(tmp_path, "sarama@1.43.2", "--evidence", url)
        assert "does not have the digest that stands beside it" in str(wrong.exception)
    gone = look(tmp_path, "sarama@1.43.2", "--evidence", url)
    assert (code(gone), "cannot be fetched" in str(gone.exception)) == (3, True)


def test_a_file_can_be_named_and_several_are_used_together(tmp_path: Path, shipped: Path) -> None:
    team = publish(tmp_path / "team.sqlite", settled(OLD, Outcome.REFRESHES))
    fill(tmp_path / "results", (OLD, 0, Outcome.STUCK))
    assert code(look(tmp_path / "results", "sarama@1.43.2", "--evidence", str(team))) == 0
    both = look(tmp_path / "results", "sarama@1.43.2", "--evidence", str(team), "--evidence", "own")
    assert (code(both), f"but {team} of" in both.stdout) == (1, True)
    (tmp_path / "team.sqlite.sha256").unlink()
    (tmp_path / "empty").mkdir()
    for name, says in {
        "no.sqlite": "there is no such file; name own, shipped, a file or a site",
        "empty": "there is no such file evidence.sqlite in this folder",
        "team.sqlite": "its digest",
    }.items():
        missing = look(tmp_path, "sarama@1.43.2", "--evidence", str(tmp_path / name))
        assert code(missing) == 2
        assert str(missing.exception).startswith(f"--evidence {tmp_path / name}: {says}")


def test_a_pipe_is_no_evidence(tmp_path: Path, shipped: Path) -> None:
    os.mkfifo(tmp_path / "pipe.sqlite")
    done = look(tmp_path, "sarama@1.43.2", "--evidence", str(tmp_path / "pipe.sqlite"))
    assert "this is no file" in str(done.exception)
