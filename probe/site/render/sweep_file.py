"""The picture of a sweep as an SVG file of its own."""

from __future__ import annotations

import re
from pathlib import Path

from probe.cells.sweeps import SweepResult
from probe.site.pages.environment import environment
from probe.site.pages.sweep_picture import picture

STYLE = Path(__file__).parents[1] / "static" / "sweep.css"
VARIABLE = re.compile(r"var\(--[a-z-]+, (#[0-9a-f]+)\)")
"""A colour of the site's style sheet, with the one of a picture that stands alone."""


def sweep_file(result: SweepResult) -> str:
    """Return a sweep as SVG with its style; it has a white ground."""
    style = VARIABLE.sub(r"\1", STYLE.read_text(encoding="utf-8"))
    return environment().get_template("sweep.svg").render(p=picture(result), id="sweep", style=style)
