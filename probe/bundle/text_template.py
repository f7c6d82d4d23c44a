"""Templates of bundles: lines between `#: WORDS` marks, kept by tags, and `@NAME@` places.

`#: gone|cut leader` keeps the lines up to the next mark where one of `gone` and `cut` is a tag, and `leader`. After
`#: end` lines are always kept.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

MARK, END = "#:", "end"
PLACE = re.compile(r"@([A-Z][A-Z_]*)@")


def filled(template: str, tags: Collection[str], values: Mapping[str, str]) -> str:
    """Return the text of a template. KeyError for a place without a value. A line that is an empty value goes."""
    lines = (_line(line, values) for line in _kept(template, tags))
    return "".join(f"{line}\n" for line in lines if line is not None)


def _kept(template: str, tags: Collection[str]) -> Iterator[str]:
    keeps = True
    for line in template.splitlines():
        if line.startswith(MARK):
            words = line.removeprefix(MARK).split()
            keeps = words == [END] or all(any(one in tags for one in word.split("|")) for word in words)
        elif keeps:
            yield line


def _line(line: str, values: Mapping[str, str]) -> str | None:
    found = PLACE.sub(lambda place: values[place[1]], line)
    return None if line and not found.strip() else found
