"""The `probe` command."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated, NoReturn

import typer

from probe import __version__
from probe.catalogue.families import CatalogueError
from probe.cli import advise, audit, bisect, diff, doctor, judge, lists, matrix, plan, prune, run, show, verify
from probe.cli.console import fail
from probe.cli.options import RESULTS
from probe.cli.run import core_run
from probe.cli.signals import heed
from probe.drivers.launch import ProvisionError
from probe.errors import EndedError, ProbeError
from probe.model.results import REFUSED, ResultsError, reason_of
from probe.site import SiteError
from probe.tools import ToolError

app = typer.Typer(
    name="probe",
    help="Does this Kafka client, in this version and configuration, find the new leader by itself?",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(run.run)
app.command("plan")(plan.plan)
app.command("show")(show.show)
app.command("matrix")(matrix.matrix)
app.command("advise")(advise.advise)
app.command("audit")(audit.audit)
app.command("bisect")(bisect.bisect)
app.command("verify")(verify.verify)
app.command("judge")(judge.judge)
app.command("prune")(prune.prune)
app.command("diff")(diff.diff)
app.command("clients")(lists.clients)
app.command("scenarios")(lists.scenarios)
app.command("doctor")(doctor.doctor)


def _version(wanted: bool) -> None:  # typer's callback form
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def probe(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,  # noqa: ARG001
) -> None:
    """Drive real Kafka clients against brokers in fault states. Without a command: the core run, matrix and site."""
    if context.invoked_subcommand is None:
        core_run(RESULTS)


def main() -> None:
    """Run the command; every expected failure is one line on stderr and an exit code of DESIGN 8."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    heed()
    try:
        app()
    except EndedError as ended:
        fail("ended by a signal; what was stored is kept, what stood still stands, and the same command begins again")
        sys.stdout.flush()
        os._exit(ended.exit_code)  # threads that obtain clients or start Spark would be waited for
    except ProbeError as error:
        _end(error, error.exit_code)
    except (CatalogueError, ProvisionError, ToolError) as error:
        _end(error, 2)
    except (ResultsError, SiteError) as error:
        _end(error, 3)
    except OSError as error:
        if error.errno not in REFUSED:
            raise
        where = f"{error.filename} cannot be written" if error.filename else "a file cannot be written"
        _end(OSError(f"{where}: {reason_of(error)}; free the place, or open it, and repeat the command"), 3)


def _end(error: Exception, code: int) -> NoReturn:
    fail(str(error))
    sys.exit(code)


if __name__ == "__main__":
    main()
