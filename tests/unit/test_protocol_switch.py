"""`probe lookup CLIENT --profile consumer-protocol` answers whether a service may switch to that protocol (KIP-848)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.catalogue.baseline import baseline
from probe.cli.app import app
from probe.model import Cell, Engine, Outcome, Role
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE
from tests.unit.test_lookup import publish, settled, shipped

__all__ = ["shipped"]  # the fixture

ASKED = "May it switch to the consumer protocol?"
MOVED, REFUSED = "coordinator/moved", "net/reset"


def cell(scenario: str, profile: str = CONSUMER_PROTOCOL, broker: str = "4.4") -> Cell:
    return Cell("librdkafka", "2.16.0", Role.GROUP, profile, scenario, Engine.EMBEDDED, broker)


def answer(results: Path, *arguments: str) -> str:
    """Return the line with the answer, or the error's text."""
    asked = ("lookup", *arguments, "--profile", CONSUMER_PROTOCOL, "--results", str(results))
    done = CliRunner().invoke(app, [*asked, *(() if "--broker" in arguments else ("--broker", "4.4"))])
    text = " ".join(f"{done.stdout} {done.exception}".split())
    return text[text.index(ASKED) :] if ASKED in text else text


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ({MOVED: Outcome.REFRESHES, REFUSED: Outcome.RIDES}, "yes: it makes nothing stop, stall or get lost (2 of 18"),
        ({MOVED: Outcome.STUCK, REFUSED: Outcome.RIDES}, f"no: stops silently in {MOVED} (2 of 18"),
    ],
)
def test_the_scored_scenarios_answer(tmp_path: Path, shipped: Path, known: dict[str, Outcome], says: str) -> None:
    publish(shipped, *(settled(cell(name), outcome) for name, outcome in known.items()))
    assert answer(tmp_path, "librdkafka@2.16.0").startswith(f"{ASKED} {says}")


@pytest.mark.parametrize(
    ("classic", "broker", "says"),
    [
        (Outcome.STUCK, "4.4", "yes: it makes nothing stop, stall or get lost; as in the classic protocol: stops"),
        (Outcome.STUCK, "3.9", "yes: it makes nothing stop, stall or get lost; as in the classic protocol: stops"),
        (Outcome.STUCK, "2.6", f"no: stops silently in {MOVED}"),
        (Outcome.REFRESHES, "4.4", f"no: stops silently in {MOVED}"),
    ],
)
def test_harm_that_the_classic_protocol_does_too_is_no_reason(
    tmp_path: Path, shipped: Path, classic: Outcome, broker: str, says: str
) -> None:
    old = settled(cell(MOVED, DEFAULT_PROFILE, broker), classic)
    publish(shipped, settled(cell(MOVED), Outcome.STUCK), old)
    assert answer(tmp_path, "librdkafka@2.16.0").startswith(f"{ASKED} {says}")


def test_a_scenario_that_is_not_scored_does_not_answer(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(cell("coordinator/named-wrongly"), Outcome.STUCK))
    assert ASKED not in answer(tmp_path, "librdkafka@2.16.0")


def test_what_stops_outside_the_scored_scenarios_stands_beside_a_yes(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(cell(MOVED), Outcome.RIDES), settled(cell("coordinator/named-wrongly"), Outcome.STUCK))
    said = answer(tmp_path, "librdkafka@2.16.0")
    assert said.startswith(f"{ASKED} yes: ")
    assert "outside the scored scenarios: stops silently in coordinator/named-wrongly" in said


@pytest.mark.parametrize(("line", "but"), [("4.2", True), ("4.3", False)])
def test_a_line_that_was_not_measured_has_the_answer_of_another(
    tmp_path: Path, shipped: Path, line: str, but: bool
) -> None:
    publish(shipped, settled(cell(MOVED), Outcome.STUCK))
    said = answer(tmp_path, "librdkafka@2.16.0", "--broker", line)
    assert said.startswith(f"{ASKED} not measured on line {line}; on 4.4: no: stops silently in {MOVED} (1 of 18")
    assert ("refuse commits of an older member epoch with 113" in said) is but


def of(version: str, scenario: str, broker: str = "4.4") -> Cell:
    return replace(cell(scenario, broker=broker), version=version)


def test_a_release_without_cells_has_the_answer_of_the_nearest_on_each_side(tmp_path: Path, shipped: Path) -> None:
    much = sorted({one.scenario for one in baseline().of(Role.GROUP)})[:9]
    fine = [settled(of(version, name), Outcome.RIDES) for version in ("2.14.2", "2.16.0") for name in much]
    bad = settled(of("2.14.2", "broker/kill"), Outcome.STUCK)
    publish(shipped, *fine, bad, settled(of("2.12.1", MOVED), Outcome.STUCK))
    said = answer(tmp_path, "librdkafka@2.15.1")
    assert said.startswith(
        f"{ASKED} 2.15.1 was not measured; 2.14.2, the nearest release before it that tells, on 4.4: "
    )
    assert "; 2.16.0, the nearest release after it that tells, on 4.4: yes" in said
    assert "2.12.1, the nearest release" not in said


def test_a_release_of_which_little_was_measured_answers_only_if_it_says_no(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(of("2.14.2", MOVED, "4.2"), Outcome.STUCK), settled(of("2.16.0", MOVED), Outcome.RIDES))
    said = answer(tmp_path, "librdkafka@2.15.1")
    assert said.startswith(
        f"{ASKED} 2.15.1 was not measured; 2.14.2, the nearest release before it that tells, "
        f"not measured on line 4.4; on 4.2: no: stops silently in {MOVED} (1 of 18"
    )
    assert "2.16.0, the nearest" not in said


def test_nothing_else_of_a_release_is_needed_for_an_answer(tmp_path: Path, shipped: Path) -> None:
    much = sorted({one.scenario for one in baseline().of(Role.GROUP)})[:9]
    java = [replace(of("4.4.0", name), family="java") for name in much]
    publish(shipped, *(settled(one, Outcome.RIDES) for one in java))
    said = answer(tmp_path, "java@4.2.0")
    assert said.startswith(
        f"{ASKED} 4.2.0 was not measured; 4.4.0, the nearest release after it that tells, on 4.4: yes"
    )


def test_brokers_without_the_protocol_say_nothing_of_those_that_have_it(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(cell("steady", broker="3.9"), Outcome.STUCK), settled(cell("steady"), Outcome.CLEAN))
    said = answer(tmp_path, "librdkafka@2.16.0", "--broker", "4.2")
    assert "3.9" not in said
    assert "clean in 1 trial on 4.4" in said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("librdkafka@2.11.1",), "no: librdkafka has it since 2.12.0: group.protocol=consumer is a preview"),
        (("sarama@1.61.1",), "no: sarama has no profile consumer-protocol"),
        (
            ("librdkafka@2.16.0", "--broker", "3.9"),
            "no: brokers of line 3.9 do not serve it (KIP-848), those from 4.0 on do",
        ),
    ],
)
def test_what_cannot_have_the_protocol_is_refused_with_the_reason(
    tmp_path: Path, shipped: Path, arguments: tuple[str, ...], why: str
) -> None:
    publish(shipped, settled(replace(cell(MOVED), version="2.11.1"), Outcome.STUCK))
    assert answer(tmp_path, *arguments).startswith(f"{ASKED} {why}")
