"""Election times of real brokers: measured per scenario, printed, and accepted by the embedded engine."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.console.agreement import show_elections
from probe.cli.options import parse_election
from probe.errors import ProbeError
from probe.model import Election
from probe.verdict import election, typical
from tests.support.histories import history
from tests.support.transcript_steps import announced, at, fault_on, moved, produce_answer, watch


def test_election_time_starts_at_the_first_hit() -> None:
    steps = (fault_on(), at(300), produce_answer(56), at(900), moved(2), at(1150), announced(2), at(3000), moved(1))
    assert election(history(*steps, watch(10_000))) == Election(599, 250)  # every step and answer takes 1 ms


def test_without_a_hit_election_time_starts_at_the_fault() -> None:
    assert election(history(fault_on(), at(700), moved(2), announced(2), watch(10_000))) == Election(701, 1)


def test_an_election_before_the_first_hit_takes_no_time() -> None:
    steps = (fault_on(), at(200), moved(2), at(240), announced(2), at(400), produce_answer(56), watch(10_000))
    assert election(history(*steps)) == Election(0, 40)


@pytest.mark.parametrize("steps", [(produce_answer(56),), (produce_answer(56), moved(2)), (moved(1), announced(1))])
def test_without_an_election_there_is_no_election_time(steps: tuple[object, ...]) -> None:
    assert election(history(fault_on(), *steps, watch(10_000))) is None  # type: ignore[arg-type]  # `object` stands for the types of steps


def test_medians_are_printed_in_the_form_of_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    took = typical([Election(6000, 100), Election(7000, 500), Election(9000, 300)])
    show_elections({("broker/kill", "3.4"): took})
    assert "broker/kill 3.4: to repeat it on the embedded engine: --election 7000,300" in capsys.readouterr().out
    found = CliRunner().invoke(app, ["plan", "--client", "sarama@1.43.3", "--election", "7000,300", "--json"])
    assert "election=7000,300" in found.output


@pytest.mark.parametrize("text", ["soon", "1,2,3", "-5", "60001", "250,", ""])
def test_an_invalid_election_is_named(text: str) -> None:
    with pytest.raises(ProbeError, match="write the milliseconds") as raised:
        parse_election(text)
    assert str(raised.value).startswith(f"--election {text}: ")
