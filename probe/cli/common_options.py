"""Options that look-ups share with runs, and those of evidence. They load nothing that a run needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from probe.cells.cli_hints import DEFAULT_FOLDER
from probe.cells.gate_words import GATES
from probe.errors import ProbeError
from probe.model import Engine, Role, Workload
from probe.model.release_lines import DEFAULT_LINE
from probe.runner.trial_limit import MOST

if TYPE_CHECKING:
    from probe.cells.audit_gate import Gates

RESULTS = DEFAULT_FOLDER
DEFAULT_BROKER = DEFAULT_LINE
MAX_AGE_DAYS = 180

Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        metavar="GLOB",
        help="Scenario name or pattern, such as 'disk/*'. May be repeated; `probe scenarios` lists the names.",
    ),
]
Roles = Annotated[
    list[Role] | None,
    typer.Option("--role", metavar="ROLE", help=f"One of {', '.join(Role)}. May be repeated; default: all."),
]
Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        metavar="WORKLOAD",
        help=f"What the application does: {', '.join(Workload)}, or all. May be repeated; default: continuous, "
        "and for patterns of scenarios also those of the default catalogue.",
    ),
]
WorkloadFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--workload", metavar="WORKLOAD", help=f"One of {', '.join(Workload)}. May be repeated; default: all."
    ),
]
EngineOption = Annotated[
    Engine,
    typer.Option("--engine", help="Brokers to test against: a fake cluster (embedded) or real Kafka brokers (kafka)."),
]
Results = Annotated[
    str, typer.Option("--results", metavar="FOLDER", help="Folder (or object-store URL) where runs are stored.")
]
BrokerLine = Annotated[str, typer.Option("--broker", metavar="LINE", help="Kafka line of the brokers.")]
Evidence = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        metavar="own|shipped|FILE|URL",
        help="Evidence to answer from: own results, what the package ships, a file, or a published site. May be "
        "repeated; default: own and shipped.",
    ),
]
MaxAge = Annotated[
    int,
    typer.Option(
        "--max-age",
        metavar="DAYS",
        min=0,
        help="Evidence older than this still shows that a client fails, but no longer that it passes.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        max=MOST,
        show_default="as many as cores, memory and open files allow",
        help="Maximum number of concurrent trials, not counting those that only wait for a timeout.",
    ),
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="LIST",
        help=f"Exit with code 1 if there is one of these: {', '.join(GATES)}. Separated by commas. stops, stalls, "
        "burdens and errors include what is graver (docs/harm.md); fails is any outcome that does not conform.",
    ),
]


def gates(text: str, *, scored_only: bool) -> Gates:
    """Return what the list of `--fail-on` names. ProbeError for a word that is none."""
    from probe.cells.audit_gate import gates_of  # noqa: PLC0415  # look-ups alone have gates

    found = gates_of([word for word in text.split(",") if word], scored_only=scored_only)
    if found is None:
        raise ProbeError(f"--fail-on {text}: these are not findings, separated by commas; known are {', '.join(GATES)}")
    return found
