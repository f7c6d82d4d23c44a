"""Lines of every format that audit reads, given to a look-up as people paste them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.wiring.lookup_words import asked_client
from probe.errors import NothingJudgedError
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.inventory.entries import Place
from probe.inventory.paste_parser import pasted

FILE = Path(__file__).parents[1] / "data" / "pasted_lines.toml"
LINES: list[dict[str, Any]] = tomllib.loads(FILE.read_text())["line"]
HERE = Place("a test")


@pytest.mark.parametrize("line", LINES, ids=lambda one: f"{one['format']}: {one['text'][:40]!r}")
def test_a_line_names_its_client_or_the_reason_why_not(line: dict[str, Any]) -> None:
    found = pasted(line["text"], HERE)[0]
    if "client" in line:
        assert (found.selector, found.unknown) == (line["client"], "")
    else:
        assert line["unknown"] in found.unknown
        assert found.selector == ""


def test_there_are_a_hundred_lines() -> None:
    assert len(LINES) >= 100


ASKED = {
    "github.com/IBM/sarama@v1.43.2": "sarama@1.43.2",
    "confluent-kafka==2.3.0": "confluent-kafka@2.3.0",
    "@platformatic/kafka@2.12.1": "platformatic-kafka@2.12.1",
    "telegraf:1.29.5": "telegraf@1.29.5",
    "sarama@1.43.2": "sarama@1.43.2",
    "sarama": "sarama",
    "github.com/IBM/sarama": "sarama",
    "telegraf@latest": "telegraf@latest",
}


@pytest.mark.parametrize("text", ASKED)
def test_a_look_up_asks_about_what_was_pasted(text: str) -> None:
    assert asked_client(text) == ASKED[text]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kafkajs@^2.2.0", "is a range, which names no release; nearest is kafkajs@2.2.0"),
        ("telegraf:latest", "the tag latest names no release; nearest is telegraf@"),
        ("pykafka==2.8.0", "no client of this name is measured here; nearest is none"),
    ],
)
def test_a_text_without_a_release_says_what_is_nearest(text: str, says: str) -> None:
    with pytest.raises(NothingJudgedError, match="not known") as raised:
        asked_client(text)
    assert says in str(raised.value)


@pytest.mark.parametrize("line", LINES, ids=lambda one: f"{one['format']}: {one['text'][:40]!r}")
@pytest.mark.whole
def test_a_look_up_answers_a_line_or_says_what_is_nearest(line: dict[str, Any], tmp_path: Path) -> None:
    evidence = ["--evidence", str(built(TEXT)), "--max-age", "36500", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, ["lookup", "--scenario", "disk/storage-error", *evidence, "--", line["text"]])
    said = str(done.exception or "")
    if done.exit_code in {0, 1} and done.stdout:
        assert line.get("client", "").partition("@")[0] in done.stdout
    else:
        assert "nearest" in said or "measures it" in said, said
