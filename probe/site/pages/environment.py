"""The template environment with its filters and globals; texts of clients and brokers are escaped."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from probe.model.outcomes import OUTCOMES
from probe.model.roles import ROLES
from probe.site.data.cell_index import setting, silent
from probe.site.data.outcome_signs import VERDICT_WORDS, harm_tone, row_tone, tone
from probe.site.data.page_names import client_slug, scenario_slug
from probe.site.data.wording import brief, command, duration, hint, often, recovery, trials
from probe.site.pages.cell_table import MANY_CELLS, WIDE_VERSIONS, cells
from probe.site.pages.survival import FATE_GLYPHS
from probe.site.pages.sweep_picture import FRAME
from probe.site.timeline.event_table import rows_html


@cache
def environment() -> Environment:
    """Return the template environment."""
    made = Environment(
        loader=PackageLoader("probe.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "breakable": breakable,
        "brief": brief,
        "cells": cells,
        "client_slug": client_slug,
        "duration": duration,
        "event_rows": lambda lines: Markup(rows_html(lines)),  # noqa: S704  # `rows_html` escapes the words
        "hint": hint,
        "often": often,
        "trials": trials,
        "recovery": recovery,
        "scenario_slug": scenario_slug,
        "plain": Markup,  # JSON of ours without `<`
        "svg": Markup,  # pictures consist of parts that `shapes` escapes
        "urlencode": urlencode,
    }
    made.globals |= {
        "FATE_GLYPHS": FATE_GLYPHS,
        "FRAME": FRAME,
        "MANY": MANY_CELLS,
        "WIDE": WIDE_VERSIONS,
        "ROLE_NAMES": {role: info.noun for role, info in ROLES.items()},
        "OUTCOMES": OUTCOMES,
        "WORDS": VERDICT_WORDS,
        "command": command,
        "harm_tone": harm_tone,
        "row_tone": row_tone,
        "setting": setting,
        "silent": silent,
        "tone": tone,
    }
    return made


def breakable(text: str) -> Markup:
    """Allow line breaks after a slash or an underscore."""
    return escape(text).replace("/", Markup("/<wbr>")).replace("_", Markup("_<wbr>"))
