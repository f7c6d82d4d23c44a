"""Scales of trials of cost: the axes, their points, and what one machine holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.errors import ProbeError
from probe.model.scale import Scale, is_axis, parse_scales
from probe.runner.cost.machine_room import OWN_THREADS, Room, chosen_interval_ms, clients_per_process, too_large

ROOM = Room(cores=2, memory_mb=8000, files=4096, per_process=32)


def test_axes_are_combined_each_with_each_from_small_to_large() -> None:
    found = parse_scales(["partitions=100,1", "clients=10,1"], Scale())
    assert [(one.clients, one.partitions) for one in found] == [(1, 1), (10, 1), (1, 100), (10, 100)]


def test_what_no_axis_names_is_that_of_the_base() -> None:
    assert {one.clients for one in parse_scales(["late=0,5000"], Scale(clients=7))} == {7}


@pytest.mark.parametrize(
    ("axes", "reason"),
    [
        (["partitions=1"], "at least 2"),
        (["partitions=1,1"], "at least 2"),
        (["partitions=1,x"], "whole numbers"),
        (["partitions=-1,2"], "whole numbers"),
        (["partitions=0,2"], "from 1 to"),
        (["clients=1,100000"], "from 1 to"),
        (["clients=1,2", "clients=3,4"], "given twice"),
        (["clients=1,2", "election=0,1"], "cannot be combined"),
    ],
)
def test_what_is_no_axis_is_refused_with_the_reason(axes: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_scales(axes, Scale())
    options = [word for text in axes for word in ("--over", text)]
    done = CliRunner().invoke(app, ["sweep", "--client", "sarama", "--scenario", "disk/storage-error", *options])
    assert isinstance(done.exception, ProbeError)
    assert axes[-1] in str(done.exception)


def test_other_sweeps_are_no_axes() -> None:
    assert not is_axis("election=0,1")
    assert not is_axis("property:partitions=0,1")
    assert is_axis("late=0,1")
    assert is_axis("admitted=0,1")


def test_a_scale_says_how_requests_are_answered() -> None:
    assert str(Scale(clients=2, admitted=20)) == "2 clients x 1 partition, refused above 20 a second"
    assert not Scale(admitted=20).is_calm
    assert not Scale(late=20).is_calm
    assert Scale(clients=3).is_calm


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--engine", "kafka", "--broker", "3.4"], "runs with ZooKeeper"),
        (
            ["--engine", "kafka", "--partitions", "201"],
            "partitions 201: real brokers of one machine are asked for at most 200",
        ),
        (["--engine", "kafka", "--over", "partitions=2,201"], "partitions 201"),
        (["--engine", "kafka", "--over", "late=0,100"], "real brokers have their own"),
        (["--engine", "kafka", "--scenario", "metadata/leaderless"], "does not run on the kafka engine"),
        (["--security", "SASL_SSL/SCRAM-SHA-512"], "those of PLAINTEXT so far"),
        (["--role", "consumer"], "those of producers"),
        (["--scenario", "net/refused"], "net/blackhole, metadata/leaderless so far"),
    ],
)
def test_what_costs_are_not_measured_for_is_said_before_anything_runs(
    tmp_path: Path, more: list[str], reason: str
) -> None:
    asked = ["sweep", "--client", "sarama@1.43.3", "--over", "clients=1,2", "--results", str(tmp_path)]
    scenario = [] if "--scenario" in more else ["--scenario", "disk/storage-error"]
    done = CliRunner().invoke(app, [*asked, *scenario, *more])
    assert isinstance(done.exception, ProbeError)
    assert reason in str(done.exception)


# what a machine holds


def test_the_chosen_interval_leaves_most_of_the_machine() -> None:
    assert chosen_interval_ms(Scale(), ROOM) == 1000
    large = Scale(clients=100, partitions=100)
    chosen = chosen_interval_ms(large, ROOM)
    assert too_large(large, chosen, ROOM) == ""
    assert too_large(large, chosen // 4, ROOM)


def numbers_after(text: str, words: str) -> int:
    return int(text.partition(words)[2].split()[0].rstrip(",;"))


@pytest.mark.parametrize(
    ("scale", "room"),
    [
        (Scale(clients=100, partitions=1000), ROOM),
        (Scale(clients=1000, partitions=1), replace(ROOM, memory_mb=2000, files=100_000)),
        (Scale(clients=100, partitions=100), replace(ROOM, cores=16, threaded=False, memory_mb=1400)),
        (Scale(clients=600, partitions=3), replace(ROOM, threaded=True, cores=2, files=100_000)),
        (Scale(clients=40, partitions=20), replace(ROOM, threaded=True, threads=200)),
    ],
)
def test_the_number_that_is_named_fits_and_one_more_does_not(scale: Scale, room: Room) -> None:
    fits = numbers_after(too_large(scale, 1000, room), "at most ")
    assert 0 < fits < scale.clients
    assert too_large(replace(scale, clients=fits), 1000, room) == ""
    assert too_large(replace(scale, clients=fits + room.per_process), 1000, room)


def test_the_named_interval_fits() -> None:
    scale = Scale(clients=100, partitions=1000)
    interval = numbers_after(too_large(scale, 1000, ROOM), "--interval ")
    assert too_large(scale, interval, ROOM) == ""


def test_many_partitions_of_a_client_share_a_thread() -> None:
    threaded = replace(ROOM, threaded=True)
    assert too_large(Scale(clients=100, partitions=100), 7000, threaded) == ""
    few = Scale(clients=150, partitions=OWN_THREADS - 1)
    assert "threads" in too_large(few, 7000, threaded)
    assert too_large(replace(few, partitions=OWN_THREADS), 7000, threaded) == ""


def test_processes_of_java_and_python_have_fewer_clients_with_many_partitions() -> None:
    buffered = replace(ROOM, buffered=True)
    assert clients_per_process(Scale(clients=10, partitions=1000), replace(ROOM, interpreted=True)) == 3
    assert clients_per_process(Scale(clients=100, partitions=100), buffered) == 32
    assert clients_per_process(Scale(clients=10, partitions=1000), buffered) == 3
    assert clients_per_process(Scale(clients=1, partitions=10_000), buffered) == 1
    assert clients_per_process(Scale(clients=10, partitions=1000), ROOM) == 32


def test_open_files_are_counted() -> None:
    scale = Scale(clients=500)
    assert "ulimit -n" in too_large(scale, 5000, replace(ROOM, files=1024))


def test_a_scale_that_does_not_fit_is_one_line_before_anything_runs(tmp_path: Path) -> None:
    asked = ["--over", "partitions=1,10000", "--clients", "1000", "--interval", "100", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, ["sweep", "--client", "sarama@1.43.3", "--scenario", "disk/storage-error", *asked])
    assert isinstance(done.exception, ProbeError)
    text = str(done.exception)
    assert "1000 clients x 10000 partitions" in text
    assert "--interval " in text
    assert "\n" not in text
