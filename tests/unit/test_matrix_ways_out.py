"""Remedies where a client does harm: restarts and profiles, from the rows of a matrix."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Cell
from probe.model.matrix_ways_out import ways_out_of
from tests.support.synthetic_rows import CELL


def row(cell: Cell, harm: str, conforms: str, conditions: int = 6) -> dict[str, object]:
    return {**cell.columns(), "harm": harm or None, "conforms": conforms or None, "conditions": conditions}


STOPS = row(CELL, "stops", "no")


def found(*rows: dict[str, object]) -> tuple[str | None, str | None]:
    """Return what is said of the first row."""
    columns = ways_out_of(rows)
    return columns["restart_helps"][0], columns["mended_by"][0]


def start(harm: str, profile: str = CELL.profile) -> dict[str, object]:
    return row(replace(CELL, scenario=f"start-during/{CELL.scenario}", profile=profile), harm, "yes")


def other(profile: str, harm: str = "none", conforms: str = "yes", conditions: int = 6) -> dict[str, object]:
    return row(replace(CELL, profile=profile), harm, conforms, conditions)


def test_a_second_instance_that_works_under_the_fault_says_that_a_restart_helps() -> None:
    assert found(STOPS, start("none")) == ("yes", None)
    assert found(STOPS, start("stalls"))[0] == "yes"
    assert found(STOPS, start("stops"))[0] == "no"
    assert found(STOPS, start(""))[0] is None, "it says nothing about the client"
    assert found(STOPS)[0] is None
    assert found(row(CELL, "errors", "no"), start("none"))[0] is None, "nothing stops"


def test_a_restart_does_not_depend_on_refreshes_so_that_the_usual_profile_tells_for_others() -> None:
    own = row(replace(CELL, profile="defaults"), "stops", "no")
    assert found(own, start("none"))[0] == "yes"
    assert found(own, start("none"), start("stops", "defaults"))[0] == "no"


def test_the_first_profile_that_passes_mends() -> None:
    assert found(STOPS, other("refresh-1s"), other("idempotent"))[1] == "idempotent"
    assert found(STOPS, other("refresh-1s", conforms="no"))[1] is None
    assert found(STOPS, other("refresh-1s", harm="loses"))[1] is None, "it conforms, and loses records"
    assert found(STOPS, other("isolated+linger.ms=5"))[1] is None, "it has no name of its own"
    assert found(STOPS, other("no-retries"))[1] is None, "it passes by showing the error"
    assert found(row(CELL, "none", "yes"), other("refresh-1s"))[1] is None, "nothing is to be mended"
    assert found(STOPS, other("refresh-1s", conditions=1))[1] is None, "it is not comparable"
