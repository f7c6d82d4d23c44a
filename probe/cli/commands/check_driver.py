"""`probe check-driver`: the promises of a program on lines of JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cli import common_options as o
from probe.cli.console.streams import OUT
from probe.cli.wiring.catalogue import PROGRAM, chosen_program
from probe.cli.wiring.driver_promises import promises
from probe.errors import GateError
from probe.model.counts import counted


def check_driver(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help="The program, such as ./my-driver.")],
    *,
    results: o.Results = o.RESULTS,
) -> None:
    """Test a program on lines of JSON against its contract (docs/join.md); exit code 1 if it breaks a promise."""
    chosen = chosen_program(f"{PROGRAM}{program.removeprefix(PROGRAM)}")
    OUT.print(f"{chosen.family.title} {chosen.client.version}: {', '.join(chosen.family.roles)}", markup=False)
    broken = 0
    for one in promises(chosen, results):
        seen = f": {one.seen}" if one.seen else ""
        OUT.print(f"{'ok    ' if one.is_kept else 'BROKEN'} {one.text}{seen}", markup=False)
        broken += not one.is_kept
    if broken:
        raise GateError(f"{program}: {counted(broken, 'promise')} broken; docs/join.md has the contract")
    OUT.print(f"it can be played: probe run --client {PROGRAM}{program.removeprefix(PROGRAM)}", markup=False)
