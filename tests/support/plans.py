"""Plans of runs on real brokers, and their trials."""

from __future__ import annotations

from collections.abc import Sequence

from probe.cli.wiring.run_selection import RunSelection
from probe.model import Engine, Role
from probe.planning.cohorts import TrialTask
from probe.planning.plan import Plan

READERS_AND_WRITERS = (Role.PRODUCER, Role.CONSUMER)
CLIENTS = ["sarama@1.27.0", "sarama@1.43.2", "sarama@1.43.3", "sarama@1.61.1"]


def planned(
    *scenarios: str, trials: int = 1, brokers: Sequence[str] = ("3.9",), roles: Sequence[Role] = READERS_AND_WRITERS
) -> Plan:
    asked = RunSelection(
        clients=CLIENTS,
        scenarios=scenarios,
        roles=roles,
        engine=Engine.KAFKA,
        brokers=brokers,
        trials=trials,
        seed=1,
    )
    return asked.whole()[0]


def work(plan: Plan) -> list[TrialTask]:
    return [TrialTask(item, trial) for item in plan.cells for trial in range(item.trials)]
