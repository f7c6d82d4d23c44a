"""`probe check-driver`: the promises of a program on lines of JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cli import common_options as o
from probe.cli.console.streams import OUT
from probe.cli.wiring.catalogue import PROGRAM, chosen_program
from probe.cli.wiring.driver_promises import Promise, promises
from probe.errors import GateError
from probe.model import Engine
from probe.model.counts import counted
from probe.model.engines import DEFAULT_ENGINE, ENGINES


def check_driver(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help="The program, such as ./my-driver.")],
    *,
    engine: o.EngineOption = DEFAULT_ENGINE,
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    results: o.Results = o.RESULTS,
) -> None:
    """Test a program on lines of JSON against its contract (docs/join.md); exit code 1 if it breaks a promise."""
    name = program.removeprefix(PROGRAM)
    chosen = chosen_program(f"{PROGRAM}{name}")
    OUT.print(f"{chosen.family.title} {chosen.client.version}: {', '.join(chosen.family.roles)}", markup=False)
    found = []
    for one in promises(chosen, results, engine, broker):
        found.append(one)
        OUT.print(f"{_state(one)} {one.text}{f': {one.seen}' if one.seen else ''}", markup=False)
    if broken := sum(not one.is_kept and not one.is_open for one in found):
        raise GateError(f"{program}: {counted(broken, 'promise')} broken; docs/join.md has the contract")
    real = f" --engine {Engine.KAFKA} --broker {broker}"
    if any(one.is_open for one in found):
        OUT.print(f"what is open needs real brokers: probe check-driver {program}{real}", markup=False)
        return
    where = real if ENGINES[engine].real else ""
    OUT.print(f"it can be played: probe run --client {PROGRAM}{name}{where}", markup=False)


def _state(one: Promise) -> str:
    return "open  " if one.is_open else "ok    " if one.is_kept else "BROKEN"
