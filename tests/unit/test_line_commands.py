"""Lines of releases, as people paste them, in commands that work on one release or on a span of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.cells.bisect import ChangePoint, narrower
from probe.cli.app import app
from probe.cli.wiring.check_plan import sides_of
from probe.cli.wiring.compared_arguments import plain
from probe.cli.wiring.line_releases import newest_of, newest_release, pasted_client, releases_within, span_of
from probe.cli.wiring.lookup_words import named_line
from probe.cli.wiring.selectors import clients_of
from probe.errors import ProbeError
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Outcome
from tests.unit.test_bisect import REFRESHES, STUCK, settled


def shipped(*arguments: str) -> Result:
    """Run a command with the evidence that ships, and no other."""
    where = ("--results", "no-results", "--evidence", str(built(TEXT)), "--max-age", "36500")
    return CliRunner().invoke(app, [*arguments, *where])


def measured(_: str) -> Collection[str]:
    """Return the versions of sarama that these tests take as measured."""
    return {"1.43.2", "1.45.1"}


@pytest.mark.parametrize(
    ("text", "client"),
    [
        ("sarama@1.43", "sarama@1.43.3"),
        ("kafka-clients:3.6", "java@3.6.2"),
        ("confluent-kafka==2.3", "confluent-kafka@2.3.0"),
        ("github.com/IBM/sarama v1.43.2", "sarama@1.43.2"),
        ("sarama@1.43.2", "sarama@1.43.2"),
        ("sarama", "sarama"),
        ("all", "all"),
        ("sarama@released", "sarama@released"),
        ("sarama@>=1.43,<2", "sarama@>=1.43,<2"),
        ("java@path:/a/sarama-1.43", "java@path:/a/sarama-1.43"),
        ("exec:./sarama@1.43", "exec:./sarama@1.43"),
        ("saramma@1", "saramma@1"),
    ],
)
def test_a_run_takes_the_newest_release_of_a_line(text: str, client: str) -> None:
    assert clients_of([text]) == (client,)


def test_which_release_is_taken_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    newest_release("sarama@1.43")
    newest_release("sarama@1.43", measured("sarama"))
    newest_release("confluent-kafka@2.3")
    newest_release("sarama@1.43.2")
    assert capsys.readouterr().err.splitlines() == [
        "1.43 names no release of sarama; there are 1.43.0 to 1.43.3; 1.43.3 is taken, the newest",
        "1.43 names no release of sarama; there are 1.43.0 to 1.43.3; 1.43.2 is taken, the newest that is measured; "
        "1.43.3 is not",
        "2.3 names no release of confluent-kafka; there is 2.3.0, which is taken",
    ]


def test_a_release_that_was_taken_back_is_not_taken() -> None:
    assert newest_release("sarama@1.31") == "sarama@1.31.1"  # both were retracted
    assert newest_release("kafka-go@0.4") == "kafka-go@0.4.51"
    back = named_line("sarama@1")
    assert back is not None
    assert newest_of(back, {"1.30.1", "1.31.1"}) == "1.30.1"


def test_an_upgrade_goes_to_the_newest_measured_release_of_a_line() -> None:
    assert plain(["sarama", "1.43.2", "1.45"], None, measured) == ["sarama", "1.43.2", "1.45.1"]
    assert plain(["sarama", "1.43.2", "1.46"], None, measured) == ["sarama", "1.43.2", "1.46.3"]


@pytest.mark.parametrize(
    "what",
    [
        ["sarama@1.43.2", "1.45.1"],
        ["sarama@1.43.2", "sarama@1.45.1"],
        ["github.com/IBM/sarama", "v1.43.2", "v1.45.1"],
        ["github.com/IBM/sarama@v1.43.2", "1.45.1"],
        ["sarama", "1.43.2", "1.45.1"],
    ],
)
def test_an_upgrade_is_written_in_several_ways(what: list[str]) -> None:
    assert plain(what, None, measured) == ["sarama", "1.43.2", "1.45.1"]


def test_a_line_to_start_from_is_refused_with_its_releases() -> None:
    with pytest.raises(ProbeError) as caught:
        plain(["sarama", "1.43", "1.45"], None, measured)
    assert str(caught.value) == (
        "1.43 names no release of sarama; there are 1.43.0 to 1.43.3, measured are 1.43.2; name the one that runs, "
        "such as `probe advise sarama 1.43.2 1.45.1`; `probe lookup sarama@1.43` says how they differ"
    )
    assert plain(["confluent-kafka==2.3", "2.4.0"], None, measured) == ["confluent-kafka", "2.3.0", "2.4.0"]


def test_under_other_brokers_a_line_is_all_its_releases() -> None:
    clients = [f"sarama@1.43.{number}" for number in range(4)]
    assert plain(["3.9", "sarama@1.43", "java"], "2.6", measured) == ["3.9", *clients, "java"]
    assert releases_within(["sarama@1.43.2"]) == ("sarama@1.43.2",)


def test_other_arguments_are_left_to_the_usage() -> None:
    for what in (["sarama"], ["sarama", "1.43"], ["1", "2"], ["sarama@1", "1", "2"], ["a", "b", "1"]):
        assert plain(what, None, measured) == what


@pytest.mark.parametrize(
    ("client", "bounds", "span"),
    [
        ("sarama", (None, None), ("sarama", None, None)),
        ("sarama@1.43", (None, None), ("sarama", "1.43.0", "1.43.3")),
        ("sarama@1.43", ("1.43.1", None), ("sarama", "1.43.1", "1.43.3")),
        ("sarama", ("1.40", "1.43"), ("sarama", "1.40.0", "1.43.3")),
        ("sarama", ("1.43.1", "1.44.0"), ("sarama", "1.43.1", "1.44.0")),
        ("sarama@1.43.2", (None, None), ("sarama@1.43.2", None, None)),
    ],
)
def test_of_a_line_a_bisection_has_the_ends(
    client: str, bounds: tuple[str | None, str | None], span: tuple[str, str | None, str | None]
) -> None:
    assert span_of(client, *bounds) == span


def test_a_bisection_finds_the_repair_among_releases_of_other_conditions() -> None:
    done = shipped("bisect", "github.com/IBM/sarama v1", "disk/storage-error", "--no-run")
    assert "sarama 1.43.3 is the first version that refreshes" in done.stdout
    assert "1.43.2 is stuck" in done.stdout
    assert "never measured" not in done.stdout


def test_a_check_takes_the_newest_release_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module github.com/IBM/sarama\n\ngo 1.21\n")
    assert sides_of(f"sarama@path:{tmp_path}", "1.43").release.client.version == "1.43.3"


def test_what_is_shown_of_a_line_is_of_all_its_releases() -> None:
    found = shipped("show", "--client", "sarama@1.43", "--scenario", "disk/storage-error", "--role", "producer").stdout
    assert {f"sarama@1.43.{number}" for number in range(4)} <= {*found.split()}
    assert "sarama@1.44.0" not in found


def test_kips_of_a_line_are_those_of_its_newest_release() -> None:
    assert shipped("supports", "sarama@1.43").stdout.startswith("sarama@1.43.3:")


def test_a_text_that_names_no_client_is_left_as_it_is() -> None:
    assert pasted_client("nothing of ours 1.2.3") == "nothing of ours 1.2.3"


def test_what_was_measured_under_other_conditions_narrows_a_change() -> None:
    versions = [f"1.{number}" for number in range(6)]
    known = {"1.0": settled("1.0", STUCK), "1.5": settled("1.5", REFRESHES)}
    edge = ChangePoint("1.0", "1.5", tuple(versions[1:5]))

    def within(*outcomes: Outcome) -> ChangePoint | None:
        others = {name: settled(name, one) for name, one in zip(versions[1:], outcomes, strict=False)}
        return narrower(edge, known, others, versions)

    assert within(STUCK, STUCK, REFRESHES) == ChangePoint("1.2", "1.3", ())
    assert within(STUCK, STUCK, STUCK) is None
    assert within(REFRESHES, REFRESHES, STUCK) is None


def test_results_of_two_conditions_do_not_narrow_a_change_together() -> None:
    versions = ["1.0", "1.1", "1.2", "1.3"]
    known = {"1.0": settled("1.0", STUCK), "1.3": settled("1.3", REFRESHES)}
    others = {"1.1": settled("1.1", STUCK), "1.2": replace(settled("1.2", REFRESHES), conditions=5)}
    assert narrower(ChangePoint("1.0", "1.3", ("1.1", "1.2")), known, others, versions) is None
