"""The basis of answers: trials, cells where chance decides, and acknowledged records that no outcome shows."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.acks import acks_of
from probe.catalogue.baseline import baseline
from probe.catalogue.files import data_file
from probe.catalogue.known_results import read_known
from probe.catalogue.races import known_races
from probe.catalogue.releases import releases_of
from probe.cells.aggregate import SettledCell
from probe.cells.chance import ENOUGH, doubted, kind_of
from probe.cells.citations import command
from probe.cells.origin import SHIPPED, Origin
from probe.cli.app import app
from probe.cli.lazy_group import COMMANDS, GROUPS
from probe.cli.wiring.catalogue import families
from probe.model import Cell, Engine, Facts, Outcome, Role, Workload
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import code, look, publish, settled, shipped

__all__ = ["shipped"]  # the fixture

GOOD, BAD = Outcome.REFRESHES, Outcome.STUCK
HIDDEN = replace(CELL, family="librdkafka", version="2.13.2", scenario="metadata/leaderless")
"""A scenario in which no known result claims that only some trials fail."""
SHIPPED_ONE = Origin(evidence=SHIPPED, measured="2026-11-01", days=3)


def of(cell: Cell, *outcomes: Outcome) -> SettledCell:
    """Return a cell with a trial of each outcome."""
    parts = [settled(cell, outcome) for outcome in outcomes]
    return replace(parts[0], verdicts=tuple(verdict for part in parts for verdict in part.verdicts))


def losing(cell: Cell, lost: int, acked: int, outcome: Outcome = GOOD) -> SettledCell:
    item = settled(cell, outcome)
    verdicts = tuple(replace(one, facts=Facts(lost=lost, acked=acked)) for one in item.verdicts)
    return replace(item, verdicts=verdicts)


@pytest.mark.parametrize(
    ("outcomes", "result"),
    [
        ([GOOD], "refreshes in 1 trial"),
        ([GOOD] * 20, "refreshes in 20 trials"),
        ([BAD, GOOD, GOOD], "flaky: stuck in 1 of 3 trials, refreshes in 2"),
    ],
)
def test_an_answer_says_on_how_many_trials_it_rests(outcomes: list[Outcome], result: str) -> None:
    assert of(CELL, *outcomes).result == result


class TestChance:
    """librdkafka 2.11.1 is stuck in 9 of 31 trials: one trial that passes says little of 2.16.0."""

    @pytest.mark.parametrize(
        ("other", "trials", "passes"),
        [
            (HIDDEN, 1, False),
            (HIDDEN, ENOUGH - 1, False),
            (HIDDEN, ENOUGH, True),
            (replace(HIDDEN, broker="2.6"), 1, False),
            (replace(HIDDEN, family="java"), 1, True),
            (replace(HIDDEN, role=Role.GROUP), 1, True),
            (replace(HIDDEN, scenario="net/reset"), 1, True),
            (replace(HIDDEN, engine=Engine.KAFKA), 1, True),
            (replace(HIDDEN, workload=Workload.KEYED), 1, True),
        ],
    )
    def test_few_trials_pass_only_where_no_cell_of_the_kind_disagrees(
        self, other: Cell, trials: int, passes: bool
    ) -> None:
        mine = of(replace(HIDDEN, version="2.16.0"), *[GOOD] * trials)
        answers = doubted({mine.cell: mine}, [of(other, BAD, GOOD, GOOD)], {})
        assert answers[mine.cell].passes is passes
        assert bool(answers[mine.cell].chance) is not passes

    @pytest.mark.parametrize("outcomes", [(BAD, Outcome.FATAL), (GOOD, GOOD)])
    def test_trials_that_all_conform_or_all_fail_are_no_race(self, outcomes: Iterable[Outcome]) -> None:
        mine = settled(replace(HIDDEN, version="2.16.0"), GOOD)
        assert not doubted({mine.cell: mine}, [of(HIDDEN, *outcomes)], {})[mine.cell].chance

    def test_a_control_cell_is_decided_by_its_own_trials(self) -> None:
        control = replace(HIDDEN, scenario="steady")
        mine = settled(replace(control, version="2.16.0"), Outcome.CLEAN)
        assert doubted({mine.cell: mine}, [of(control, BAD, Outcome.CLEAN)], {})[mine.cell].passes

    def test_a_known_result_of_some_trials_is_a_race(self) -> None:
        mine = settled(replace(HIDDEN, version="2.16.0"), GOOD)
        known = {kind_of(HIDDEN): "known result x"}
        assert doubted({mine.cell: mine}, [], known)[mine.cell].chance.startswith(
            "chance decides in this family's cells (known result x)"
        )

    def test_the_races_are_those_of_the_checked_known_results(self) -> None:
        path = data_file("known_results.toml")
        claimed = {(item.client, item.role, item.scenario) for item in read_known(path) if item.bad_in_some}
        assert {(str(cell.client), cell.role, cell.scenario) for cell in known_races(path)} == claimed

    def test_a_look_up_does_not_say_passes(self, tmp_path: Path, shipped: Path) -> None:
        publish(shipped, of(HIDDEN, *[BAD] * 9, *[GOOD] * 22), settled(replace(HIDDEN, version="2.16.0"), GOOD))
        done = look(tmp_path / "results", "librdkafka@2.16.0", "--all")
        title, found, why, *_ = done.stdout.splitlines()
        assert title.endswith(": 1 unknown, in 1 trial")
        assert found == "  unknown        producer isolated metadata/leaderless: refreshes in 1 trial"
        assert why.strip() == (
            "chance decides in this family's cells (2.13.2: stuck in 9 of 31 trials, refreshes in 22): "
            f"not enough, {ENOUGH} without a failure would be"
        )
        (answer,) = json.loads(look(tmp_path / "results", "librdkafka@2.16.0", "--json").stdout)["answers"]
        assert (answer["finding"], answer["trials"], answer["failing"]) == ("unknown", 1, 0)
        assert answer["remark"] == why.strip()


class TestLosses:
    """sarama writes with acks=1: its trials on real brokers lose what was acknowledged, and no outcome says so."""

    CELL = replace(CELL, version="1.61.1", scenario="leader/hinted")
    REAL = replace(CELL, engine=Engine.KAFKA)
    WORDS = "40 of 2,920 acknowledged records lost: acks=1, its default"

    def test_a_look_up_says_what_was_lost(self, tmp_path: Path, shipped: Path) -> None:
        publish(shipped, losing(self.REAL, 40, 2920))
        done = look(tmp_path / "results", "sarama@1.61.1", "--engine", "kafka")
        assert "  loses          producer isolated leader/hinted: loses; refreshes in 1 trial" in done.stdout
        assert self.WORDS in done.stdout
        assert " passes" not in done.stdout
        (answer,) = json.loads(look(tmp_path / "results", "sarama@1.61.1", "--engine", "kafka", "--json").stdout)[
            "answers"
        ]
        assert (answer["finding"], answer["lost"], answer["remark"]) == ("loses", 40, self.WORDS)

    def test_the_fake_cluster_which_loses_nothing_says_what_real_brokers_lost(
        self, tmp_path: Path, shipped: Path
    ) -> None:
        publish(shipped, settled(self.CELL, GOOD), losing(replace(self.REAL, broker="4.4"), 40, 2920))
        done = look(tmp_path / "results", "sarama@1.61.1", "--all")
        assert f"on real brokers (4.4) {self.WORDS}" in done.stdout
        assert " passes" not in done.stdout
        commands = [line for line in done.stdout.splitlines() if "probe run " in line]
        assert len(commands) == 1
        assert "--engine kafka" in commands[0]
        assert "--broker 4.4" in commands[0]

    @pytest.mark.parametrize("can_run", [True, False])
    def test_the_command_beside_a_loss_plays_the_brokers_that_showed_it(self, can_run: bool) -> None:
        real = losing(replace(self.REAL, broker="4.4"), 40, 2920)
        answer = replace(settled(self.CELL, GOOD), real=replace(real, origin=SHIPPED_ONE), origin=SHIPPED_ONE)
        text = command(self.CELL, answer, "results", can_run=can_run)
        assert text.startswith("probe run" if can_run else "probe lookup")
        assert "--engine kafka" in text
        assert "--broker 4.4" in text
        own = command(self.CELL, replace(answer, real=None), "results", can_run=can_run)
        assert "--engine" not in own

    def test_a_loss_under_older_conditions_is_still_a_loss(self, tmp_path: Path, shipped: Path) -> None:
        publish(shipped, settled(self.CELL, GOOD), replace(losing(self.REAL, 40, 2920), conditions=5))
        done = look(tmp_path / "results", "sarama@1.61.1", "--all")
        assert f"on real brokers (3.9, conditions 5) {self.WORDS}" in done.stdout
        assert " passes" not in done.stdout

    @pytest.mark.parametrize(("lost", "words"), [(0, "lost none"), (3, "has 3 of 90 acknowledged records lost")])
    def test_the_cell_with_acks_all_is_named(self, tmp_path: Path, shipped: Path, lost: int, words: str) -> None:
        publish(shipped, losing(self.REAL, 40, 2920), losing(replace(self.REAL, profile="idempotent"), lost, 90))
        done = look(tmp_path / "results", "sarama@1.61.1", "--engine", "kafka")
        assert f"{self.WORDS}; `acks=all` (profile idempotent) {words}" in done.stdout

    def test_a_reader_loses_no_acknowledged_record(self) -> None:
        assert losing(replace(self.REAL, role=Role.GROUP), 3, 90).loss is None

    @pytest.mark.parametrize(
        ("lost", "words"),
        [
            ([40, 0, 0], "40 of 90 acknowledged records lost in 1 of 3 trials"),
            ([40, 2], "at most 40 of 90 acknowledged records lost in 2 of 2 trials"),
        ],
    )
    def test_several_trials_are_summed_up_by_the_worst(self, lost: list[int], words: str) -> None:
        parts = [losing(self.REAL, count, 90) for count in lost]
        item = replace(parts[0], verdicts=tuple(one for part in parts for one in part.verdicts))
        assert str(item.loss) == words

    @pytest.mark.parametrize("form", ["table", "json", "csv", "sarif", "cyclonedx-vex", "openvex", "junit", "markdown"])
    def test_an_audit_says_it_in_every_format_and_calls_the_service_so(
        self, tmp_path: Path, shipped: Path, form: str
    ) -> None:
        elected = replace(self.CELL, scenario="leader/elected")
        publish(shipped, losing(replace(elected, engine=Engine.KAFKA), 40, 2920), settled(elected, GOOD))
        done = audit(tmp_path, "orders,sarama,1.61.1", "--scenario", "leader/elected", "--format", form)
        assert self.WORDS in done.stdout
        assert "acks=all" in done.stdout or form in {"json", "csv"}
        if form in {"table", "json", "csv", "markdown", "sarif"}:
            assert "loses" in done.stdout
        assert code(done) == 1
        accepted = audit(tmp_path, "orders,sarama,1.61.1", "--scenario", "leader/elected", "--fail-on", "fails")
        assert code(accepted) == 0


class TestQuestion:
    """An audit that names no scenario asks the whole baseline, and says so."""

    @pytest.mark.parametrize("form", ["table", "json", "csv", "sarif", "cyclonedx-vex", "openvex", "junit", "markdown"])
    def test_every_format_says_what_was_asked(self, tmp_path: Path, shipped: Path, form: str) -> None:
        names = ("steady", *(one.scenario for one in baseline().of(Role.PRODUCER)))
        java = replace(CELL, family="java", version="4.4.0")
        publish(shipped, *(settled(replace(java, scenario=name), GOOD) for name in names))
        done = audit(tmp_path, "orders,java,4.4.0", "--format", form)
        assert "the baseline's 26 scenarios" in html.unescape(done.stdout)
        if form != "csv":
            assert "steady, disk/storage-error, leader/elected, broker/shutdown" in done.stdout
            assert "more scenarios were not asked" in done.stdout
        if form == "table":
            first, *_, last = done.stdout.splitlines()
            assert first.startswith("asked: the baseline's 26 scenarios (steady, disk/storage-error, leader/elected, ")
            assert last == "1 passes the baseline's 26 scenarios"
            assert "passes the baseline's 26 scenarios" in done.stdout.split("\n")[5]

    def test_named_scenarios_are_counted_with_the_control_scenario(self, tmp_path: Path, shipped: Path) -> None:
        publish(shipped, settled(CELL, GOOD))
        done = audit(tmp_path, "orders,sarama,1.43.3", "--scenario", "disk/storage-error")
        assert done.stdout.startswith("asked: 2 scenarios (steady, disk/storage-error) on broker line 3.9, embedded")

    def test_help_names_the_baseline(self) -> None:
        shown = " ".join(CliRunner().invoke(app, ["audit", "--help"]).stdout.split())
        assert "the scenarios of Failover Baseline 2026, in the roles in which they are scored" in shown


def audit(folder: Path, row: str, *options: str) -> Result:
    sheet = folder / "fleet.csv"
    sheet.write_text(f"service,client,version,role\n{row},producer\n")
    return CliRunner().invoke(app, ["audit", str(sheet), "--results", str(folder / "results"), *options])


@pytest.mark.parametrize(
    ("cell", "acks"),
    [
        (CELL, "acks=1, its default"),
        (replace(CELL, profile="acks-1"), "acks=1, by profile acks-1"),
        (replace(CELL, profile="idempotent"), "acks=all, by profile idempotent"),
        (replace(CELL, role=Role.TRANSACTIONAL), "acks=all, as transactions need"),
        (
            replace(CELL, profile="isolated+Producer.RequiredAcks=WaitForAll"),
            "acks=all, by Producer.RequiredAcks=WaitForAll",
        ),
        (replace(CELL, family="kafka-go", version="0.4.51", profile="defaults"), "acks=0, its default"),
        (replace(CELL, family="kafka-go", version="0.4.51"), "acks=all, by profile isolated"),
        (replace(CELL, family="kafka-go", version="0.3.10", profile="defaults"), "acks=all, its default"),
        (replace(CELL, family="java", version="2.8.0"), "acks=1, its default"),
        (replace(CELL, family="java", version="3.9.2"), "acks=all, its default"),
        (
            replace(CELL, family="java", version="2.8.0", profile="isolated+enable.idempotence=true"),
            "acks=all, by enable.idempotence=true",
        ),
    ],
)
def test_how_writes_are_acknowledged(cell: Cell, acks: str) -> None:
    assert str(acks_of(families()[cell.family], cell)) == acks


class TestLookupWords:
    """A word that names nothing is an error with a hint, not an answer."""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["sarama@1.43.3", "--scenario", "disk/storage-eror"], "did you mean disk/storage-error?"),
            (["sarama@1.43.3", "--scenario", "disc/*"], "no scenario matches this pattern"),
            (["sarama@1.43.3", "--broker", "9.9"], "Kafka has no such release line"),
            (["sarama@1.43.3", "--broker", "3.10"], "Kafka has no such release line"),
            (["sarama@1.43.33"], f"had no such release on {releases_of('sarama').read}; nearest is 1.43.3 or 1.44.0"),
            (
                ["sarama@1.43.3", "--profile", "zstd"],
                "1 cell of sarama@1.43.3 (shipped), but none with these options",
            ),
        ],
    )
    def test_the_reason_is_the_right_one(self, tmp_path: Path, shipped: Path, arguments: list[str], said: str) -> None:
        publish(shipped, settled(CELL, GOOD))
        done = look(tmp_path / "results", *arguments)
        assert code(done) != 0
        assert said in str(done.exception)
        assert not done.stdout

    @pytest.mark.parametrize("line", ["0.11.0", "3.0", "4.5"])
    def test_lines_that_kafka_has_or_may_have_are_answered(self, tmp_path: Path, shipped: Path, line: str) -> None:
        publish(shipped, settled(CELL, GOOD))
        assert (
            f"never measured on line {line}: refreshes in 1 trial on 3.9"
            in look(tmp_path / "results", "sarama@1.43.3", "--broker", line).stdout
        )


def test_the_list_of_commands_is_grouped_and_whole() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    shown = CliRunner().invoke(app, ["--help"]).stdout
    places = [shown.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert "\n  lookup" in shown
