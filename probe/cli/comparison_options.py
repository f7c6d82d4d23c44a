"""Options of the commands that compare two sides by trials."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cells.comparison import CHANCE

DecisiveTrials = Annotated[
    int,
    typer.Option(
        "--trials", metavar="N", min=CHANCE, max=100, help="Trials a side that decide where chance has a part."
    ),
]
