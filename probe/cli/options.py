"""Options of commands that run, plan or compare trials."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.errors import ProbeError
from probe.model import Election
from probe.model.rack import Rack
from probe.model.security import Security
from probe.planning.selection import LongWatches

Clients = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        metavar="CLIENT",
        help="Client to select: FAMILY, FAMILY@VERSION, FAMILY@latest, FAMILY@all (listed versions), FAMILY@released "
        "(all that its registry serves), 'FAMILY@>=1.2,<2', FAMILY@path:PLACE (your own build), APPLICATION@VERSION, "
        "or all. May be repeated; default: the core versions.",
    ),
]
Profiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        metavar="PROFILE",
        help="Client configuration by name (`probe clients` lists them). May be repeated; default: isolated, or "
        "the scenario's own.",
    ),
]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property", metavar="KEY=VALUE", help="Client setting, with the library's own key. May be repeated."
    ),
]
Brokers = Annotated[
    list[str] | None,
    typer.Option(
        "--broker",
        metavar="VERSION",
        help="Kafka broker line (3.9) or exact version. May be repeated.",
    ),
]
Trials = Annotated[int, typer.Option("--trials", min=1, max=1000, metavar="N", help="Number of trials per cell.")]
ElectionOption = Annotated[
    str | None,
    typer.Option(
        "--election",
        metavar="MS[,MS]",
        help="Duration of a leader election on the embedded engine, in ms; after the comma, how much later the other "
        "brokers report the new leader (default: 0).",
    ),
]
SecurityOption = Annotated[
    str | None,
    typer.Option(
        "--security",
        metavar="PROTOCOL[/MECHANISM]",
        help="Security of the brokers' listener by Kafka's names, such as SSL or SASL_SSL/SCRAM-SHA-512; default: none "
        "(docs/security.md).",
    ),
]
RackOption = Annotated[
    str | None,
    typer.Option(
        "--rack",
        metavar="WHOSE",
        help="Brokers have racks, and the client is in that of a `follower`, which serves it (KIP-392, "
        "docs/followers.md).",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Random seed, to repeat a run; default: random, stored with the run."),
]
Shard = Annotated[
    str, typer.Option("--shard", metavar="I/N", help="Run only part I of N, to share a run between machines.")
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="LIST",
        help="Exit with code 1 if a cell has one of these outcomes; `nonconforming` and `worse` (than in earlier "
        "runs) are accepted, too. Separated by commas.",
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait", metavar="SECONDS", min=0, max=86400, help="Time to wait for another probe that uses the same folder."
    ),
]
TimeBudget = Annotated[
    float | None,
    typer.Option(
        "--time-budget",
        metavar="SECONDS",
        min=1,
        help="Stop after this time. The most informative cells run first, and the next run continues with the rest.",
    ),
]
RepeatBudget = Annotated[
    float | None,
    typer.Option(
        "--repeat-budget",
        metavar="SECONDS",
        min=0,
        help="Time by which further trials, where chance may decide, lengthen the run at most; default: a tenth of it.",
    ),
]
Watch = Annotated[
    float | None,
    typer.Option(
        "--watch",
        metavar="SECONDS",
        min=0.5,
        help="Observe each client for at most this time after the fault. Such trials do not enter the matrix.",
    ),
]


BaselineOption = Annotated[
    bool,
    typer.Option(
        "--baseline",
        help="Only the scenarios of Failover Baseline 2026, in the roles in which they are scored (docs/baseline.md).",
    ),
]
Long = Annotated[
    LongWatches,
    typer.Option(
        "--long-watches",
        help="Versions that run scenarios of a minute or more: all, or core versions and the newest of each line.",
    ),
]


def parse_election(text: str | None) -> Election | None:
    """Parse `MS` or `MS,MS`; None for no text. ProbeError for anything else."""
    try:
        return None if text is None else Election.parse(text)
    except ValueError:
        raise ProbeError(
            f"--election {text}: write the milliseconds from the first failed request to the new leader, such as 250; "
            "if the other brokers report it later, add by how much, such as 250,400; at most 60000 each"
        ) from None


def parse_security(text: str | None) -> Security | None:
    """Parse `PROTOCOL[/MECHANISM]`; None for no text. ProbeError for anything else."""
    try:
        return None if text is None else Security.parse(text)
    except ValueError as error:
        raise ProbeError(f"--security {text}: {error}") from None


def parse_rack(text: str | None) -> Rack | None:
    """Parse whose rack the client is in; None for no text. ProbeError for anything else."""
    try:
        return None if text is None else Rack.parse(text)
    except ValueError as error:
        raise ProbeError(f"--rack {text}: {error}") from None
