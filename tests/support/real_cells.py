"""Real cells in tests: real clients, real sockets and the fake cluster."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

import pytest

from probe import verdict
from probe.cli.wiring.composition import embedded_engine, get_clients, live_tools
from probe.cli.wiring.run_selection import RunSelection
from probe.engines.embedded.engine import Embedded
from probe.errors import YoungError
from probe.model import Client, History, Outcome, Role, Verdict
from probe.planning.plan import Planned
from probe.ports import RelayPort, Sink
from probe.relay import Relay
from probe.runner import Options, Tools
from probe.runner.trial.trial import run_trial
from tests.support.protocol_wire import schemas

Change = Callable[[Embedded], Embedded]


def planned(client: str, scenario: str, role: str = "producer", **more: object) -> Planned:
    """Return the one cell of these selectors."""
    plan, _ = RunSelection(clients=[client], scenarios=[scenario], roles=[Role(role)], seed=1, **more).whole()  # type: ignore[arg-type]
    (found,) = (item for item in plan.cells if item.cell.scenario == scenario)
    return found


def capturing(files: list[bytes]) -> Change:
    """Return a change of the engine by which each relay that closes leaves its capture in `files`."""

    @contextlib.asynccontextmanager
    async def open_relay(brokers: Sequence[int], sink: Sink, names: dict[bytes, str]) -> AsyncIterator[RelayPort]:
        inner = Relay(brokers=brokers, sink=sink, schemas=schemas(), topic_names=names, capture=True)
        async with inner as relay:
            yield relay
            file = relay.captured()
            assert file is not None
            files.append(file("a real cell"))

    return lambda engine: replace(engine, open_relay=open_relay)


def play(
    items: Sequence[Planned],
    *,
    options: Options | None = None,
    change: Change = lambda engine: engine,
    argv: dict[Client, Callable[[tuple[str, ...]], tuple[str, ...]]] | None = None,
    meanwhile: Callable[[Tools], object] | None = None,
    attempts: int = 3,
) -> list[tuple[History, Verdict]]:
    """Run cells at the same time and judge them as if their control cells were clean.

    Trials in which the harness failed, as it can on a busy machine, are run again, as the pool does. Each gets its own
    number, so that a journal or a capture of all attempts tells their clients apart by client id.
    """
    engine = change(embedded_engine())
    bound, absent = get_clients([item.chosen for item in items], lambda _: None)
    if absent:
        pytest.fail(f"clients that are not available here: {absent}")
    for client, changed in (argv or {}).items():
        launch = bound[client].launch
        bound[client] = replace(bound[client], launch=replace(launch, argv=changed(launch.argv)))

    async def go() -> list[History]:
        starting = asyncio.Semaphore(6)
        async with live_tools(engine, bound) as tools:
            if meanwhile is not None:
                meanwhile(tools)
            work = [_run(item, tools, options or Options(seed=1), starting, attempts) for item in items]
            return list(await asyncio.gather(*work))

    histories = [replace(h, header=replace(h.header, steady=Outcome.CLEAN)) for h in asyncio.run(go())]
    return [(history, verdict.judge(history)) for history in histories]


async def _run(item: Planned, tools: Tools, options: Options, starting: asyncio.Semaphore, attempts: int) -> History:
    numbers = itertools.count()
    for left in reversed(range(attempts)):
        try:
            history = await run_trial(item, next(numbers), tools, options, starting)
        except YoungError:  # as in a run: a client that does not bear the harmless election is played without it
            history = await run_trial(item, next(numbers), tools, options, starting, young=True)
        if not left or (history.header.loop_lag_ms <= verdict.STALL_MS and not history.header.problems):
            break
    return history
