"""Pages of a run that evidence which ships fills: levels, "Which client?", and what a client's results lack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_family
from probe.catalogue.files import clients_folder
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.client_levels import findings_and_levels
from probe.cells.origin import SHIPPED, Origin
from probe.cli.wiring.catalogue import by_number, families
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.settled_cells import write_settled
from probe.cli.wiring.shipped_cells import shipped_beside, shipped_cells
from probe.evidence.cell_choice import Wanted
from probe.files.shipped_evidence import PUBLISHED
from probe.model import Cell, Client, Engine, Outcome, Role
from probe.site import build
from probe.site.data.cell_index import CellIndex
from probe.site.data.row_levels import row_levels
from probe.site.data.shipped_evidence import Shipped, source
from probe.site.pages.client_choice import choice
from probe.site.pages.lacking_cells import lacking
from tests.site.test_site_client_choice import FRANZ, SARAMA, row
from tests.site.test_site_pages import text_of
from tests.support import site_data
from tests.support.synthetic_rows import fill, settled_cell
from tests.unit.test_lookup import publish, settled

WORDS = "from shipped evidence, measured on 2026-11-27"


def held(cell: Cell, *outcomes: Outcome, measured: str = "2026-11-27") -> SettledCell:
    return replace(settled_cell(cell, *outcomes), origin=Origin(evidence=SHIPPED, measured=measured, days=2))


@pytest.fixture(scope="module")
def go() -> list[Family]:
    return [read_family(clients_folder() / name / "client.toml") for name in ("sarama", "franz-go")]


def test_the_source_names_the_days_on_which_cells_were_measured() -> None:
    later = held(FRANZ, Outcome.RIDES, measured="2026-11-29")
    assert source([held(SARAMA, Outcome.RIDES)]) == WORDS
    assert source([later, held(SARAMA, Outcome.RIDES)]) == "from shipped evidence, measured 2026-11-27 to 2026-11-29"
    assert source([replace(later, origin=None)]) == "from shipped evidence"
    assert source([]) == ""


def test_levels_are_those_of_look_ups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBE_EVIDENCE")  # both sides read the same evidence, whatever ships
    for name in ("sarama@1.43.2", "java@4.4.0", "kafkajs@2.2.4", "librdkafka@2.3.0"):
        (asked,) = select_clients(families(), [name], by_number)
        client = asked.client
        with open_evidence([SHIPPED], "no-results", 365) as found:
            stored = found.find(Wanted(family=[client.family], version=[client.version]))
        _, expected = findings_and_levels(asked, stored, "3.9")
        told = row_levels(asked.family, client, [], "3.9", Shipped(shipped_cells([client], ["3.9"])))
        assert expected
        assert [one.level for one in told] == expected
        assert all(one.measured.startswith("from shipped evidence, measured ") for one in told if one.level.known)


def test_what_ships_is_read_for_the_clients_of_a_results_folder_and_for_the_newest_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hang, beyond = (replace(SARAMA, scenario=name) for name in ("broker/hang", "topic/grown"))
    newest = replace(hang, version="1.61.1")
    others = [replace(hang, version="1.45.0"), replace(hang, broker="2.6"), replace(hang, profile="acks-1"), beyond]
    items = [settled(one, Outcome.REFRESHES) for one in (hang, newest, *others)]
    monkeypatch.setenv("PROBE_EVIDENCE", str(publish(tmp_path / "package" / PUBLISHED, *items)))
    fill(tmp_path / "results", (SARAMA, 0, Outcome.STUCK))
    write_settled(str(tmp_path / "results"))
    assert [one.cell for one in shipped_beside(str(tmp_path / "results"))] == [hang, newest]


def test_results_come_first_and_what_they_lack_is_marked(go: list[Family]) -> None:
    reset = replace(SARAMA, scenario="net/reset")
    own = row(SARAMA, Outcome.REFRESHES, conforms=True, harms="none:1", harm="none")
    shipped = Shipped([held(reset, Outcome.REFRESHES), held(SARAMA, Outcome.REFRESHES)])
    (level,) = row_levels(go[0], SARAMA.client, [own], "3.9", shipped)
    assert (level.level.reacts, level.level.known, level.measured) == (2, 2, f"in part {WORDS}")
    (alone,) = row_levels(go[0], SARAMA.client, [own], "3.9", Shipped([held(SARAMA, Outcome.REFRESHES)]))
    assert (alone.level.known, alone.measured) == (1, "")


def test_the_newest_version_may_be_known_from_shipped_evidence_alone(go: list[Family]) -> None:
    newer = replace(SARAMA, version="1.61.1")
    own, ships = row(SARAMA, Outcome.STUCK, conforms=False), held(newer, Outcome.REFRESHES)
    (language,) = choice(CellIndex([own]), go, Shipped([ships, held(FRANZ, Outcome.STUCK)])).languages
    assert [(client, linked) for client, _, linked in language.titles] == [(newer.client, False), (FRANZ.client, False)]
    (producer,) = language.roles
    (line,) = producer.lines
    assert [one and (one.measured, one.row) for one in line[1]] == [(WORDS, None), (WORDS, None)]
    assert [(one.client.family, one.stops, one.level and one.level.measured) for one in producer.sums] == [
        ("sarama", 0, WORDS),
        ("franz-go", 1, WORDS),
    ]


def test_a_client_lacks_what_was_not_played_here_worst_first() -> None:
    hang, kill = (replace(SARAMA, scenario=name) for name in ("broker/hang", "broker/kill"))
    own = replace(hang, profile="defaults")
    ships = [
        held(SARAMA, Outcome.STUCK),
        held(hang, Outcome.STUCK),
        held(own, Outcome.REFRESHES),
        held(kill, Outcome.STUCK),
        held(replace(kill, engine=Engine.KAFKA), Outcome.REFRESHES),
        held(replace(kill, scenario="topic/recreated"), Outcome.STUCK),
        held(replace(kill, broker="4.4"), Outcome.STUCK),
        held(replace(kill, role=Role.CONSUMER), Outcome.REFRESHES),
    ]
    found = lacking([row(SARAMA, Outcome.STUCK, conforms=False)], ships, "3.9")
    assert [one.cell for one in found] == [kill, own, replace(kill, role=Role.CONSUMER)]


def test_pages_of_a_run_say_what_comes_from_shipped_evidence(tmp_path: Path, go: list[Family]) -> None:
    client = Client("sarama", "1.43.2")
    hang = replace(SARAMA, version=client.version, scenario="broker/hang", profile="defaults")
    newer = replace(SARAMA, version="1.61.1")
    matrix = site_data.write_matrix(tmp_path / "matrix.csv", site_data.matrix())
    ships = [held(hang, Outcome.STUCK), held(newer, Outcome.REFRESHES)]
    site = build(matrix, site_data.BARE, tmp_path, listed=go, shipped=ships).parent
    page = text_of(site / "client" / "sarama-1.43.2.html")
    setting = "producer, profile defaults · embedded engine · broker 3.9"
    assert f"broker/ hang {setting} stops silently; ✗ stuck 1 trial {WORDS}" in page
    assert "python3 run.py probe lookup sarama@1.43.2" in page
    chosen = text_of(site / "choose.html")
    assert "sarama 1.61.1 not in these results: all of it is from shipped evidence" in chosen
    assert f"reacts in 1 of 1, 14 not measured {WORDS}" in chosen
    assert "in part from shipped evidence" not in text_of(site / "client" / "librdkafka-2.3.0.html")
