"""`probe check`: which cells it plays, when it says worse, and what it writes. No client runs here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import validate
from typer.testing import CliRunner, Result

from probe.cells.cell_ignores import accept, read_cell_ignores
from probe.cells.cell_names import cell_name
from probe.cells.change_words import sentence
from probe.cells.comparison import Answer, Compared
from probe.cells.comparison_steps import compared_steps
from probe.cells.trends import Step
from probe.cli.app import app
from probe.cli.commands import check as command
from probe.cli.wiring import check_trials
from probe.cli.wiring.catalogue import choose_clients
from probe.cli.wiring.check_plan import Scope, Sides, questions, sides_of
from probe.errors import ProbeError
from probe.model import Outcome, Role
from probe.model.profile import OWN_DEFAULTS
from tests.support.played_trials import Played

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "check.json"
STUCK, GOOD = [Outcome.STUCK], [Outcome.REFRESHES]
NAME = "producer disk/storage-error"


@dataclass(frozen=True)
class Checked:
    """The answer of a check."""

    done: Result
    played: Played
    folder: Path

    @property
    def code(self) -> int:
        """The exit code: of an error that `main` prints, too."""
        return int(getattr(self.done.exception, "exit_code", self.done.exit_code))

    @property
    def said(self) -> str:
        """All that is printed, in one line."""
        return " ".join(f"{self.done.output} {self.done.exception or ''}".split())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "sarama"
    root.mkdir()
    (root / "go.mod").write_text("module github.com/IBM/sarama\n")
    (root / "CHANGELOG.md").write_text("## Version 1.43.3 (2024-08-08)\n")
    return root


@pytest.fixture
def build(checkout: Path) -> str:
    return sides_of(f"sarama@path:{checkout}", "1.43.3").build.client.version


class Checker:
    """Runs checks of a working copy whose trials have the outcomes that a test names."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: Path) -> None:
        self.folder, self.patch, self.checkout = tmp_path, monkeypatch, checkout
        self.count = 0
        monkeypatch.setattr(command, "provision", lambda *_: None)
        monkeypatch.chdir(tmp_path)

    def __call__(self, outcomes: Mapping[str, Sequence[Outcome]], *options: str) -> Checked:
        played = Played(outcomes)
        self.count += 1
        self.patch.setattr(check_trials, "FreshTrials", played)
        line = [
            "check",
            f"sarama@path:{self.checkout}",
            "--against",
            "1.43.3",
            "--results",
            str(self.folder / f"r{self.count}"),
        ]
        narrow = ["--scenario", "disk/storage-error", "--role", "producer", "--profile", "isolated"]
        return Checked(CliRunner().invoke(app, [*line, *narrow, *options]), played, self.folder)


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: Path) -> Checker:
    return Checker(tmp_path, monkeypatch, checkout)


def test_both_sides_have_the_baseline_and_the_settings_of_known_results(checkout: Path, build: str) -> None:
    sides = sides_of(f"sarama@path:{checkout}", "1.43.3")
    planned = questions(sides, Scope())
    pairs = planned.pairs(sides)
    assert {(before.version, after.version) for before, after in pairs.values()} == {("1.43.3", build)}
    names = {cell_name(after) for _, after in pairs.values()}
    assert {NAME, f"{NAME} pipelined", "group defaults broker/hang", "producer steady"} <= names
    assert not {name for name in names if "start-during/" in name and "+" not in name}
    cell = next(after for _, after in pairs.values() if cell_name(after) == NAME)
    assert [item.is_control for item in planned.planner(cell)[0].cells] == [True, False]


def test_a_known_race_is_played_twelve_times_a_side_at_once(checkout: Path) -> None:
    sides = sides_of(f"sarama@path:{checkout}", "1.43.3")
    planned = questions(sides, Scope())
    races = {cell.scenario for cell in planned.planned if planned.trials_of(cell) == 12}
    assert {scenario for _, scenario, _, _ in planned.races} == races
    assert races


def test_worse_takes_four_fresh_trials_a_side_and_ends_with_one(checker: Checker, build: str) -> None:
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": STUCK})
    assert {(cell.version, count) for cell, count in found.played.counts[0].items()} == {("1.43.3", 1), (build, 4)}
    assert [set(one.values()) for one in found.played.counts[1:]] == [{4}]
    assert found.code == 1
    first = found.done.stdout.splitlines()[0]
    assert first.startswith("Worse than 1.43.3: producer: after an error answer (disk/storage-error)")
    assert f"worse {NAME}: refreshes -> stuck; 4 trials each" in found.said
    assert "probe show --results" in found.said
    assert f"1 cell worse than in sarama@1.43.3, first: {NAME}" in found.said


def test_the_same_answers_are_no_difference_and_take_a_screen_alone(checker: Checker, build: str) -> None:
    found = checker({"1.43.3": GOOD, build: GOOD})
    assert (found.code, len(found.played.counts)) == (0, 1)
    assert found.done.stdout.startswith("Nothing is worse than 1.43.3 in ")


def test_what_is_better_alone_ends_with_zero(checker: Checker, build: str) -> None:
    found = checker({"1.43.3": GOOD, f"1.43.3 {NAME}": STUCK, build: GOOD})
    assert found.code == 0
    assert f"better {NAME}: stuck -> refreshes; 4 trials each" in found.said


def test_a_difference_that_fresh_trials_deny_is_no_regression(checker: Checker, build: str) -> None:
    chance = [Outcome.REFRESHES, Outcome.STUCK] * 6
    found = checker({"1.43.3": GOOD, f"1.43.3 {NAME}": chance[::-1], build: GOOD, f"{build} {NAME}": chance})
    assert found.code == 0
    assert "worse" not in found.done.stdout.splitlines()[0].replace("Nothing is worse", "")


def test_a_regression_of_half_of_the_trials_is_worse_after_forty_a_side(checker: Checker, build: str) -> None:
    half = [Outcome.REFRESHES, Outcome.STUCK]
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": half})
    assert [set(one.values()) for one in found.played.counts[1:]] == [{12}, {40}]
    assert found.code == 1
    assert "40 trials each, chance alone" in found.said


def test_twelve_trials_a_side_decide_what_chance_cannot_have_made(checker: Checker, build: str) -> None:
    most = [Outcome.REFRESHES, *[Outcome.STUCK] * 11]
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": most})
    assert [set(one.values()) for one in found.played.counts[1:]] == [{12}]
    assert found.code == 1


def test_twelve_trials_a_side_end_what_more_would_hardly_decide(checker: Checker, build: str) -> None:
    seldom = [*GOOD * 2, *STUCK, *GOOD * 9]
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": seldom})
    assert [set(one.values()) for one in found.played.counts[1:]] == [{12}]
    assert found.code == 0
    assert f"undecided {NAME}" in found.said
    assert "--scenario disk/storage-error --role producer --profile isolated --results" in found.said.split("it: ")[-1]


def test_advisory_says_worse_and_ends_with_zero(checker: Checker, build: str) -> None:
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": STUCK}, "--fail-on", "none")
    assert found.code == 0
    assert found.done.stdout.startswith("Worse than 1.43.3")


def test_both_profiles_are_of_one_run_in_which_the_defaults_are_watched_for_a_minute(
    checker: Checker, build: str
) -> None:
    name = f"producer {OWN_DEFAULTS} disk/storage-error"
    worse = {f"{build} {one}": STUCK for one in (NAME, name)}
    found = checker({"1.43.3": GOOD, build: GOOD, **worse}, "--profile", OWN_DEFAULTS)
    limits = {(cell_name(cell), item.at_most_ms) for plan in found.played.plans for cell, item in plan.items()}
    assert {(NAME, None), (name, 60_000), (f"producer {OWN_DEFAULTS} steady", 60_000)} <= limits
    screen, fresh = ({cell_name(cell) for cell in counts} for counts in found.played.counts)
    assert {NAME, name} == fresh < screen
    assert {f"worse {one}" in found.said for one in (NAME, name)} == {True}


def test_who_still_stands_still_after_a_minute_is_late(checker: Checker, build: str) -> None:
    name = f"producer {OWN_DEFAULTS} disk/storage-error"
    waits = [Outcome.WAITING]
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {name}": waits}, "--profile", OWN_DEFAULTS)
    assert found.code == 1
    assert f"worse {name}" in found.said


def test_who_waits_in_most_trials_is_late_in_these(checker: Checker, build: str) -> None:
    """Trials that ended otherwise do not stand for all."""
    name = f"producer {OWN_DEFAULTS} disk/storage-error"
    outcomes = {f"1.43.3 {name}": [Outcome.WAITING], f"{build} {name}": [*GOOD, *[Outcome.WAITING] * 39]}
    found = checker({"1.43.3": GOOD, build: GOOD, **outcomes}, "--profile", OWN_DEFAULTS, "--json")
    (cell,) = [one for one in json.loads(found.done.stdout)["cells"] if one["name"] == name]
    assert (cell["answer"], cell["trials"]) == ("undecided", 12)
    assert [cell[side]["outcomes"] for side in ("before", "after")] == ["late:12", "late:11;refreshes:1"]


def worse_cell(checker: Checker, build: str) -> list[Compared]:
    """Return the compared cells of a check in which one is worse."""
    kept: list[list[Compared]] = []

    def keep(steps: Sequence[Step], *more: object, **options: object) -> list[Compared]:
        kept.append(compared_steps(steps, *more, **options))  # type: ignore[arg-type]  # what the caller gave
        return kept[-1]

    with checker.patch.context() as patch:
        patch.setattr(check_trials, "compared_steps", keep)
        checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": STUCK})
    return kept[-1]


TODAY = date(2026, 11, 29)


def entries(text: str) -> str:
    return "\n".join(f"[[ignore]]\n{block}" for block in text.split(";"))


@pytest.mark.parametrize(
    ("text", "accepts", "stale"),
    [
        (f'cell = "{NAME}"\nreason = "r"', True, ""),
        ('cell = "* disk/*"\nreason = "r"\nlink = "https://example.org/1"', True, ""),
        ('cell = "producer steady"\nreason = "r"', False, "not worse than in the release any more"),
        ('cell = "producer net/*"\nreason = "r"', False, "no cell of the check has this name"),
        (f'cell = "{NAME}"\nreason = "r"\nexpires = 2026-11-28', False, "expired on 2026-11-28"),
        (f'cell = "{NAME}"\nreason = "r"\nexpires = 2026-11-29', True, ""),
    ],
)
def test_an_entry_accepts_worse_cells_and_is_stale_without_one(
    checker: Checker, build: str, text: str, accepts: bool, stale: str
) -> None:
    found = worse_cell(checker, build)
    known = accept(read_cell_ignores(entries(text), "f"), found, TODAY, is_whole=True)
    assert (NAME in known.why) is accepts
    assert [stale in str(one) for one in known.stale] == ([True] if stale else [])


def test_a_part_of_the_check_lets_entries_about_other_cells_be(checker: Checker, build: str) -> None:
    rows = read_cell_ignores(entries('cell = "producer net/*"\nreason = "r"'), "f")
    assert accept(rows, worse_cell(checker, build), TODAY, is_whole=False).stale == ()


def test_write_makes_the_file_and_the_next_check_passes_by_it(checker: Checker, build: str) -> None:
    worse = {"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": STUCK}
    assert checker(worse, "--write").code == 0
    path = checker.folder / ".probe-ignore.toml"
    assert f'cell = "{NAME}"\nreason = "refreshes -> stuck since 1.43.3"' in path.read_text()
    again = checker(worse)
    assert again.code == 0
    assert f"accepted {NAME}" in again.said
    mended = checker({"1.43.3": GOOD, build: GOOD})
    assert mended.code == 1
    assert "any more; remove it" in mended.said
    kept = '# ours\n[[ignore]]\nclient = "x"\nreason = "r"\nexpires = 2099-01-01\n'
    path.write_text(kept + path.read_text())
    assert checker({"1.43.3": GOOD, build: GOOD}, "--write").code == 0
    assert path.read_text().strip() == kept.strip()


def test_reports_are_written_in_every_format(checker: Checker, build: str) -> None:
    names = {"--junit": "j.xml", "--summary": "s.md", "--sarif": "s.sarif"}
    files = [text for option, name in names.items() for text in (option, str(checker.folder / name))]
    found = checker({"1.43.3": GOOD, build: GOOD, f"{build} {NAME}": STUCK}, "--json", *files)
    data = json.loads(found.done.stdout)
    validate(data, json.loads(SCHEMA.read_text()))
    assert data["counts"]["worse"] == 1
    suites = ET.parse(checker.folder / "j.xml").getroot()
    assert (
        suites.get("failures"),
        [case.get("name") for case in suites.iter("testcase") if len(case) and case[0].tag == "failure"],
    ) == ("1", [NAME])
    lines = (checker.folder / "s.md").read_text().splitlines()
    assert len(lines) <= 30
    assert lines[0].startswith("Worse than 1.43.3: producer: after an error answer")
    assert any(line.startswith("probe show ") for line in lines)
    (result,) = json.loads((checker.folder / "s.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("PROBE-sarama-producer-disk-storage-error", "error")
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "sarama/go.mod"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sarama"], "check sarama: name your working copy as FAMILY@path:DIR"),
        (["sarama@1.43.3"], "name your working copy as FAMILY@path:DIR"),
        (["saramma@path:."], "there is no client family saramma; did you mean sarama?"),
        (["sarama@path:/nowhere"], "no go.mod there"),
        (["sarama@path:{checkout}", "--against", "all"], "--against all: name one release of sarama"),
        (["sarama@path:{checkout}", "--scenario", "no/such"], "no/such"),
        (["sarama@path:{checkout}", "--profile", "fast"], "there is no such profile"),
        (["sarama@path:{checkout}", "--all", "--scenario", "net/reset"], "--scenario net/reset; give one of the two"),
        (["sarama@path:{checkout}", "--fail-on", "better"], "--fail-on better: it is none of worse, none"),
        (["sarama@path:{checkout}", "--junit", "no/folder/j.xml"], "name a file in a folder that exists"),
        (["sarama@path:{checkout}", "--ignore", "nothing.toml"], "nothing.toml"),
    ],
)
def test_bad_input_gets_one_line(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["check", *(text.format(checkout=checkout) for text in arguments)])
    assert getattr(done.exception, "exit_code", None) == 2, done.output
    assert says in str(done.exception)
    assert "\n" not in str(done.exception)


def test_answers_name_what_the_application_sees(checker: Checker, build: str) -> None:
    (worse,) = [one for one in worse_cell(checker, build) if one.answer is Answer.WORSE]
    assert sentence(worse).startswith("producer: after an error answer (disk/storage-error)")
    assert "stands still" in sentence(worse)


def test_a_role_that_the_default_line_lacks_is_checked_by_its_known_results() -> None:
    release, build = choose_clients(["java@4.3.1", "java@4.4.0"])
    sides = Sides(release, build)
    asked = Scope(scenarios=["disk/storage-error"], roles=[Role.SHARE], profiles=["isolated"])
    played = questions(sides, asked).pairs(sides).values()
    assert {(before.scenario, before.broker, after.version) for before, after in played} >= {
        ("disk/storage-error", "4.4", "4.4.0")
    }
    with pytest.raises(ProbeError, match=r"nothing to run: role share needs Kafka 4\.2"):
        questions(sides, Scope(scenarios=["net/slow"], roles=[Role.SHARE], profiles=["isolated"]))
