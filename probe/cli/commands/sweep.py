"""`probe sweep`: recovery as a function of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from probe.catalogue.scenarios import select_scenarios
from probe.cells.cli_hints import in_folder
from probe.cells.sweeps import SweepResult
from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.answers.costs import measured_costs, show_costs, write_cost_csv, write_cost_svg
from probe.cli.console.skips import skipped
from probe.cli.console.streams import OUT, say
from probe.cli.console.sweep_table import sweep_lines
from probe.cli.wiring.execution import run_planned
from probe.cli.wiring.output_files import check_writable
from probe.cli.wiring.resumption import selected
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.selectors import clients_of
from probe.cli.wiring.sweeps import sweeps_of, write_csv, write_svg
from probe.errors import ProbeError
from probe.model import Role
from probe.model.cost import CostRun
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import ELECTION_KEY
from probe.model.scale import CLIENTS, MOST, PARTITIONS, Scale, is_axis, parse_scales
from probe.model.sweep import Sweep
from probe.planning.plan import Plan
from probe.runner import Options
from probe.store.costs import read_cost

COSTS_ONLY = (PARTITIONS, CLIENTS, "interval", "json_")
"""Options of sweeps of cost."""
RECOVERY_ONLY = ("trials", "jobs")
"""Options of sweeps of recovery: those of cost play one trial at a time and each point once."""
SHOWING = ("run", "results", "csv", "svg", "json_")
"""Options beside `--run`."""


def sweep(
    context: typer.Context,
    *,
    client: o.Clients = None,
    scenario: Annotated[
        str | None, typer.Option("--scenario", metavar="SCENARIO", help="Full name of one scenario.")
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="WHAT=A,B,...",
            help=f"What varies, with its values: {ELECTION_KEY}=0,100,250 (ms, embedded engine) or property:KEY=a,b,c. "
            "For costs (docs/cost.md) partitions=1,10,100, clients=1,10, late=0,100 (ms), admitted=0,20 (a second), "
            "or several of these.",
        ),
    ] = None,
    partitions: Annotated[
        int | None, typer.Option("--partitions", min=1, metavar="N", help="Costs: partitions that move at once.")
    ] = None,
    clients: Annotated[
        int | None, typer.Option("--clients", min=1, metavar="N", help="Costs: clients of each kind.")
    ] = None,
    interval: Annotated[
        int | None,
        typer.Option(
            "--interval", min=100, metavar="MS", help="Costs: interval between two records of a client to a partition."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Costs: print JSON instead of a table.")] = False,
    role: Annotated[Role, typer.Option("--role", help="Role of the client.")] = Role.PRODUCER,
    workload: common.Workloads = None,
    profile: o.Profiles = None,
    property_: o.Properties = None,
    engine: common.EngineOption = DEFAULT_ENGINE,
    broker: common.BrokerLine = common.DEFAULT_BROKER,
    election: o.ElectionOption = None,
    security: o.SecurityOption = None,
    rack: o.RackOption = None,
    trials: o.Trials = 5,
    seed: o.Seed = None,
    jobs: common.Jobs = None,
    results: common.Results = common.RESULTS,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN_ID", help="Show this stored sweep again; nothing is run.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the picture as SVG.")] = None,
    wait: o.Wait = 0.0,
) -> None:
    """Measure recovery as a function of an election or a setting, or the cost of a failover by partitions and clients.

    docs/cost.md has the costs.
    """
    for path in filter(None, (csv, svg)):
        check_writable(path)
    if run is None:
        name, varied = _asked(client, scenario, over)
        costs = any(map(is_axis, varied))
        _refuse_unused(context, RECOVERY_ONLY if costs else COSTS_ONLY, "costs" if costs else "recovery")
        asked = RunSelection(
            clients=clients_of(client),
            scenarios=[name],
            over=None if costs else _varied(varied),
            roles=[role],
            workloads=workload or (),
            profiles=profile or (),
            properties=property_ or (),
            engine=engine,
            brokers=[broker],
            election=o.parse_election(election),
            security=o.parse_security(security),
            rack=o.parse_rack(rack),
            trials=trials,
            seed=seed,
        )
        if costs:
            twice = [name for name in (PARTITIONS, CLIENTS) if _is_given(context, name) and _is_varied(name, varied)]
            if twice:
                raise ProbeError(f"--{twice[0]}: --over {twice[0]}=... has its values; leave one of the two out")
            scales = _scales(varied, Scale(partitions=partitions or 1, clients=clients or 1))
            _tell(measured_costs(asked, scales, interval, results, wait), results, csv, svg, as_json=json_)
            return
        run = _measured(asked, Options(jobs=jobs), results, wait)
    else:
        others = [name for name in context.params if name not in SHOWING and _is_given(context, name)]
        if others:
            raise ProbeError(f"--run {run}: nothing is run, so --{others[0].rstrip('_')} says nothing; leave it out")
        if (stored := read_cost(results, run)) is not None:
            _tell(stored, results, csv, svg, as_json=json_)
            return
        _refuse_unused(context, COSTS_ONLY, "recovery")
    _show(sweeps_of(results, run), results, csv, svg)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _is_varied(name: str, varied: Sequence[str]) -> bool:
    return any(text.partition("=")[0] == name for text in varied)


def _refuse_unused(context: typer.Context, names: Sequence[str], what: str) -> None:
    """Raise ProbeError for an option that a sweep of this kind does not look at."""
    if used := [name for name in names if _is_given(context, name)]:
        raise ProbeError(f"--{used[0].rstrip('_')}: a sweep of {what} has no use for it; leave it out")


def _tell(run: CostRun, results: str, csv: Path | None, svg: Path | None, *, as_json: bool) -> None:
    show_costs(run, results, as_json=as_json)
    if csv is not None:
        write_cost_csv(run, csv)
    if svg is not None:
        write_cost_svg(run, svg)


def _measured(asked: RunSelection, options: Options, results: str, wait_s: float) -> str:
    """Run a sweep and return the id of its run."""
    plan, selection = asked.whole(results)
    if asked.over is not None and not asked.over.key:
        _need_an_election(plan, asked.scenarios[0])
    for line in skipped(plan, selection):
        say(line)
    return run_planned(plan, selection, options, results, None, selected(asked, None), wait_s).run_id


def _need_an_election(plan: Plan, scenario: str) -> None:
    """Raise ProbeError if the scenario has no election, or one of its own length: a sweep would show nothing."""
    if all(item.expectation.election_ms is None for item in plan.cells if not item.is_control):
        raise ProbeError(f"sweep {scenario}: the duration of its election cannot be set; in disk/storage-error it can")


def _asked(clients: list[str] | None, scenario: str | None, over: list[str] | None) -> tuple[str, list[str]]:
    """Return the name of the one scenario, and what varies. ProbeError if something is missing."""
    given = {"--client": clients, "--scenario": scenario, "--over": over}
    missing = [option for option, value in given.items() if not value]
    if scenario is None or not over or missing:
        raise ProbeError(f"sweep: {' and '.join(missing)} missing; --run RUN_ID alone shows a stored sweep")
    names = [found.name for found in select_scenarios([scenario])]
    if len(names) != 1:
        raise ProbeError(
            f"sweep {scenario}: {len(names)} scenarios match, such as {names[0]}; give the full name of one"
        )
    return names[0], over


def _show(found: Sequence[SweepResult], results: str, csv: Path | None, svg: Path | None) -> None:
    for line in chain.from_iterable(map(sweep_lines, found)):
        OUT.print(line, markup=False)
    if csv is not None:
        write_csv(found, csv)
    if svg is not None:
        write_svg(found, svg)
    OUT.print(f"again, without a run: probe sweep --run {found[0].run_id}{in_folder(results)}", markup=False)


def _scales(texts: list[str], base: Scale) -> tuple[Scale, ...]:
    """Parse the axes of a sweep of cost. ProbeError for anything else."""
    try:
        return parse_scales(texts, base)
    except ValueError as error:
        raise ProbeError(f"--over {' --over '.join(texts)}: {error}") from None


def _varied(texts: list[str]) -> Sweep:
    """Parse what a sweep varies. ProbeError for anything else."""
    if len(texts) > 1:
        raise ProbeError(f"--over {texts[1]}: a sweep of recovery has one --over; those of costs may have several")
    text = texts[0]
    try:
        return Sweep.parse(text)
    except ValueError as error:
        raise ProbeError(
            f"--over {text}: {error}; write {ELECTION_KEY}=0,100,250 (milliseconds), property:KEY=a,b,c, or "
            f"{', '.join(f'{name}=a,b,c' for name in MOST)}"
        ) from None
