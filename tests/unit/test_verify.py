"""Known results: the file is valid, and the comparison can fail."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.families import CatalogueError
from probe.catalogue.known_results import contrasted, expected, read_known
from probe.cells.aggregate import SettledCell
from probe.cells.expectations import Status, check, fits
from probe.cli.app import app
from probe.cli.commands import verify
from probe.cli.wiring.catalogue import by_number
from probe.cli.wiring.execution import RunResult
from probe.cli.wiring.single_cells import plan_cell
from probe.drivers import provision
from probe.errors import ProbeError
from probe.model import Cell, Outcome, Trigger
from tests.support.known_results import ENTRY, STUCK, store
from tests.support.synthetic_rows import CELL, verdict


def entry(tmp_path: Path, old: str = "", new: str = "") -> Path:
    path = tmp_path / "known.toml"
    path.write_text(ENTRY.replace(old, new) if old else ENTRY)
    return path


def settled(outcome: Outcome, **facts: Any) -> SettledCell:
    return SettledCell(cell=STUCK, run_id="r1", trial=0, verdicts=(verdict(outcome, **facts),))


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('id = "demo"', 'id = "demo"\ncolour = "red"', ["demo", "colour"]),
        ('outcome = ["stuck"]', 'outcome = ["stock"]', ["demo", "stock"]),
        ('outcome = ["stuck"]', 'outcome = ["stuck", "refreshes"]', ["opposite", "refreshes"]),
        ('outcome = ["stuck"]', "", ["demo", "no outcome is claimed; give outcome, bad_in_some or good_never"]),
        ('outcome = ["stuck"]', 'bad_in_some = ["stock"]\ntrials = 20', ["demo bad_in_some", "stock"]),
        ('outcome = ["stuck"]', 'bad_in_some = ["stuck"]', ["demo: one trial shows no race; give trials"]),
        (
            'outcome = ["refreshes"]',
            'good_never = ["stuck"]\ntrials = 1',
            ["demo/contrast: one trial shows no race; give trials"],
        ),
        (
            'outcome = ["stuck"]',
            'bad_in_some = ["stuck"]\ngood_never = ["late", "stuck"]\ntrials = 20',
            ["good_never excludes stuck, which is claimed as well"],
        ),
        (
            'outcome = ["stuck"]',
            'outcome = ["stuck"]\nbad_in_some = ["late"]\ntrials = 20',
            ["outcome excludes late of bad_in_some"],
        ),
        (
            'outcome = ["stuck"]',
            'bad_in_some = ["stuck", "refreshes"]\ntrials = 20',
            ["the contrast of demo allows refreshes too"],
        ),
        ('outcome = ["stuck"]', 'outcome = ["stuck"]\ntrials = 0', ["demo trials", "greater than or equal to 1"]),
        ('outcome = ["stuck"]', 'outcome = ["stuck"]\nengine = "fake"', ["demo engine", "embedded", "fake"]),
        (
            'outcome = ["stuck"]',
            'outcome = ["stuck"]\nengine = "kafka"\nelection = 1000',
            ["demo: election is for the embedded engine"],
        ),
        ("refresh_trigger", "refresh_tigger", ["refresh_tigger"]),
        ("sarama@1.43.2", "sarama", ["FAMILY@VERSION"]),
        ('source = "IBM/sarama #2939"', "", ["source"]),
        ("[[known]]", "[[known", ["known.toml"]),
        (ENTRY, ENTRY + ENTRY, ["demo", "twice"]),
        (ENTRY, "", ["no [[known]]"]),
    ],
)
def test_an_invalid_file_is_named(tmp_path: Path, old: str, new: str, names: list[str]) -> None:
    with pytest.raises(CatalogueError) as caught:
        read_known(entry(tmp_path, old, new))
    assert all(name in str(caught.value) for name in [*names, str(tmp_path)])


def test_a_contrast_changes_only_the_fields_it_names(tmp_path: Path) -> None:
    (known,) = read_known(entry(tmp_path))
    assert expected(known).cell == STUCK
    assert contrasted(known).cell == CELL
    (slow,) = read_known(entry(tmp_path, 'outcome = ["stuck"]', 'outcome = ["stuck"]\nelection = 1000'))
    assert expected(slow).cell.profile == "isolated+election=1000"
    assert contrasted(slow).cell.profile == "isolated+election=1000"
    (other,) = read_known(
        entry(
            tmp_path,
            'client = "sarama@1.43.3"',
            'profile = "idempotent"\nbroker = "2.6.3"',
        )
    )
    assert contrasted(other).cell == replace(STUCK, profile="idempotent", broker="2.6")


@pytest.mark.parametrize(
    ("got", "wanted", "holds"),
    [
        ([56], [56], True),
        ([56, 6], [56], False),
        (Trigger.NONE, "none", True),
        (None, "none", False),
        (2100.5, {"min": 1800, "max": 2900}, True),
        (3100.0, {"min": 1800, "max": 2900}, False),
        (None, {"max": 2900}, False),
        ({"Produce": 7, "Fetch": 11}, {"Produce": 7}, True),
        ({"Produce": 7}, {"Produce": 3}, False),
        (0, 0, True),
    ],
)
def test_facts_are_compared_by_value_range_or_subset(got: object, wanted: object, holds: bool) -> None:
    assert fits(got, wanted) is holds


@pytest.mark.parametrize(
    ("mark", "outcome", "codes", "status", "message"),
    [
        ("", Outcome.STUCK, (56,), Status.HOLDS, "stuck"),
        ("", Outcome.REFRESHES, (56,), Status.FAILS, "expected stuck, got refreshes"),
        ("", Outcome.STUCK, (6,), Status.FAILS, "fault_codes = [6]"),
        ("", Outcome.BROKEN, (56,), Status.UNJUDGED, "broken"),
        ("", Outcome.NOT_RUN, (), Status.UNJUDGED, "not_run"),
        ("not yet", Outcome.REFRESHES, (56,), Status.KNOWN_WRONG, "not yet"),
        ("not yet", Outcome.STUCK, (56,), Status.STALE, "remove the mark"),
    ],
)
def test_an_expectation_has_a_status(
    tmp_path: Path, mark: str, outcome: Outcome, codes: tuple[int, ...], status: Status, message: str
) -> None:
    (known,) = read_known(entry(tmp_path))
    item = replace(expected(known), known_wrong=mark)
    found = check(item, settled(outcome, fault_codes=codes, refresh_trigger=Trigger.NONE))
    assert found.status is status
    assert message in found.text


def test_one_contradicting_trial_fails_an_expectation(tmp_path: Path) -> None:
    (known,) = read_known(entry(tmp_path))
    good = verdict(Outcome.STUCK, fault_codes=(56,), refresh_trigger=Trigger.NONE)
    flaky = replace(settled(Outcome.STUCK), verdicts=(good, good, verdict(Outcome.REFRESHES)))
    found = check(expected(known), flaky)
    assert (found.status, "flaky: stuck in 2 of 3, refreshes in 1" in found.text) == (Status.FAILS, True)
    assert check(expected(known), None).status is Status.UNJUDGED


@pytest.fixture(autouse=True)
def in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Order runs of the same second by their start."""
    numbers = itertools.count()
    monkeypatch.setattr("probe.store.run_description.secrets.token_hex", lambda _: f"{next(numbers):04x}")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[list[Cell]]:
    """Replace playing by storing correct results; return the cells of each call."""
    asked: list[list[Cell]] = []

    def play(cells: list[Cell], options: object, results: str, trials: dict[Cell, int]) -> RunResult:
        asked.append(cells)
        right = [(cell, Outcome.STUCK if cell == STUCK else Outcome.REFRESHES) for cell in cells]
        return RunResult(store(Path(results), *right), {}, {})

    monkeypatch.setattr(verify, "run_cells", play)
    return asked


def run(tmp_path: Path, *more: str) -> Result:
    return CliRunner().invoke(app, ["verify", "--results", str(tmp_path), "--known", str(entry(tmp_path)), *more])


def test_only_cells_without_a_current_verdict_are_played(tmp_path: Path, played: list[list[Cell]]) -> None:
    store(tmp_path, (STUCK, Outcome.STUCK))
    done = run(tmp_path)
    assert (done.exit_code, played) == (0, [])
    assert "holds    demo: sarama@1.43.2" in done.output
    run(tmp_path, "--contrast")
    assert played == [[CELL]]
    run(tmp_path, "--contrast")
    assert len(played) == 1
    run(tmp_path, "--contrast", "--fresh")
    assert played[1] == [STUCK, CELL]


@pytest.mark.parametrize(("outcome", "rules"), [(Outcome.BROKEN, 0), (Outcome.NOT_PROVOKED, 0), (Outcome.STUCK, -1)])
def test_inconclusive_and_outdated_verdicts_are_played_again(
    tmp_path: Path, played: list[list[Cell]], outcome: Outcome, rules: int
) -> None:
    store(tmp_path, (STUCK, outcome), rules=rules)
    run(tmp_path)
    assert played == [[STUCK]]


@pytest.mark.parametrize("first", [Outcome.BROKEN, Outcome.NOT_PROVOKED])
def test_an_inconclusive_trial_is_repeated_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: Outcome
) -> None:
    outcomes = iter([first, Outcome.STUCK, Outcome.STUCK])

    def play(cells: list[Cell], options: object, results: str, trials: dict[Cell, int]) -> RunResult:
        return RunResult(store(Path(results), *((cell, next(outcomes)) for cell in cells)), {}, {})

    monkeypatch.setattr(verify, "run_cells", play)
    assert run(tmp_path, "--fresh").exit_code == 0
    assert next(outcomes) is Outcome.STUCK  # at most twice


def test_an_inconclusive_trial_contradicts_no_other(tmp_path: Path, played: list[list[Cell]]) -> None:
    store(tmp_path, (STUCK, Outcome.STUCK), (STUCK, Outcome.NOT_PROVOKED), (STUCK, Outcome.STUCK))
    assert (run(tmp_path).exit_code, played) == (0, [])


def test_a_result_that_is_not_reproduced_fails(tmp_path: Path, played: list[list[Cell]]) -> None:
    run_id = store(tmp_path, (STUCK, Outcome.REFRESHES))
    done = run(tmp_path)
    assert getattr(done.exception, "exit_code", 0) == 1
    assert "FAILS    demo" in done.output
    assert f"--run {run_id} --client sarama@1.43.2" in done.output


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sarama@1.43.3", "sarama@0.0.1", "demo/contrast"),
        ('scenario = "disk/storage-error"', 'scenario = "disk/no-such"', "disk/no-such"),
        ('scenario = "disk/storage-error"', 'scenario = "disk/storage-error"\nbroker = "3.14"', "3.14"),
        ('role = "producer"', 'role = "transactional"', "1.37.0"),
    ],
)
def test_selectors_without_a_match_are_errors(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = entry(tmp_path, old, new.replace("1.43.2", "1.27.0"))
    path.write_text(path.read_text().replace("sarama@1.43.2", "sarama@1.27.0"))
    done = CliRunner().invoke(
        app, ["verify", "--contrast", "--results", str(tmp_path), "--known", str(path)], env={"GOPROXY": "off"}
    )
    assert done.exit_code != 0
    assert message in str(done.exception)
    assert "demo" in str(done.exception)


def test_an_unknown_id_is_an_error(tmp_path: Path) -> None:
    assert "no entry" in str(run(tmp_path, "--only", "dmo*").exception)


@pytest.mark.parametrize("asks", [False, pytest.param(True, marks=pytest.mark.real)], ids=["number", "registry"])
def test_every_entry_of_the_file_names_existing_cells(asks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a registry knows whether there is a version that is not listed; the quick tests take it by its number."""
    if not asks:
        monkeypatch.setattr(provision, "resolve", lambda family, text, _: by_number(family, text))
    known = read_known(verify.KNOWN)
    for item in known:
        for one in (expected(item), contrasted(item)):
            plan, _ = plan_cell(one.cell)
            assert any(planned.cell == one.cell for planned in plan.cells), one.name
        assert "#" in item.source or "KIP" in item.source or "/" in item.source
        assert item.link.startswith("https://")
    assert len(known) >= 20


def test_four_families_have_known_results() -> None:
    families = {item.client.partition("@")[0] for item in read_known(verify.KNOWN)}
    assert families >= {"sarama", "java", "librdkafka", "kafka-python"}


def test_a_missing_cell_is_reported_with_its_reason() -> None:
    with pytest.raises(ProbeError, match=r"1\.37\.0"):
        plan_cell(replace(CELL, version="1.27.0", role="transactional"))
