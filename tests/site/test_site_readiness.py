"""The page "Ready for 4.x?": its content, its place on the site, and its look."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from probe.catalogue.families import Family, read_family
from probe.catalogue.files import clients_folder
from probe.cells.origin import SHIPPED, Origin
from probe.model import CONTROL, Cell, Engine, Outcome, Role
from probe.model.refusals import closed_at, never_sent, refusal
from probe.site import build
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.pages.readiness import SHOWN, Answer, State, ready
from tests.support import site_data
from tests.unit.test_lookup import settled

if TYPE_CHECKING:
    from tests.support.browser import Opener

pytest_plugins = ("tests.support.browser",)

NEWEST = SHOWN[0]
OLD = Cell("java", "0.10.2.2", Role.PRODUCER, "isolated", CONTROL, Engine.EMBEDDED, NEWEST)


def values(cell: Cell, outcome: Outcome, conforms: str = "", reason: str = "") -> dict[str, str]:
    whole = site_data.matrix_row(cell, site_data.judged_trials(replace(cell, version="4.1.0")))
    whole |= cell.columns() | {"outcome": outcome, "conforms": conforms, "worst": outcome, "outcomes": f"{outcome}:1"}
    return whole | ({"reason": reason} if reason else {})


def rows() -> list[dict[str, str]]:
    refused = refusal(NEWEST, closed_at("Produce v2", 12))
    silent = refusal(NEWEST, never_sent("Fetch"))
    later, real = replace(OLD, version="0.11.0.3"), replace(OLD, engine=Engine.KAFKA)
    return [
        values(OLD, Outcome.UNSUPPORTED, reason=refused),
        values(replace(OLD, role=Role.GROUP), Outcome.UNSUPPORTED, reason=silent),
        values(later, Outcome.CLEAN, "yes"),
        values(
            replace(OLD, version="0.9.0.1"), Outcome.UNSUPPORTED, reason=refusal(NEWEST, closed_at("Produce v1", 9))
        ),
        values(replace(real, broker="3.9"), Outcome.CLEAN, "yes"),
        values(replace(later, broker="3.9"), Outcome.BROKEN, reason="the harness failed"),
        values(replace(later, broker="2.6"), Outcome.STUCK, "no", "warm-up did not end within 45 s"),
    ]


@pytest.fixture(scope="module")
def java() -> Family:
    return read_family(clients_folder() / "java" / "client.toml")


@pytest.fixture(scope="module")
def answers(java: Family) -> dict[tuple[str, Role, str], Answer]:
    """Return the answers by version, role and line, each of the span that has the version."""
    index = CellIndex([_row(one) for one in rows()])
    (family,) = ready(index, [java]).families
    return {
        (version, part.role, one.line): one
        for part in family.roles
        for span in part.spans
        for version in span.versions
        for one in span.answers
    }


def _row(one: dict[str, str]) -> MatrixRow:
    return MatrixRow(Cell.of(one), Outcome(one["outcome"]), {"yes": True, "no": False, "": None}[one["conforms"]], one)


def test_every_listed_version_and_role_is_there(answers: dict[tuple[str, Role, str], Answer], java: Family) -> None:
    versions = {item.version for item in java.versions}
    assert set(answers) == {(version, role, line) for version in versions for role in Role for line in SHOWN}


def test_a_refused_version_names_the_request_and_the_first_that_works(
    answers: dict[tuple[str, Role, str], Answer],
) -> None:
    one = answers["0.10.2.2", Role.PRODUCER, NEWEST]
    assert (one.state, one.why, one.first) == (State.REFUSED, "Produce v2 is refused", "0.11.0.3")
    assert answers["0.9.0.1", Role.PRODUCER, NEWEST].why == "Produce v1 is refused"
    silent = answers["0.10.2.2", Role.GROUP, NEWEST]
    assert (silent.why, silent.first) == ("Fetch is never sent", "")


@pytest.mark.parametrize(
    ("version", "role", "line", "state", "why"),
    [
        ("0.11.0.3", Role.PRODUCER, NEWEST, State.WORKS, ""),
        ("0.10.2.2", Role.PRODUCER, "3.9", State.WORKS, ""),
        ("0.11.0.3", Role.PRODUCER, "3.9", State.OPEN, "the harness failed"),
        ("0.11.0.3", Role.PRODUCER, "2.6", State.FAILS, "warm-up did not end"),
        ("4.4.0", Role.PRODUCER, NEWEST, State.UNKNOWN, ""),
        ("0.9.0.1", Role.PRODUCER, "3.9", State.UNASKED, "only real brokers"),
        ("0.9.0.1", Role.ADMIN, NEWEST, State.UNASKED, "since 2.5.0"),
    ],
)
def test_every_other_state_has_its_reason(
    answers: dict[tuple[str, Role, str], Answer], version: str, role: Role, line: str, state: State, why: str
) -> None:
    one = answers[version, role, line]
    assert one.state is state
    assert why in one.why


def test_the_answer_of_real_brokers_comes_first(java: Family) -> None:
    fake = values(replace(OLD, broker="3.9"), Outcome.SURFACES, "no")
    (family,) = ready(CellIndex([_row(one) for one in [*rows(), fake]]), [java]).families
    producer = next(part for part in family.roles if part.role is Role.PRODUCER)
    (span,) = (span for span in producer.spans if "0.10.2.2" in span.versions)
    assert [one.state for one in span.answers if one.line == "3.9"] == [State.WORKS]


def test_counts_have_every_role_of_every_version(java: Family) -> None:
    found = ready(CellIndex([_row(one) for one in rows()]), [java])
    for _, counts in found.counts:
        assert sum(counts.values()) == len(java.versions) * len(Role)
    assert found.counts[0][1][State.REFUSED] == 3
    assert found.major == "4.x"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, java: Family) -> Path:
    out = tmp_path_factory.mktemp("ready")
    matrix = site_data.write_matrix(out / "matrix.csv", [*site_data.matrix(), *rows()])
    return build(matrix, site_data.BARE, out, listed=[java]).parent


def test_the_page_says_it_in_words(site: Path) -> None:
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", (site / "ready.html").read_text())).split())
    assert "Ready for Kafka 4.x?" in text
    assert "producer 0.10.2.2 ✗ refused Produce v2 is refused 0.11.0.3 is the first that works ✓ works" in text
    assert "group 0.10.2.2 ✗ refused Fetch is never sent" in text
    assert "probe run --client all --scenario steady" in text


def test_every_link_of_the_page_leads_somewhere(site: Path) -> None:
    links = re.findall(r'href="([^"#]+)"', (site / "ready.html").read_text())
    assert [link for link in links if not (site / link).exists()] == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1300])
def test_the_page_is_one_click_from_the_front_page(width: int, site: Path, opener: Opener) -> None:
    page = opener((site / "index.html").as_uri(), viewport={"width": width, "height": 900})
    page.get_by_role("link", name="Ready for 4.x?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ready for Kafka 4.x?")
    refused = page.get_by_role("row", name=re.compile(r"producer 0\.10\.2\.2")).get_by_role("link", name="refused")
    expect(refused).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    refused.click()
    expect(page.locator(".reason")).to_contain_text("Produce v2")


def test_shipped_evidence_answers_what_these_results_lack_and_says_so(java: Family) -> None:
    newer = replace(OLD, version="4.4.0")
    origin = Origin(evidence=SHIPPED, measured="2026-11-27", days=3)
    held = [replace(settled(one, Outcome.CLEAN), origin=origin) for one in (newer, OLD)]
    other = replace(held[0], cell=replace(newer, scenario="net/reset"))
    index = CellIndex([_row(one) for one in rows()])
    alone, found = ready(index, [java]), ready(index, [java], [*held, other])
    assert [dict(one.counts)[NEWEST][State.WORKS] for one in (alone, found)] == [1, 2]
    (producer,) = (one for one in found.families[0].roles if one.role is Role.PRODUCER)
    newest = {version: span.answers[0] for span in producer.spans for version in span.versions}
    assert newest["4.4.0"].measured == "from shipped evidence, measured on 2026-11-27"
    assert (newest[OLD.version].state, newest[OLD.version].measured) == (State.REFUSED, "")
