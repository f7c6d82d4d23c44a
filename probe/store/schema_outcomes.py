"""Keep the lists of outcomes in hand-written schemas equal to the model, in any layout. Pure."""

from __future__ import annotations

import json
import re

from probe.model import Outcome

_ARRAY = re.compile(r'\[(?P<before>\s*)"\w+"(?:(?P<between>,\s*)(?:"\w+"|null))+(?P<after>\s*)\]')
_OUTCOMES = tuple(outcome.value for outcome in Outcome)


def with_outcomes(text: str) -> str:
    """Replace every list of outcomes in a schema by all outcomes; other words of such a list follow them."""
    return _ARRAY.sub(_completed, text)


def _completed(found: re.Match[str]) -> str:
    values = json.loads(found[0])
    others = [value for value in values if value not in _OUTCOMES]
    if len(values) - len(others) <= len(_OUTCOMES) // 2:  # another list that contains some of these words
        return found[0]
    words = found["between"].join(map(json.dumps, (*_OUTCOMES, *others)))
    return f"[{found['before']}{words}{found['after']}]"
