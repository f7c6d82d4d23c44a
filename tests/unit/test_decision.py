"""The answer of a look-up on one screen: levels, what stops or loses work first, what to do, and the exit code."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding, examine
from probe.cells.causes import STREAM_ENDED, causes, placed
from probe.cells.levels import RoleLevel
from probe.cells.targets import Target
from probe.cli.answers.decision import BY_OTHERS, MOST_LINES, NOTHING_STOPS, cause_text, on_one_screen, to_do
from probe.cli.answers.lookup import asked_of
from probe.cli.app import app
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Facts, Outcome, Role, Verdict
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import code, publish, settled, shipped

__all__ = ["shipped"]  # the fixture

OLD = replace(CELL, version="1.43.2")


def look(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["lookup", *arguments, "--results", str(tmp_path / "results")])


def known(cell: Cell, outcome: Outcome, reason: str, **facts: object) -> SettledCell:
    verdict = Verdict(outcome=outcome, reason=reason, conforms=False, facts=Facts(**facts))  # type: ignore[arg-type]  # tests pass facts by name
    return SettledCell(cell=cell, run_id="r", trial=1, verdicts=(verdict,))


@dataclass(frozen=True)
class Known:
    """Remedies, of which a test states the mending version."""

    mending: dict[Cell, str]
    helping: dict[Cell, str]
    restarting: dict[Cell, bool]

    @property
    def targets(self) -> dict[Cell, Target]:
        return {cell: Target(version) for cell, version in self.mending.items()}


STUCK = known(OLD, Outcome.STUCK, "not recovered").verdicts[0]
SERVED = replace(STUCK, outcome=Outcome.REFRESHES, conforms=True)


def faults(*items: SettledCell) -> tuple[Fault, ...]:
    stored = {item.cell: item for item in items}
    return examine(stored, stored)


def test_the_screen_says_levels_then_what_stops_then_what_to_do(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES))
    done = look(tmp_path, "sarama@1.43.2")
    title, short, role, note, heading, stops, way, more = done.stdout.splitlines()
    where = "broker line 3.9, embedded engine, profile isolated"
    assert title == f"sarama@1.43.2 on {where}: 1 cell (a fault in a role), 1 trial"
    assert short == "in short: not as producer (in 1 trial on the embedded engine); 1.43.3 mends 1 of 1 fault"
    assert role == "  producer       reacts in 0 of 1, 14 not measured"
    assert "says whether the client reacts" in note
    assert heading == "stops or loses work, worst first:"
    assert stops == "  stops silently disk/storage-error (producer): it stuck; mended in 1.43.3"
    assert way == "to do: upgrade to 1.43.3, the next release that mends disk/storage-error (producer)"
    assert more.startswith("--all lists")
    assert (code(done), str(done.exception)) == (1, "sarama@1.43.2: stops in disk/storage-error (producer)")


@pytest.mark.parametrize(
    ("scenario", "role", "arguments", "exit_code"),
    [
        ("disk/storage-error", Role.PRODUCER, (), 1),
        ("topic/absent", Role.PRODUCER, (), 0),
        ("topic/absent", Role.PRODUCER, ("--scenario", "topic/*"), 1),
        ("topic/absent", Role.PRODUCER, ("--fail-on", "fails"), 1),
        ("cluster/restart", Role.ADMIN, (), 0),
        ("disk/storage-error", Role.PRODUCER, ("--fail-on", "loses"), 0),
        ("disk/storage-error", Role.PRODUCER, ("--fail-on", "loud"), 2),
    ],
)
def test_exit_code_is_1_where_a_scored_scenario_or_a_named_one_stops(
    tmp_path: Path, shipped: Path, scenario: str, role: Role, arguments: tuple[str, ...], exit_code: int
) -> None:
    publish(shipped, settled(replace(OLD, scenario=scenario, role=role), Outcome.STUCK))
    assert code(look(tmp_path, "sarama@1.43.2", *arguments)) == exit_code


def test_an_outcome_that_does_no_harm_is_no_reason_to_fail(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.LATE))
    done = look(tmp_path, "sarama@1.43.2")
    assert code(done) == 0
    assert "nothing stops or loses work in the scored scenarios that were measured" in done.stdout
    assert code(look(tmp_path, "sarama@1.43.2", "--fail-on", "fails")) == 1


def test_what_a_service_suffers_is_said_from_the_librarys_defaults_where_these_are_known(
    tmp_path: Path, shipped: Path
) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(replace(OLD, profile="defaults"), Outcome.LATE))
    done = look(tmp_path, "sarama@1.43.2")
    assert code(done) == 0
    assert "measured with the library's own defaults" in done.stdout
    assert "nothing stops or loses work" in done.stdout
    listed = look(tmp_path, "sarama@1.43.2", "--scenario", "disk/storage-error").stdout
    assert all(f"producer {profile} disk/storage-error: " in listed for profile in ("defaults", "isolated"))
    assert "measured with the library's own defaults" in listed
    manifest = tmp_path / "go.mod"
    manifest.write_text("module m\n\ngo 1.22\n\nrequire github.com/IBM/sarama v1.43.2\n")
    said = CliRunner().invoke(app, ["audit", str(manifest), "--results", str(tmp_path / "results")])
    assert (code(said), "stalls: disk/storage-error (producer)" in said.stdout) == (0, True)


def test_what_other_releases_show_is_headed_as_suspected() -> None:
    (one,) = faults(known(OLD, Outcome.STUCK, "not recovered"))
    beside = replace(one, cell=CELL, finding=Finding.SUSPECTED)
    lines = on_one_screen([], [beside], [], Known(mending={}, helping={}, restarting={}), 0)
    assert lines[0] == f"{BY_OTHERS}:"
    nothing = replace(beside, finding=Finding.SUSPECTED_FINE, evidence=settled(OLD, Outcome.REFRESHES))
    assert NOTHING_STOPS not in on_one_screen([], [nothing], [RoleLevel(role=Role.GROUP, of=18)], Known({}, {}, {}), 0)
    assert on_one_screen([], [], [RoleLevel(role=Role.GROUP, known=1, of=18)], Known({}, {}, {}), 0).count(
        NOTHING_STOPS
    )


def test_trials_of_another_release_are_counted_apart() -> None:
    (one,) = faults(known(OLD, Outcome.STUCK, "not recovered"))
    beside = replace(one, cell=CELL, finding=Finding.SUSPECTED)
    assert asked_of([one]) == "1 cell (a fault in a role), 1 trial"
    assert asked_of([one, beside]).endswith("1 trial; 1 cell of another release, or of the library inside")
    assert asked_of([beside]).startswith("nothing was measured of it; 1 cell of another release")


def test_the_level_of_a_library_is_none_of_the_application_around_it(tmp_path: Path) -> None:
    done = look(tmp_path, "filebeat@9.0.0", "--evidence", str(built(TEXT)), "--json")
    assert all(one["measured"] == 0 and one["least"] is None for one in json.loads(done.stdout)["levels"])


def test_one_line_per_cause_has_the_scenarios_and_roles_that_share_it() -> None:
    reason = "not recovered in 10.0 s after {} (51 hits); it never asked who serves now"
    found = causes(
        faults(
            known(OLD, Outcome.STUCK, reason.format("KAFKA_STORAGE_ERROR 56")),
            known(replace(OLD, role=Role.GROUP), Outcome.STUCK, reason.format("NOT_LEADER 6")),
            known(replace(OLD, scenario="net/reset"), Outcome.STUCK, reason.format("2 cut connections")),
            known(replace(OLD, scenario="broker/kill"), Outcome.FATAL, "the client ended unasked after x: fatal boom"),
        )
    )
    assert [(one.word, one.where, one.text) for one in found] == [
        (
            "stops silently",
            "disk/storage-error (producer, group), net/reset (producer)",
            "it never asks who serves now",
        ),
        ("stops", "broker/kill (producer)", "it ends: boom"),
    ]


def test_a_process_that_ends_without_a_word_is_no_text_of_a_library() -> None:
    reason = f"the client ended unasked after 4 unanswered requests: fatal {STREAM_ENDED}"
    (one,) = causes(faults(known(OLD, Outcome.FATAL, reason)))
    assert one.text == "its process ends, or no longer answers, and says nothing of why"


def test_causes_are_ordered_by_what_is_scored_then_by_harm() -> None:
    found = causes(
        faults(
            known(replace(OLD, scenario="cluster/replaced"), Outcome.VIOLATES, "a promise was broken: 6 lost", lost=6),
            known(replace(OLD, scenario="controller/gone", role=Role.ADMIN), Outcome.STUCK, "not recovered in 9 s"),
            known(replace(OLD, scenario="broker/kill"), Outcome.STUCK, "not recovered in 9 s"),
            known(
                replace(OLD, scenario="broker/hang"),
                Outcome.VIOLATES,
                "a promise was broken: 2 duplicated",
                duplicated=2,
            ),
        )
    )
    assert [one.faults[0].cell.scenario for one in found] == [
        "broker/hang",
        "broker/kill",
        "controller/gone",
        "cluster/replaced",
    ]


def test_what_was_seen_in_some_trials_only_is_not_called_mended() -> None:
    some = replace(known(CELL, Outcome.STUCK, "not recovered"), verdicts=(STUCK, SERVED))
    (one,) = causes(faults(some))
    mends = Known(mending={CELL: "1.43.3"}, helping={}, restarting={})
    assert cause_text(one, mends).endswith("; not seen in 1.43.3")
    assert "upgrade" not in " ".join(to_do([one], mends))
    (every,) = causes(faults(known(CELL, Outcome.STUCK, "not recovered")))
    assert cause_text(every, mends).endswith("; mended in 1.43.3")


@pytest.mark.parametrize(("profile", "scored"), [("isolated", True), ("defaults", True), ("consumer-protocol", False)])
def test_a_client_that_never_serves_counts_with_the_profiles_of_scored_scenarios(profile: str, scored: bool) -> None:
    control = replace(CELL, scenario="steady", role=Role.GROUP, profile=profile, broker="4.0")
    (one,) = causes(faults(known(control, Outcome.STUCK, "warm-up did not end within 45 s")))
    assert one.scored is scored


@pytest.mark.parametrize(("line", "shown"), [("3.9", False), ("4.0", True)])
def test_a_protocol_that_brokers_of_the_line_lack_is_no_fault_of_a_client(line: str, shown: bool) -> None:
    control = replace(CELL, scenario="steady", role=Role.GROUP, profile="consumer-protocol", broker=line)
    (one,) = faults(known(control, Outcome.STUCK, "warm-up did not end within 45 s"))
    assert (bool(causes([one])), one.harm is not None, one.finding is not Finding.INFORMATIVE) == (shown,) * 3


def test_many_scenarios_are_counted() -> None:
    items = [known(replace(OLD, scenario=f"broker/{name}"), Outcome.STUCK, "x") for name in "abc"]
    assert placed(faults(*items), 2) == "broker/a, broker/b (producer) and 1 more"


def test_json_has_levels_and_harm(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK))
    said = json.loads(look(tmp_path, "sarama@1.43.2", "--json").stdout)
    assert said["levels"] == [
        {
            "role": "producer",
            "level": "reacts in 0 of 1, 14 not measured",
            "least": None,
            "most": None,
            "measured": 0,
            "reacts": 0,
            "known": 1,
            "of": 15,
            "badge": {
                "schemaVersion": 1,
                "label": "Failover Baseline 2026: producer",
                "message": "reacts in 0 of 1, 14 not measured",
                "color": "lightgrey",
            },
        }
    ]
    (answer,) = said["answers"]
    shown = (answer[name] for name in ("harm", "silently", "stalls_s", "everything"))
    assert tuple(shown) == ("stops", True, None, False)


SHIPPED = ("sarama@1.43.2", "sarama@1.61.1", "java@4.4.0", "librdkafka@2.16.0", "kafka-go@0.4.51", "kafkajs@2.2.4")


@pytest.mark.parametrize("client", SHIPPED)
def test_what_ships_fits_one_screen(tmp_path: Path, client: str) -> None:
    done = look(tmp_path, client, "--evidence", str(built(TEXT)))
    assert len(done.stdout.splitlines()) <= MOST_LINES
    assert "producer" in done.stdout


def test_the_incident_comes_first_with_the_release_that_mends_it(tmp_path: Path) -> None:
    done = look(tmp_path, "sarama@1.43.2", "--evidence", str(built(TEXT)))
    lines = done.stdout.splitlines()
    first = lines[lines.index("stops or loses work, worst first:") + 1]
    assert first.startswith("  stops          disk/storage-error (producer): it never asks who serves now;")
    assert "mended in 1.43.3" in first
    assert code(done) == 1
    mended = look(tmp_path, "sarama@1.43.3", "--evidence", str(built(TEXT)))
    assert "disk/storage-error (producer): it never asks" not in mended.stdout
