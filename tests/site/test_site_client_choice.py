"""The page "Which client for a new service?", and cells of applications and wrappers beside their library's."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from probe.catalogue.families import Family, read_family
from probe.catalogue.files import clients_folder
from probe.model import Cell, Client, Engine, Outcome, Role
from probe.site import build
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.page_names import client_slug
from probe.site.pages.client_choice import choice
from probe.site.pages.clients import role_sections
from tests.support import site_data

if TYPE_CHECKING:
    from tests.support.browser import Opener

pytest_plugins = ("tests.support.browser",)

DISK = "disk/storage-error"
SARAMA = Cell("sarama", "1.43.3", Role.PRODUCER, "isolated", DISK, Engine.EMBEDDED, "3.9")
FRANZ = replace(SARAMA, family="franz-go", version="1.22.3")


def row(cell: Cell, outcome: Outcome, *, conforms: bool, **more: str) -> MatrixRow:
    values = site_data.matrix_row(cell, site_data.judged_trials(replace(cell, family="sarama", version="1.43.3")))
    values |= cell.columns() | {"outcome": outcome, "worst": outcome, "outcomes": f"{outcome}:1"} | more
    return MatrixRow(cell, outcome, conforms, values)


ROWS = [
    row(SARAMA, Outcome.STUCK, conforms=False, futile_requests_per_s="10.0"),
    row(replace(SARAMA, scenario="net/reset"), Outcome.RIDES, conforms=True),
    row(replace(SARAMA, engine=Engine.KAFKA), Outcome.REFRESHES, conforms=True),
    row(replace(SARAMA, version="1.27.0"), Outcome.STUCK, conforms=False),
    row(FRANZ, Outcome.REFRESHES, conforms=True),
    row(replace(FRANZ, profile="defaults", scenario="net/reset"), Outcome.STUCK, conforms=False),
]


@pytest.fixture(scope="module")
def families() -> list[Family]:
    return [read_family(clients_folder() / name / "client.toml") for name in ("sarama", "franz-go", "java", "beats")]


def test_a_language_has_its_newest_measured_libraries_the_best_first(families: list[Family]) -> None:
    (go,) = choice(CellIndex(ROWS), families).languages
    (producer,) = go.roles
    assert go.name == "Go"
    assert [one.client for one in producer.sums] == [Client("franz-go", "1.22.3"), Client("sarama", "1.43.3")]
    assert [(one.good, one.judged) for one in producer.sums] == [(1, 1), (2, 2)]


def test_real_brokers_answer_first_and_other_profiles_do_not_count(families: list[Family]) -> None:
    (go,) = choice(CellIndex(ROWS), families).languages
    lines = dict(go.roles[0].lines)
    assert [one and one.outcome for one in lines[DISK]] == [Outcome.REFRESHES, Outcome.REFRESHES]
    assert [one and one.outcome for one in lines["net/reset"]] == [None, Outcome.RIDES]


def test_costs_are_those_of_the_rows_on_the_page(families: list[Family]) -> None:
    (go,) = choice(CellIndex(ROWS[:1]), families).languages
    (sum_,) = go.roles[0].sums
    assert (sum_.stops, sum_.busiest and sum_.busiest.row) == (1, ROWS[0])


def test_libraries_are_sorted_by_what_a_service_suffers_and_not_by_their_share_of_cells(families: list[Family]) -> None:
    def order(*rows: MatrixRow) -> list[tuple[str, str]]:
        (go,) = choice(CellIndex(rows), families).languages
        return [(one.client.family, one.stood) for one in go.roles[0].sums]

    stops = {"harm": "stops", "harms": "stops:3", "silent": "no"}
    good = [row(replace(SARAMA, scenario=name), Outcome.REFRESHES, conforms=True) for name in (DISK, "net/reset")]
    bad = row(FRANZ, Outcome.STUCK, conforms=False, **stops)
    more = [row(replace(FRANZ, scenario=f"blip/{number}"), Outcome.REFRESHES, conforms=True) for number in range(20)]
    assert order(*good, bad, *more) == [("sarama", ""), ("franz-go", "")]
    waits = row(replace(FRANZ, profile="defaults"), Outcome.REFRESHES, conforms=True, still_ms_max="61000")
    short = row(replace(SARAMA, profile="defaults"), Outcome.REFRESHES, conforms=True, still_ms_max="2000")
    plain = row(FRANZ, Outcome.REFRESHES, conforms=True)
    assert order(*good, short, plain, waits) == [("sarama", "2.0 s"), ("franz-go", "61.0 s")]


def test_an_application_is_no_choice(families: list[Family]) -> None:
    beats = row(replace(SARAMA, family="beats", version="7.17.29"), Outcome.STUCK, conforms=False)
    assert not choice(CellIndex([beats]), families).languages


@pytest.mark.parametrize(
    ("inside", "version", "differs"),
    [("1.43.3", "1.43.3", True), ("1.60.0", "1.43.3", True), ("1.29.1", "1.27.0", False), ("1.9.0", "1.27.0", False)],
)
def test_an_application_stands_beside_the_library_inside_it(inside: str, version: str, *, differs: bool) -> None:
    beats = row(replace(SARAMA, family="beats", version="7.17.29"), Outcome.STUCK, conforms=False)
    library = row(SARAMA, Outcome.REFRESHES, conforms=True)
    answers = CellIndex([*ROWS[3:], library, beats])
    (part,) = role_sections(answers, beats.cell.client, Client("sarama", inside))
    (cell,) = part.cells
    assert cell.library is not None
    assert (cell.library.cell.version, cell.differs) == (version, differs)
    assert part.compared == f"The library inside it has another outcome in {int(differs)} of 1 cells."


def test_a_wrapper_is_a_choice_of_its_language_and_its_page_shows_the_library(tmp_path: Path) -> None:
    family = read_family(clients_folder() / "confluent-kafka-aio" / "client.toml")
    inside = family.newest.library
    assert inside is not None
    own = row(replace(SARAMA, family=family.family, version=family.newest.version), Outcome.LATE, conforms=False)
    library = row(replace(SARAMA, family=inside.family, version=inside.version), Outcome.REFRESHES, conforms=True)
    (language,) = choice(CellIndex([own, library]), [family]).languages
    assert (language.name, language.titles) == ("Python", ((own.cell.client, family.title, True),))
    matrix = site_data.write_matrix(tmp_path / "matrix.csv", [one.values for one in (own, library)])
    index = build(matrix, site_data.SOURCE, tmp_path, listed=[family])
    text = (index.parent / "client" / f"{client_slug(own.cell.client)}.html").read_text()
    assert f"The library inside is {inside.family} {inside.version}." in text
    assert "The library inside it has another outcome in 1 of 1 cells." in text
    assert "<b>differs</b>" in text


def test_every_family_is_of_a_language_or_names_the_library_inside() -> None:
    for path in clients_folder().glob("*/client.toml"):
        family = read_family(path)
        inside = all(one.library is not None for one in family.versions)
        assert bool(family.language) or inside, path
        assert bool(re.search(r"\((\w+; )?(application|wrapper)\b.* inside\)$", family.title)) == inside, path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, families: list[Family]) -> Path:
    out = tmp_path_factory.mktemp("choose")
    matrix = site_data.write_matrix(out / "matrix.csv", site_data.matrix())
    return build(matrix, site_data.BARE, out, listed=families).parent


def test_levels_stand_open_and_scenarios_are_folded(site: Path) -> None:
    text = (site / "choose.html").read_text()
    folded = "".join(re.findall(r"<details>.*?</details>", text, re.DOTALL))
    shown = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert (">level<" in shown, ">level<" in folded) == (True, False)
    assert ("chip" in shown, "chip" in folded) == (False, True)


def test_every_link_of_the_page_leads_somewhere(site: Path) -> None:
    links = re.findall(r'href="([^"#]+)"', (site / "choose.html").read_text())
    assert [link for link in links if not (site / link).exists()] == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1300])
def test_the_page_is_one_click_from_the_front_page(width: int, site: Path, opener: Opener) -> None:
    page = opener((site / "index.html").as_uri(), viewport={"width": width, "height": 900})
    page.get_by_role("link", name="Which client for a new service?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which client for a new service?")
    page.get_by_role("navigation", name="Languages").get_by_role("link", name="Java").click()
    expect(page.get_by_role("heading", name="Java")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
@pytest.mark.parametrize(("page_name", "label"), [("choose", "sarama 1.46.1: "), ("ready", "Kafka 3.9: ")])
def test_a_narrow_page_names_each_answer(page_name: str, label: str, site: Path, opener: Opener) -> None:
    page = opener((site / f"{page_name}.html").as_uri(), viewport={"width": 390, "height": 900})
    read = "cells => [...cells].map(cell => getComputedStyle(cell, '::before').content.replaceAll('\"', ''))"
    assert label in page.locator(".lines td[data-label]").evaluate_all(read)
