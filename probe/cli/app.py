"""The `probe` command."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from probe import __version__
from probe.cli.console.failure import fail
from probe.cli.laboratory import LaboratoryError, is_missing, need_laboratory
from probe.cli.lazy_group import LazyGroup, collect_garbage
from probe.cli.wiring.signals import end_by_signal, handle_signals
from probe.errors import REFUSED, EndedError, ExhaustedError, ProbeError, reason_of
from probe.processes.resources import exhaustion, raise_file_limit

app = typer.Typer(
    name="probe",
    cls=LazyGroup,
    help="Does this Kafka client, in this version and configuration, find the new leader by itself?",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:  # typer's callback form
    if wanted:
        from probe.evidence.checkout_build import located  # noqa: PLC0415  # other commands do not need it
        from probe.files.shipped_evidence import shipped_digest  # noqa: PLC0415

        typer.echo(__version__)
        digest = shipped_digest(located())
        typer.echo(f"evidence sha256:{digest}" if digest else "no evidence is shipped")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def probe(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,  # noqa: ARG001
) -> None:
    """Drive real Kafka clients against brokers in fault states. Without a command: the core run, matrix and site."""
    if context.invoked_subcommand is None:
        collect_garbage()
        need_laboratory("the core run")
        from probe.cli.commands.run import core_run  # noqa: PLC0415  # `--help` and other commands do not need it

        core_run()


def main() -> None:
    """Run the command. Every expected failure is one line on stderr and an exit code (docs/operations.md)."""
    handle_signals()
    raise_file_limit()
    try:
        app()
    except EndedError as ended:
        end_by_signal(ended)
    except ProbeError as error:
        _end(error, ExhaustedError.exit_code if exhaustion(error) else error.exit_code)
    except ModuleNotFoundError as error:
        _end_without_laboratory(error)
        raise
    except OSError as error:
        if error.errno in REFUSED:
            where = f"{error.filename} cannot be written" if error.filename else "a file cannot be written"
            _end(
                OSError(f"{where}: {reason_of(error)}; free space or change the permissions, and repeat the command"), 3
            )
        _end_if_exhausted(error)
        raise
    except (MemoryError, RuntimeError) as error:  # Python raises RuntimeError if it cannot start a thread
        _end_if_exhausted(error)
        raise


def _end_if_exhausted(error: Exception) -> None:
    """End the command if a resource of this machine is exhausted; any other error is a bug in the probe."""
    if (own := exhaustion(error)) is not None:
        _end(own, own.exit_code)


def _end_without_laboratory(error: ModuleNotFoundError) -> None:
    """End the command if it imported a package of the laboratory in vain; any other error is a bug in the probe."""
    if is_missing(error):
        own = LaboratoryError("what was asked for", str(error.name))
        _end(own, own.exit_code)


def _end(error: Exception, code: int) -> NoReturn:
    fail(str(error))
    sys.exit(code)


if __name__ == "__main__":
    main()
