"""Plain words in prose, and references that have a target."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.prose import COUNTS, FREE, OPENINGS, ROOT, WORDS, Piece, avoided, counts, files, openings, prose

ALLOWED: dict[tuple[str, str], str] = {}
"""(file, word): the reason for the exception."""
PAGES = [Path(name) for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")]
CITED = re.compile(r"(?:docs/)?(\w+\.md)#([\w-]+)")
RETIRED_DOCUMENTS = re.compile(r"\b(?:SEMANTICS|DESIGN) ?\d|\b(?:SEMANTICS|DESIGN)\.md|\bof SEMANTICS\b")


def pages() -> list[Path]:
    return [*PAGES, *(path for path in files() if path.parts[0] == "docs" and path.suffix == ".md")]


@cache
def slugs(page: str) -> set[str]:
    """Return the anchors that GitHub makes of the headings of a page."""
    text = re.sub(r"^```.*?^```", "", (ROOT / "docs" / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def found_in(path: Path, pieces: list[Piece]) -> list[str]:
    return [
        f"{path}:{piece.line}: {word}"
        for piece in pieces
        for word in avoided(piece)
        if (str(path), word) not in ALLOWED
    ]


@pytest.mark.parametrize("path", pages(), ids=str)
def test_documents_use_plain_words(path: Path) -> None:
    assert found_in(path, prose(path)) == []


def test_help_texts_and_messages_use_plain_words() -> None:
    found = []
    for path in files():
        if path.suffix == ".py" and path.parts[0] in {"probe", "spark", "run.py", "clients"}:
            commands = path.parts[:2] == ("probe", "cli")
            kinds = {"message", "docstring"} if commands else {"message"}
            found += found_in(path, [piece for piece in prose(path) if piece.kind in kinds])
    assert found == []


def test_counts_only_fall() -> None:
    """`python -m tests.support.prose` lowers the counts; they must not rise."""
    before, now = json.loads(COUNTS.read_text()), counts()
    assert {path: number for path, number in now.items() if number > before.get(path, 0)} == {}
    assert now == before, "the stored counts are too high; run python -m tests.support.prose"


def test_docstrings_without_a_noun_only_become_fewer() -> None:
    """A docstring begins with a noun or a verb; `python -m tests.support.prose` lowers the counts."""
    before, now = json.loads(OPENINGS.read_text()), openings()
    assert {path: number for path, number in now.items() if number > before.get(path, 0)} == {}
    assert now == before, "the stored counts are too high; run python -m tests.support.prose"


def test_free_openings_are_found() -> None:
    free = ("What trials sent.", "How sure it is.", "Whose it is.", "\n    Where it lies.")
    assert [text for text in free if FREE.match(text)] == list(free)
    assert [text for text in ("Whatever is sent.", "Say how sure it is.", "The place.") if FREE.match(text)] == []


def test_nine_of_ten_files_have_no_avoided_words() -> None:
    assert len(counts()) <= len(files()) / 10


def test_avoided_words_are_found() -> None:
    assert avoided(Piece(1, "comment", " ".join(WORDS).upper().replace(" ", "  "))) == list(WORDS)
    assert avoided(Piece(1, "comment", "retold, sold, as long as")) == []


def test_every_anchor_has_a_heading() -> None:
    lost = []
    for path in files():
        for page, anchor in CITED.findall((ROOT / path).read_text(errors="replace")):
            if not (ROOT / "docs" / page).is_file() or anchor not in slugs(page):
                lost.append(f"{path}: {page}#{anchor}")
    assert lost == []


def test_every_link_between_documents_has_a_target() -> None:
    lost = []
    for path in pages():
        text = re.sub(r"`[^`]*`", "", (ROOT / path).read_text())
        targets = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
        lost += [f"{path}: {target}" for target in targets if not (ROOT / path.parent / target).exists()]
    assert lost == []


def test_no_retired_document_is_cited() -> None:
    here = Path(__file__).resolve()
    citing = [str(path) for path in files() if RETIRED_DOCUMENTS.search((ROOT / path).read_text(errors="replace"))]
    assert [path for path in citing if (ROOT / path).resolve() != here] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_the_notes_of_a_release_are_short() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert max(len(part.splitlines()) for part in re.split(r"^## ", text, flags=re.MULTILINE)) <= 60


@pytest.mark.parametrize("path", [path for path in pages() if path.name != "scenarios.md"], ids=str)
def test_lines_of_documents_are_short(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / path).read_text(), flags=re.DOTALL | re.MULTILINE)
    long = [line for line in text.splitlines() if len(line) > 160 and not line.lstrip().startswith("|")]
    assert long == []
