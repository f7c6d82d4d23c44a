"""Options of the commands that compare two sides by trials."""

from __future__ import annotations

from typing import Annotated

import typer

from probe.cells.comparison import CHANCE

MOST = 100
"""Most trials a side that can be asked for."""
DecisiveTrials = Annotated[
    int,
    typer.Option(
        "--trials",
        metavar="N",
        min=CHANCE,
        max=MOST,
        help=f"Trials a side that decide where chance has a part; after {CHANCE} only where these come near an answer.",
    ),
]
