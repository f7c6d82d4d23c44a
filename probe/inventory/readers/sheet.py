"""A sheet with a header, any delimiter, and a column of clients; the accepted names are in `columns.WORDS`."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping

from probe.inventory.columns import delimiter_of, header_words
from probe.inventory.document import Document
from probe.inventory.entries import Found
from probe.inventory.rows import found_in


def read(document: Document) -> Iterator[Found]:
    """Yield the client of each row."""
    yield from found_in(_rows(document.text().splitlines(keepends=True)), document)


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    kept = [(number, line) for number, line in enumerate(lines, 1) if line.strip()[:1] not in {"", "#"}]
    header = kept[0][1].strip()
    delimiter = delimiter_of(header)
    words = header_words(header, delimiter)
    reader = csv.reader((line for _, line in kept[1:]), delimiter=delimiter)
    for row in reader:
        values: dict[str, str] = {}
        for word, value in zip(words, row, strict=False):
            values[word] = values.get(word) or value
        yield kept[reader.line_num][0], values
