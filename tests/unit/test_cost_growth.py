"""Growth of costs and estimates from measured points."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from probe.catalogue.costs import shipped_costs
from probe.cells.cost_estimates import Asked, estimates, nearest
from probe.cells.cost_growth import METRICS, Fit, Growth, fit, growths, inverted
from probe.cli.app import app
from probe.errors import NothingJudgedError, ProbeError
from probe.model.cost import ClientCost, CostRun, PointCost
from probe.model.cost_point import CostPoint, as_csv, of_csv, points_of
from probe.model.results import ResultsError
from probe.model.scale import Scale
from probe.site.pages.cost_picture import cost_picture
from probe.store.costs import read_cost, read_costs, write_cost

Law = Callable[[int, int], float]
GRID = (1, 10, 100)


def point(partitions: int, clients: int, metadata: float, client: str = "some@1.2.0") -> CostPoint:
    return CostPoint(
        client=client, profile="isolated", scenario="disk/storage-error", broker="3.9", interval_ms=1000,
        clients=clients, partitions=partitions, late=0, admitted=0, metadata=round(metadata), requests=round(metadata),
        connections=clients, handshakes=clients, bytes=1, peak_per_s=1, after_per_s=0.0, works_ms=1000,
        memory_mb=1.0, cpu_s=0.1, outcomes=f"refreshes:{clients}",
    )  # fmt: skip


def grid(law: Law, client: str = "some@1.2.0") -> list[CostPoint]:
    return [point(p, c, law(p, c), client) for p in GRID for c in GRID]


def fitted(law: Law) -> Fit:
    found = fit(grid(law), METRICS["Metadata"])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("law", "growth"),
    [
        (lambda p, c: 7, Growth.CONSTANT),
        (lambda p, c: 3 * c, Growth.CLIENTS),
        (lambda p, c: 2 * p, Growth.PARTITIONS),
        (lambda p, c: p * c, Growth.BOTH),
        (lambda p, c: c * (1 + math.log10(p) / 4), Growth.CLIENTS),
    ],
)
def test_growth_is_named(law: Law, growth: Growth) -> None:
    assert fitted(law).growth is growth


def test_a_power_law_is_found_again_with_an_interval_of_one_request() -> None:
    found = fitted(lambda p, c: 4 * p * c)
    assert found.at_one == pytest.approx(4)
    assert [found.partitions, found.clients] == pytest.approx([1, 1])
    assert found.factor == pytest.approx(1)
    assert list(found.interval(Scale(partitions=30, clients=20))) == pytest.approx([2399, 2401])


def test_nine_of_ten_measurements_lie_in_the_interval() -> None:
    """Seeded: 40 points between the measured ones for each of 50 clients that scatter by a quarter."""
    draw = random.Random(1)  # a test's data

    def scattered(p: int, c: int) -> float:
        return 5 * p * c * math.exp(draw.gauss(0, 0.25))

    inside = 0
    for _ in range(50):
        found = fitted(scattered)
        for _ in range(40):
            scale = Scale(partitions=draw.randint(1, 100), clients=draw.randint(1, 100))
            low, high = found.interval(scale)
            inside += low <= scattered(scale.partitions, scale.clients) <= high
    assert 0.85 < inside / 2000 < 0.95


def test_what_was_measured_at_one_number_only_has_no_exponent() -> None:
    one = [point(number, 10, number) for number in (1, 10, 100, 1000)]
    found = fit(one, METRICS["Metadata"])
    assert found is not None
    assert (found.clients, found.growth) == (None, Growth.PARTITIONS)


def test_few_points_have_no_growth() -> None:
    assert fit([], METRICS["Metadata"]) is None
    assert fit(grid(lambda p, c: p)[:3], METRICS["Metadata"]) is None
    assert fit([point(1, 1, 5)] * 9, METRICS["Metadata"]) is None
    assert inverted([[1.0, 1.0], [1.0, 1.0]]) is None


def test_each_client_has_the_growth_of_each_cost() -> None:
    both = [*grid(lambda p, c: c, "a@1"), *grid(lambda p, c: p * c, "b@1")]
    found = {(some.client, name): one.growth for some, name, one in growths(both)}
    assert found["a@1", "Metadata"] is Growth.CLIENTS
    assert found["b@1", "Metadata"] is Growth.BOTH
    assert found["b@1", "connections"] is Growth.CLIENTS
    assert len(found) == 2 * len(METRICS)


# estimates


def asked(clients: int = 50, version: str = "1.2.0") -> Asked:
    return Asked(family="some", version=version, clients=clients)


def test_inside_what_was_measured_there_is_an_interval_and_outside_a_least_number() -> None:
    points = grid(lambda p, c: p * c)
    (inside,) = estimates([asked()], 80, points, "disk/storage-error")
    assert inside.high is not None
    assert inside.low <= 4000 <= inside.high
    (outside,) = estimates([asked()], 800, points, "disk/storage-error")
    assert outside.high is None
    assert 4900 < outside.low <= 5000
    (more,) = estimates([asked(clients=2000)], 80, points, "disk/storage-error")
    assert more.high is None


def test_outside_what_was_measured_a_client_costs_no_less_than_among_fewer() -> None:
    shared = grid(lambda p, c: p * math.sqrt(c))
    lows = [estimates([asked(clients=count)], 80, shared, "disk/storage-error")[0].low for count in (100, 200, 2000)]
    assert lows[1:] == pytest.approx([0.8 * 2 * lows[0], 0.8 * 20 * lows[0]])
    many = [point(p, c, p * c) for p in (10, 100) for c in (10, 100)]
    (less,) = estimates([asked(clients=1)], 1, many, "disk/storage-error")
    assert (less.high, less.expected) == (None, None)
    assert 0.9 < less.low <= 1


@pytest.mark.parametrize("metric", ["Metadata", "requests"])
def test_the_least_cost_of_more_clients_lies_below_what_was_measured_of_them(metric: str) -> None:
    every = [one for one in shipped_costs() if one.scale.is_calm]
    few = [one for one in every if one.clients <= 10]
    beyond = [one for one in every if one.clients > 10]
    assert len(beyond) > 4
    for one in beyond:
        family, _, version = one.client.partition("@")
        wanted = Asked(family=family, version=version, clients=one.clients)
        mine = [other for other in few if other.engine == one.engine]
        (found,) = estimates([wanted], one.partitions, mine, one.scenario, metric)
        assert found.measured, one
        assert (found.high, found.low <= METRICS[metric](one)) == (None, True), one


def test_a_version_with_too_few_points_leaves_the_estimate_to_an_older_one() -> None:
    every = [*grid(lambda p, c: p * c), point(1, 1, 1, "some@9.0.0")]
    (found,) = estimates([asked(version="")], 10, every, "disk/storage-error")
    assert found.measured == "some@1.2.0"


def test_numbers_that_were_not_measured_together_are_outside() -> None:
    corner = [one for one in grid(lambda p, c: p * c) if (one.partitions, one.clients) != (100, 100)]
    (found,) = estimates([asked(clients=50)], 50, corner, "disk/storage-error")
    assert found.high is None
    assert found.within == "10 x 100, 100 x 10"
    assert 0.8 * 2490 < found.low <= 0.8 * 2500
    (inside,) = estimates([asked(clients=50)], 10, corner, "disk/storage-error")
    assert inside.high is not None


def test_a_version_stands_for_later_ones_until_the_next() -> None:
    measured = ["some@1.2.0", "some@1.10.0", "other@1.0"]
    assert nearest(asked(version="1.2.0"), measured) == "some@1.2.0"
    assert nearest(asked(version="1.9.9"), measured) == "some@1.2.0"
    assert nearest(asked(version="1.11"), measured) == "some@1.10.0"
    assert nearest(asked(version="2.0"), measured) == ""
    assert nearest(asked(version=""), measured) == "some@1.10.0"
    assert nearest(asked(version="1.0"), measured) == ""


def test_another_scenario_says_nothing() -> None:
    (found,) = estimates([asked()], 80, grid(lambda p, c: p), "broker/kill")
    assert (found.measured, found.low) == ("", 0.0)


# files and the command


def stored(client: str, partitions: int, clients: int, metadata: int, **more: object) -> PointCost:
    one = ClientCost(
        client_id="c", outcome="refreshes", reason="", conforms=True, requests={"Metadata": metadata}, bytes=10,
        connections=1, peak_per_s=1, works_ms=100, working=partitions,
    )  # fmt: skip
    return PointCost(
        client=client, role="producer", profile="isolated", scenario="disk/storage-error", broker="3.9",
        scale=Scale(partitions=partitions, clients=clients), interval_ms=1000, clients=(one,), memory_mb=1.0, cpu_s=0.1,
        processes=1, lag_ms=0, **more,  # type: ignore[arg-type]  # its fields
    )  # fmt: skip


def run_of(client: str = "sarama@0.1", **more: object) -> CostRun:
    points = [stored(client, p, c, p * c, **more) for p in GRID for c in GRID]
    return CostRun(run_id="20261129T000000Z-0001", seed=1, points=tuple(points))


def test_a_stored_sweep_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_cost(str(tmp_path), run_of())
    assert read_costs(str(tmp_path)) == [run_of()]
    assert read_cost(str(tmp_path), "20261129T000000Z-0001") == run_of()
    assert read_cost(str(tmp_path), "another") is None


def test_points_as_csv_are_read_as_they_were_written() -> None:
    points = points_of(run_of().points)
    assert of_csv(as_csv(points)) == points
    with pytest.raises(KeyError):
        of_csv("client\na\n")


def test_doubtful_points_enter_nothing() -> None:
    assert points_of(run_of(problems=("late",)).points) == []
    assert points_of(run_of(differences=("one",)).points) == []


def test_shipped_points_are_readable_and_have_a_growth() -> None:
    points = shipped_costs()
    assert {some.client.partition("@")[0] for some, _, _ in growths(points)} >= {"sarama", "franz-go"}


def invoke(tmp_path: Path, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["estimate", "--results", str(tmp_path), *more])
    code = done.exception.exit_code if isinstance(done.exception, ProbeError) else done.exit_code
    return code, done.output + str(done.exception or "")


def test_the_command_sums_up_its_clients(tmp_path: Path) -> None:
    write_cost(str(tmp_path), run_of("some@1.0"))
    code, text = invoke(tmp_path, "--client", "some@1.0:10", "--client", "some:20", "--partitions", "50")
    assert code == 0
    assert "all clients: 1498 to 1502" in text
    code, text = invoke(tmp_path, "--client", "some@1.0:10", "--partitions", "5000", "--json")
    document = json.loads(text)
    assert document["clients"][0]["high"] is None
    assert document["clients"][0]["low"] == pytest.approx(999)


def test_real_brokers_are_estimated_by_their_own_points(tmp_path: Path) -> None:
    write_cost(str(tmp_path), run_of("some@1.0"))
    some = ("--client", "some@1.0:10", "--partitions", "50")
    assert invoke(tmp_path, *some, "--engine", "kafka")[0] == 3
    real = CostRun(run_id="20261129T000000Z-0002", seed=1, points=run_of("some@1.0", engine="kafka").points[:5])
    write_cost(str(tmp_path), real)
    code, text = invoke(tmp_path, *some, "--engine", "kafka")
    assert (code, text.splitlines()[0]) == (0, "as measured on real brokers")
    document = json.loads(invoke(tmp_path, *some, "--engine", "kafka", "--json")[1])
    assert (document["engine"], document["clients"][0]["within"]) == ("kafka", "1 x 100, 10 x 10")


def test_a_sweep_that_names_no_engine_is_of_the_embedded_one(tmp_path: Path) -> None:
    write_cost(str(tmp_path), run_of())
    path = tmp_path / "costs" / "20261129T000000Z-0001.json"
    document = json.loads(path.read_text())
    for one in document["points"]:
        del one["engine"]
    path.write_text(json.dumps(document))
    assert read_costs(str(tmp_path)) == [run_of()]


def test_what_was_never_measured_is_said(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["estimate", "--client", "kcat@1.7.1:5", "--results", str(tmp_path)])
    assert isinstance(done.exception, NothingJudgedError)
    assert "not measured" in done.output
    write_cost(str(tmp_path), run_of("some@1.0"))
    code, text = invoke(tmp_path, "--client", "some@1.0:10", "--client", "kcat@1.7.1:5", "--partitions", "50")
    assert code == 0
    assert "all clients: at least 499, not measured" in text


@pytest.mark.parametrize("text", ["sarama", "sarama@1.0:x", ":5", "sarama:0", "sarama@1.0:-4"])
def test_a_client_without_its_number_is_one_line(tmp_path: Path, text: str) -> None:
    code, said = invoke(tmp_path, "--client", text)
    assert code == 2
    assert f"--client {text}" in said


def test_an_unknown_cost_and_no_client_are_one_line(tmp_path: Path) -> None:
    assert invoke(tmp_path)[0] == 2
    code, said = invoke(tmp_path, "--client", "sarama:5", "--cost", "money")
    assert code == 2
    assert "Metadata" in said


# the picture


def test_curves_are_drawn_in_their_interval(tmp_path: Path) -> None:
    points = [*grid(lambda p, c: p * c, "a<b@1"), *grid(lambda p, c: c, "c@1")]
    root = ET.fromstring(cost_picture(points))  # our own text
    tag = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{tag}circle")) == len(points)
    assert len(root.findall(f"{tag}polyline")) == len(root.findall(f"{tag}polygon")) == 6
    assert "a<b@1" in {one.text for one in root.iter(f"{tag}text")}


def test_the_sweep_of_another_run_is_refused(tmp_path: Path) -> None:
    write_cost(str(tmp_path), run_of())
    (tmp_path / "costs" / "20261129T000000Z-0001.json").rename(tmp_path / "costs" / "other.json")
    with pytest.raises(ResultsError, match="is a sweep of run 20261129T000000Z-0001; remove it"):
        read_cost(str(tmp_path), "other")


def test_a_stored_sweep_is_shown_again_as_table_json_csv_and_svg(tmp_path: Path) -> None:
    write_cost(str(tmp_path), run_of())
    asked = ["sweep", "--run", "20261129T000000Z-0001", "--results", str(tmp_path)]
    files = ["--csv", str(tmp_path / "x.csv"), "--svg", str(tmp_path / "x.svg")]
    done = CliRunner().invoke(app, [*asked, *files])
    assert done.exit_code == 0, done.exception
    assert "with both" in done.output
    assert len(of_csv((tmp_path / "x.csv").read_text())) == 9
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    document = json.loads(CliRunner().invoke(app, [*asked, "--json"]).output)
    assert [one["partitions"] for one in document["points"]] == [1, 1, 1, 10, 10, 10, 100, 100, 100]
    assert document["points"][0]["requests"] == {"Metadata": 1}
    assert {one["growth"] for one in document["growth"] if one["cost"] == "Metadata"} == {"with both"}
