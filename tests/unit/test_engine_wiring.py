"""The registry of engines: one entry each, and no code around a run that asks which one it has."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, cast

import pytest

from probe.cli import wiring
from probe.cli.wiring import engines
from probe.cli.wiring.composition import FakeClusters
from probe.cli.wiring.engines import WIRED, BuiltEngine, EngineEntry, built
from probe.cli.wiring.kafka_engine import RealBrokers
from probe.cli.wiring.run_selection import RunSelection
from probe.engines.kafka.engine import Kafka
from probe.engines.kafka.faults.unsupported_steps import UNSUPPORTED_STEPS
from probe.errors import ExhaustedError
from probe.model import Engine
from probe.planning.plan import Plan
from probe.runner import Options

BUILDERS = {"engines.py", "kafka_engine.py", "composition.py"}
"""Files of `probe/cli/wiring` that build engines."""


def test_every_engine_has_an_entry() -> None:
    assert list(WIRED) == list(Engine)


def test_real_brokers_alone_have_steps_that_they_cannot_play() -> None:
    assert {engine: entry.unplayed for engine, entry in WIRED.items()} == {
        Engine.EMBEDDED: {},
        Engine.KAFKA: UNSUPPORTED_STEPS,
    }


@pytest.mark.parametrize("engine", Engine)
def test_a_plan_gets_the_engine_of_its_cells(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def entry(name: Engine) -> EngineEntry:
        def build(plan: Plan, *, capture: bool) -> Any:
            return name, len(plan.cells), capture

        return EngineEntry(build=build)

    monkeypatch.setattr(engines, "WIRED", {name: entry(name) for name in Engine})
    plan, _ = RunSelection(clients=["sarama@1.43.3"], scenarios=["disk/storage-error"], engine=engine).whole()
    found: list[Any] = [built(plan, capture=True), built(Plan((), ()))]
    assert found == [(engine, len(plan.cells), True), (Engine.EMBEDDED, 0, False)]


def test_fake_clusters_differ_between_no_runs_and_have_one_trial_each() -> None:
    fake: BuiltEngine = FakeClusters(cast("Any", object()), cast("Any", None))
    assert fake.describe() == {}
    assert fake.drain() is None
    assert fake.limit(Options(jobs=100), 1000, 3).jobs == 23
    with pytest.raises(ExhaustedError, match="open files"):
        fake.limit(Options(), 50, 1)


def test_real_brokers_have_fewer_clusters_where_open_files_are_few() -> None:
    engine = Kafka({}, cast("Any", None), cast("Any", None), {}, clusters=2, in_silence=2)
    real = RealBrokers(engine)
    assert real.describe() == {}
    limited = real.limit(Options(jobs=10), 40 + 6 + 2 * (80 + 10 * 40), 1)
    assert limited.jobs is not None
    assert limited.jobs <= 10
    assert (engine.at_once, engine.in_silence) == (2, 0)
    with pytest.raises(ExhaustedError, match="open files"):
        real.limit(Options(), 50, 1)


def test_no_code_around_a_run_asks_which_engine_it_has() -> None:
    for path in sorted(Path(wiring.__path__[0]).glob("*.py")):
        names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        assert path.name in BUILDERS or not names & {"Kafka", "Embedded", "RealBrokers", "FakeClusters"}, path.name
