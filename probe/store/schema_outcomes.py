"""The list of outcomes in schemas that are written by hand: kept as the model has it, whatever the layout. Pure."""

from __future__ import annotations

import json
import re

from probe.model import Outcome

_ARRAY = re.compile(r'\[(?P<before>\s*)"\w+"(?:(?P<between>,\s*)(?:"\w+"|null))+(?P<after>\s*)\]')
_OUTCOMES = tuple(outcome.value for outcome in Outcome)


def with_outcomes(text: str) -> str:
    """Replace every list of outcomes in a schema by all outcomes; what else such a list has stays behind them."""
    return _ARRAY.sub(_completed, text)


def _completed(found: re.Match[str]) -> str:
    values = json.loads(found[0])
    others = [value for value in values if value not in _OUTCOMES]
    if len(values) - len(others) <= len(_OUTCOMES) // 2:  # words that happen to be outcomes, too
        return found[0]
    words = found["between"].join(map(json.dumps, (*_OUTCOMES, *others)))
    return f"[{found['before']}{words}{found['after']}]"
