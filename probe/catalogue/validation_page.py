"""Renders the predictions as docs/validation.md: `python -m probe.catalogue.validation_page`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from probe.catalogue.families import read_families
from probe.catalogue.predictions import Prediction, PredictionGroup, Result, read_predictions

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "validation.md"
CLIENTS = ROOT / "clients"
HEAD = """# Validation: predictions from source

Generated from `docs/predictions`; do not edit. `python -m probe.catalogue.validation_page` updates it.

What a cell must show was read in the client's source and written down before the cell was run. A prediction is not
changed afterwards, and what came stands beside it. *Missed*: the outcome or a stated number was another one, by the
fault of the reading, of chance or of the laboratory; smaller differences of predictions that held stand in their rows.
How wrong cells were found otherwise: [checked_cells.md](checked_cells.md). The rules: [verdicts.md](verdicts.md).
"""
FAMILIES = """## By family
A prediction about several families counts for each.
"""
GROUPS = """## By group
Each file has the sources and versions that were read, each cell with what the source says, what was predicted and what
was measured, and the reason of each difference.
"""
PLAYED = (Result.HELD, Result.DIFFERED)


def render() -> str:
    """Return the whole page."""
    groups = read_predictions()
    rows = [row for group in groups.values() for row in group.predictions]
    return "\n".join([HEAD, _sum(rows), _by_family(rows), _by_group(groups)])


def _sum(rows: Iterable[Prediction]) -> str:
    counts = Counter(row.result for row in rows)
    held, missed = (counts[result] for result in PLAYED)
    others = ", ".join(f"{counts[result]} {result}" for result in Result if result not in PLAYED and counts[result])
    share = 100 * held / (held + missed)
    return f"**{held + missed} predictions were played: {held} held ({share:.0f} %), {missed} missed.** {others}.\n"


def _by_family(rows: Iterable[Prediction]) -> str:
    counts = Counter((family, row.result) for row in rows for family in row.families)
    names = {family.family: family.title for family in read_families(CLIENTS).values()}
    lines = [
        f"| {names[family]} | {_numbers(counts[family, Result.HELD], counts[family, Result.DIFFERED])} |"
        for family in sorted({family for family, _ in counts}, key=lambda family: names[family].casefold())
    ]
    return "\n".join([FAMILIES, _head("family"), *lines, ""])


def _by_group(groups: Mapping[str, PredictionGroup]) -> str:
    lines = [f"| [{group.title}](predictions/{name}.toml) | {_numbers_of(group)} |" for name, group in groups.items()]
    return "\n".join([GROUPS, _head("group"), *lines, ""])


def _head(what: str) -> str:
    return f"| {what} | played | held | missed |\n|---|---|---|---|"


def _numbers_of(group: PredictionGroup) -> str:
    counts = Counter(row.result for row in group.predictions)
    return _numbers(counts[Result.HELD], counts[Result.DIFFERED])


def _numbers(held: int, missed: int) -> str:
    return f"{held + missed} | {held} | {missed}"


if __name__ == "__main__":
    PAGE.write_text(render())
    sys.stdout.write(f"{PAGE.name} written\n")
