"""`probe site`: a web site of what evidence knows, without a run and without Spark."""

from __future__ import annotations

import signal
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import typer

from probe.catalogue.selectors import any_line
from probe.cli import common_options as o
from probe.cli.console.streams import say
from probe.cli.wiring import evidence as given
from probe.errors import EndedError, NothingJudgedError

LOOPBACK = "127.0.0.1"


def site(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the site; it is replaced.")],
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the site on a free port of 127.0.0.1 until interrupted.")
    ] = False,
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
) -> None:
    """Build a web site and a JSON API of what is known of every client, from evidence, without a run.

    A page per client version and per scenario; cells are rows, with their facts and the command that measures them
    anew. There are no timelines, since evidence has none.
    """
    from probe.cli.answers.client_aliases import aliases  # noqa: PLC0415  # `--help` needs no templates
    from probe.cli.answers.known_clients import known_clients  # noqa: PLC0415  # the same
    from probe.cli.wiring.catalogue import families  # noqa: PLC0415  # the same
    from probe.cli.wiring.costs import known_costs  # noqa: PLC0415  # the same
    from probe.site.known.build import build_known  # noqa: PLC0415  # the same
    from probe.site.pages.costs import cost_page  # noqa: PLC0415  # the same

    line = any_line(broker)
    with given.open_evidence(evidence, results, max_age) as found:
        if not found.names:
            raise NothingJudgedError("there is no such evidence; name a file of it, or `shipped`, with --evidence")
        about = " and ".join(f"{name} evidence" if name in given.DEFAULT else name for name in found.names)
        say(f"site: building {out} from {about}")
        costs = cost_page(known_costs(results), tuple(families().values()))
        index = build_known(known_clients(found, line), out, aliases(), about, costs)
    typer.echo(index)
    if serve:
        _serve(out)


class _Quiet(SimpleHTTPRequestHandler):
    """A handler that does not log requests."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name in http.server
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    """A server that says nothing of readers who hang up."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the traceback of an error, unless the connection has ended."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _serve(folder: Path) -> None:
    """Serve a folder on loopback until SIGINT. SIGTERM ends the command as everywhere."""
    with _Server((LOOPBACK, 0), partial(_Quiet, directory=str(folder))) as server:
        typer.echo(f"http://{LOOPBACK}:{server.server_port}/ (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except EndedError as ended:
            if ended.exit_code != EndedError(signal.SIGINT).exit_code:
                raise
