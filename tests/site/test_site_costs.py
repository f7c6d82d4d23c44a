"""The page "What does one failover cost?", as text and in a real browser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from probe.catalogue.costs import shipped_costs
from probe.cli.wiring.catalogue import families
from probe.model.cost_point import CostPoint
from probe.site import build
from probe.site.pages.cost_picture import cost_picture
from probe.site.pages.costs import KnownCosts, cost_page
from tests.support import site_data

if TYPE_CHECKING:
    from tests.support.browser import Built, Opener

pytest_plugins = ("tests.support.browser",)

ONE = CostPoint(
    client="sarama@1.45.0", profile="isolated", scenario="broker/kill", broker="3.9", interval_ms=1000, clients=1,
    partitions=1, late=0, admitted=0, metadata=3, requests=4, connections=1, handshakes=1, bytes=500, peak_per_s=3,
    after_per_s=0.0, works_ms=900, memory_mb=10.0, cpu_s=0.1, outcomes="refreshes:1",
)  # fmt: skip


def grown(client: str, power: int) -> list[CostPoint]:
    """Points whose cost grows with clients, and with a power of partitions."""
    return [
        replace(ONE, client=client, clients=clients, partitions=count, metadata=3 * clients * count**power)
        for clients in (1, 10)
        for count in (1, 10, 100)
    ]


def test_rows_are_sorted_by_what_was_measured_at_the_common_scale() -> None:
    points = (*grown("sarama@1.45.0", 1), *grown("franz-go@1.22.3", 0))
    (section,) = cost_page(KnownCosts(points), ()).sections
    assert str(section.scale) == "10 clients x 100 partitions"
    assert [(row.name, row.each, row.growth, row.exponents) for row in section.rows] == [
        ("franz-go@1.22.3", "3.0", "with clients", ("0.00", "1.00")),
        ("sarama@1.45.0", "300.0", "with both", ("1.00", "1.00")),
    ]
    assert section.rows[0].measured == "6 points, up to 100 x 10"


def test_a_client_that_was_not_measured_at_the_scale_comes_last() -> None:
    few = [replace(ONE, client="java@3.9.2", partitions=3)]
    (section,) = cost_page(KnownCosts((*few, *grown("sarama@1.45.0", 1))), ()).sections
    assert [(row.name, row.at is None, row.growth) for row in section.rows] == [
        ("sarama@1.45.0", False, "with both"),
        ("java@3.9.2", True, "too few points"),
    ]


def test_what_is_not_measured_is_named() -> None:
    elsewhere = replace(ONE, client="java@3.9.2", scenario="net/blackhole")
    late = replace(ONE, late=1000)
    page = cost_page(KnownCosts((*grown("sarama@1.45.0", 1), elsewhere, late), ("x",)), tuple(families().values()))
    assert [one.scenario for one in page.sections] == ["broker/kill", "net/blackhole"]
    assert [one.lacking for one in page.sections] == [("java",), ("sarama",)]
    assert page.late == (late,)
    assert "leader/elected" in page.unmeasured
    assert "broker/kill" not in page.unmeasured
    (_, versions, listed), *_ = [one for one in page.versions if one[0] == "sarama"]
    assert versions == "1.45.0"
    assert listed > 10
    assert "librdkafka" in page.others
    assert page.unfinished == ("x",)


def test_real_brokers_have_sections_of_their_own() -> None:
    real = [replace(one, engine="kafka", metadata=2 * one.metadata) for one in grown("sarama@1.45.0", 1)]
    page = cost_page(KnownCosts((*grown("sarama@1.45.0", 1), *real)), ())
    assert [(one.id, one.brokers) for one in page.sections] == [
        ("broker-kill", "the embedded engine"),
        ("broker-kill-real", "real brokers"),
    ]
    assert [row.each for one in page.sections for row in one.rows] == ["300.0", "600.0"]
    assert ["real brokers" in one.picture for one in page.sections] == [False, True]
    assert "broker/kill" not in page.unmeasured_real
    assert "leader/elected" in page.unmeasured_real


def test_without_a_point_nothing_is_drawn() -> None:
    assert cost_page(KnownCosts(), ()).sections == ()


def test_a_fit_is_drawn_as_far_as_it_was_measured() -> None:
    """With 100 clients one number of partitions was measured, so that their line has no length."""
    some = grown("sarama@1.45.0", 1)
    alone = cost_picture(some).count("<polyline")
    assert cost_picture([*some, replace(ONE, clients=100, metadata=300)]).count("<polyline") == alone + 1
    drawn = cost_picture([*some, replace(ONE, clients=100, metadata=300)]).splitlines()
    (*_, last) = (line for line in drawn if "<polyline" in line)
    assert len({place.split(",")[0] for place in last.split('"')[1].split()}) == 1


@pytest.mark.browser
def test_the_page_is_in_the_navigation_and_its_words_are_readable(built: Built, opener: Opener) -> None:
    page = opener(built.url, viewport={"width": 390, "height": 800})
    page.get_by_role("link", name="Costs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What does one failover cost?")
    sections = {(one.scenario, one.engine) for one in shipped_costs() if one.scale.is_calm}
    assert page.locator("main section figure svg").count() == len(sections)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    heights = page.locator(".cost text").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(heights) >= 9


@pytest.mark.browser
def test_every_shipped_client_has_a_row(built: Built, opener: Opener) -> None:
    page = opener((built.site / "costs.html").as_uri())
    kill = page.locator("section#broker-kill tbody tr")
    wanted = {one.client for one in shipped_costs() if one.scenario == "broker/kill" and one.engine == "embedded"}
    assert kill.count() == len(wanted)
    costs = [int(text.replace(",", "")) for text in kill.locator("td:nth-child(2)").all_inner_texts()]
    assert costs == sorted(costs)
    page.locator("nav.jumps a", has_text="broker/kill").first.click()
    assert page.url.endswith("#broker-kill")


def test_without_costs_the_page_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("bare")
    matrix = site_data.write_matrix(out / "matrix.csv", site_data.matrix())
    text = (build(matrix, site_data.BARE, out).parent / "costs.html").read_text()
    assert "No cost is stored" in text
    assert "style=" not in text


def test_two_dozen_clients_differ_in_the_legend_by_colour_or_dashes() -> None:
    picture = cost_picture([point for number in range(24) for point in grown(f"demo@{number}", 0)])
    samples = [line.partition("stroke=")[2] for line in picture.splitlines() if 'stroke-width="3"' in line]
    assert len(samples) == len(set(samples)) == 24
