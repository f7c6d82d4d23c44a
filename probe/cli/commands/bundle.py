"""`probe bundle`: a cell as a folder that runs without this project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from probe.bundle.folder import Bundle
from probe.cli.console.streams import OUT
from probe.cli.wiring.bundles import bundle_of, bundled, check_releases
from probe.errors import ProbeError
from probe.files.atomic_writes import write_file


def bundle(
    cell: Annotated[
        str,
        typer.Argument(
            metavar="CELL",
            help="A known result, or a cell as 'sarama@VERSION producer disk/storage-error'.",
            show_default=False,
        ),
    ] = "",
    *,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="VERSION", help="The version that passes; default: the known result's."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The folder, which must not exist; default: a name of the cell."),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List the known results with a bundle, and why the others have none.")
    ] = False,
) -> None:
    """Write a folder that shows a cell without this project: fake brokers, a small client, two commands.

    One command fails on a version, the other passes on a better one; both are of its language (docs/bundle.md).
    """
    if listing:
        _list()
        return
    if not cell:
        raise ProbeError("bundle: no cell; `probe bundle --list` lists the known results with a bundle")
    made = bundle_of(cell, against)
    check_releases(made)
    folder = out or Path(_name(made))
    if folder.exists():
        raise ProbeError(f"{folder}: it exists; name another folder with --out")
    try:
        for place, text in made.files().items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            write_file(folder / place, text)
    except OSError as error:
        why = error.strerror or error
        raise ProbeError(f"{folder} cannot be written: {why}; name another folder with --out") from None
    OUT.print(f"{folder}: {', '.join(made.files())}", markup=False)
    for release, result in ((made.bad, "fails"), (made.good, "passes")):
        OUT.print(f"{result}: cd {folder} && {made.command(release)}", markup=False)


def _list() -> None:
    for known, made, reason in bundled():
        OUT.print(f"{known.id}: {f'{made.bad.version} -> {made.good.version}' if made else reason}", markup=False)


def _name(made: Bundle) -> str:
    scenario = re.sub(r"[^\w.-]+", "-", made.scenario)
    return f"bundle-{made.family}-{made.bad.version}-{made.role}-{scenario}"
