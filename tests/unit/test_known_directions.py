"""`advise` repeats what look-ups of both sides say of a change, and calls nothing better or worse for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from probe.cells.audit import Fault, Finding, examine
from probe.cells.known_directions import Directions, directions
from probe.cli.answers.advice_summary import NOTHING_SPEAKS, conclusion, known_lines
from probe.cli.app import app
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Outcome, Role
from tests.support.synthetic_rows import CELL, settled_cell, verdict

STUCK, FINE = (settled_cell(CELL, one) for one in (Outcome.STUCK, Outcome.REFRESHES))
LOST = replace(FINE, verdicts=(verdict(lost=3, acked=90),), writes="acks=1, its default")


def found(item: object, finding: Finding | None = None) -> list[Fault]:
    (one,) = examine([CELL], {CELL: item})  # type: ignore[dict-item]  # a settled cell
    return [replace(one, finding=finding or one.finding)]


def test_a_side_that_stops_where_the_other_goes_on_gives_a_direction() -> None:
    better, worse = directions(found(STUCK), found(FINE)), directions(found(FINE), found(STUCK))
    assert (len(better.better), len(better.worse), len(worse.better), len(worse.worse)) == (1, 0, 0, 1)
    assert not better.without([CELL]), "trials of both sides decided it"
    assert better.without([replace(CELL, scenario="broker/hang")]) == better
    assert not directions(found(STUCK), found(STUCK))
    assert not directions(found(STUCK), []), "nothing is known of the other side"
    assert not directions(found(LOST), found(FINE)), "acks=all mends it on both sides"
    (admin,) = found(STUCK)
    assert not directions([replace(admin, cell=replace(CELL, role=Role.ADMIN))], found(FINE))


def test_what_is_suspected_is_called_so() -> None:
    said = "and 1.43.3 goes on there, as far as each is known by itself"
    where = "disk/storage-error (producer)"
    assert [*known_lines(directions(found(STUCK), found(FINE)), "1.43.2", "1.43.3")] == [
        f"1.43.2 stops or loses work in {where}, {said}"
    ]
    guessed = directions(found(STUCK, Finding.SUSPECTED), found(FINE))
    assert [*known_lines(guessed, "1.43.2", "1.43.3")] == [
        f"1.43.2 is suspected to stop or lose work in {where}, {said}"
    ]
    assert not [*known_lines(Directions(), "1.43.2", "1.43.3")]
    assert not conclusion([], guessed)


@pytest.mark.parametrize(
    ("asked", "exit_code", "said"),
    [
        (
            ("sarama", "1.42.1", "1.43.3"),
            0,
            "1.42.1 stops or loses work in disk/storage-error, quota/throttled (producer)",
        ),
        (
            ("filebeat", "8.13.0", "9.0.0"),
            0,
            "8.13.0 stops or loses work in disk/storage-error (producer), and 9.0.0 goes on",
        ),
        (
            ("java", "3.6.1", "3.6.2", "--role", "group"),
            2,
            "`probe lookup java@3.6.1` and `probe lookup java@3.6.2` say",
        ),
    ],
)
def test_advise_says_what_look_ups_say(asked: tuple[str, ...], exit_code: int, said: str) -> None:
    done = CliRunner().invoke(app, ["advise", *asked, "--evidence", str(built(TEXT))])
    text = f"{done.output}{done.exception}"
    assert said in text
    assert NOTHING_SPEAKS not in text
    assert done.exit_code == exit_code or getattr(done.exception, "exit_code", 0) == exit_code
