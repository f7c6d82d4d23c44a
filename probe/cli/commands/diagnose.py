"""`probe diagnose`: which clients of a capture or a request log are stuck, and what helps them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from probe.cli import common_options as o
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.cli.console.reading_progress import ReadingProgress
from probe.cli.console.streams import say
from probe.cli.laboratory import need_laboratory
from probe.cli.wiring.diagnosis import STDIN, advices, diagnose_files, readable
from probe.cli.wiring.signals import interrupt_ends_input
from probe.diagnose.advice import Advice
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import BAD, NOW, ClientFinding, Status
from probe.diagnose.input.flows import ENCRYPTED
from probe.diagnose.input.log_zone import parse_zone
from probe.diagnose.names import anonymous
from probe.diagnose.report import AT, lines
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.model.counts import counted
from probe.model.safe_text import visible

TIMELINES = 30
"""Most timelines of a page."""


def diagnose(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...|-",
            help="Captures (pcap, pcapng) and request logs of brokers, analysed together; - reads a capture from "
            "standard input (docs/diagnose.md).",
        ),
    ],
    *,
    everything: Annotated[bool, typer.Option("--all", help="List every client and every object.")] = False,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/diagnose.json).")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write one page with timelines.")
    ] = None,
    anonymize: Annotated[
        bool,
        typer.Option("--anonymize", help="Number addresses, client ids, topics, groups and files, without names."),
    ] = False,
    log_zone: Annotated[
        str | None,
        typer.Option(
            "--log-zone",
            metavar="ZONE",
            help="Time zone of request logs whose time stamps name none, such as Europe/Berlin or +02:00.",
        ),
    ] = None,
    keylog: Annotated[
        Path | None,
        typer.Option(
            "--keylog",
            metavar="FILE",
            help="Keys of the captures' TLS connections (NSS key log); tshark reads them (docs/diagnose.md).",
        ),
    ] = None,
    now: Annotated[
        bool, typer.Option("--now", help="Exit code 1 only for clients that are stuck, or storm, at the end.")
    ] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
) -> None:
    """Find the clients that are stuck in captures and request logs; exit code 1 if there are."""
    if html is not None:
        need_laboratory("--html")
    zone = None if log_zone is None else parse_zone(log_zone)
    there = readable(paths)
    named = there.problems if there.paths else there.problems[:-1]
    for problem in named:
        say(visible(problem))
    if not there.paths:
        raise ProbeError(visible(there.problems[-1]))
    waiting = interrupt_ends_input() if STDIN in there.paths else nullcontext()
    with _readable(there.paths, keylog) as names, ReadingProgress() as progress, waiting:
        found = diagnose_files(tuple(names), progress, 0 if html is None else TIMELINES, zone, names)
    advised = advices(found, evidence, results, max_age)
    shown, advised = _named(found, advised, anonymize=anonymize)
    if html is not None:
        _write_page(html, shown, advised)
    if json_out:
        from probe.diagnose.report_json import as_json  # noqa: PLC0415  # only --json needs it

        typer.echo(as_json(shown, advised), nl=False)
    else:
        columns = terminal_columns()
        for text in lines(shown, advised, everything=everything):
            for line in wrapped(text, columns, AT):
                typer.echo(line)
    _check(shown, there.problems, NOW if now else BAD)


@contextmanager
def _readable(paths: Sequence[str], keylog: Path | None) -> Iterator[Mapping[str, str]]:
    """Yield the files to read, by path, each with the name that it was given; decrypted ones with a key log."""
    if keylog is None:
        yield dict.fromkeys(paths, "")
        return
    from probe.cli.wiring.decryption import decrypted  # noqa: PLC0415  # only --keylog needs it

    with decrypted(paths, keylog) as (names, said):
        for line in said:
            say(visible(line))
        yield names


def _named(
    found: Diagnosis, advised: Sequence[tuple[ClientFinding, Advice]], *, anonymize: bool
) -> tuple[Diagnosis, list[tuple[ClientFinding, Advice]]]:
    """Return what is shown, without names if that is wanted."""
    if not anonymize:
        return found, list(advised)
    shown = anonymous(found)
    renamed = {old.key: new for old, new in zip(found.clients, shown.clients, strict=True)}
    return shown, [(replace(renamed[one.key]), advice) for one, advice in advised]


def _write_page(path: Path, found: Diagnosis, advised: Sequence[tuple[ClientFinding, Advice]]) -> None:
    from probe.files.atomic_writes import write_file  # noqa: PLC0415  # only --html needs them
    from probe.site.render.diagnosis_page import page  # noqa: PLC0415

    write_file(path, page(found, advised))
    say(f"{path} is written")


def _check(found: Diagnosis, problems: Sequence[str], counted_as_bad: Collection[Status]) -> None:
    """End with code 1 for a client whose status counts as bad; else 2 for an unreadable file; else 3 for no answer."""
    bad = [one for one in found.clients if one.status in counted_as_bad]
    if bad:
        first = visible(f"{bad[0].key.address} {bad[0].key.client_id}")
        raise GateError(f"{len(bad)} of {len(found.clients)} clients {_worst(bad)}: {first}")
    if problems:
        raise ProbeError(f"{counted(len(problems), 'file')} could not be read, named above; the others are reported")
    if not found.clients:
        raise NothingJudgedError(_no_client(found))
    if all(one.status is Status.UNKNOWN for one in found.clients):
        raise NothingJudgedError(f"nothing is known of any client: {visible(found.clients[0].reason)}")


def _worst(bad: Sequence[ClientFinding]) -> str:
    """Return what is said of clients that are, or were, in trouble, in words."""
    words = {
        "are stuck or storm": {Status.STUCK, Status.STORMS},
        "were stuck": {Status.WAS_STUCK},
        "are not let in": {Status.REFUSED, Status.MISMATCH},
    }
    return " or ".join(text for text, some in words.items() if any(one.status in some for one in bad))


def _no_client(found: Diagnosis) -> str:
    """Return why there is no client, and the way out."""
    if any(one.reason == ENCRYPTED for one in found.left):
        return "what could be Kafka is encrypted; name its keys (--keylog), or record request logs (docs/diagnose.md)"
    return "no client of Kafka is in there; docs/diagnose.md says what to record"
