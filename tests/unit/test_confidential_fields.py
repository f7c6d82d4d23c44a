"""Payloads and credentials: in no stored capture, and in no output of a diagnosis."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.model import Event, Request, Response
from probe.protocol.confidential_fields import confidential, has_confidential
from probe.relay.capture import Capture
from probe.relay.redaction import Plans, blanked
from tests.support.confidential_talks import (
    ANSWER,
    ASK,
    ENCODINGS,
    MARK,
    SECRET,
    TALKS,
    Message,
    batch,
    marked,
    message,
    packets_of,
    produce,
)
from tests.support.inputs import read
from tests.support.inventories import SAMPLES
from tests.support.packets import Talk, pcap
from tests.support.packets import produce as written
from tests.support.packets import produced as answered
from tests.support.protocol_wire import encode, framed, schemas

STORAGE_ERROR = 56


def captured(said: Sequence[Message], size: int) -> bytes:
    """Return the file that `--capture` stores of a connection whose bytes pass in parts of a size."""
    capture = Capture(schemas())
    tape = capture.begin(1, 1, 40_000)
    tape.opened = 1
    for at, (side, data) in enumerate(said, 2):
        for begin in range(0, len(data), size):
            capture.take(tape, at, side, data[begin : begin + size])
    return capture.hand_out()("a test")


def search(text: str | bytes) -> None:
    shown = text.decode("latin-1") if isinstance(text, bytes) else text
    for form in ENCODINGS:
        assert form not in shown, shown[max(0, shown.index(form) - 200) : shown.index(form) + 50]


@pytest.mark.parametrize("size", [5, 1000])
@pytest.mark.parametrize("name", TALKS)
def test_a_stored_capture_has_no_payloads_and_no_credentials(name: str, size: int) -> None:
    said = TALKS[name]
    assert any(SECRET in data for _, data in said), "the sample has no mark"
    file = captured(said, size)
    search(file)
    assert sum(len(data) for _, data in said) < len(file)


@pytest.mark.parametrize("stop", range(1, 12))
def test_a_frame_that_was_cut_off_keeps_nothing_of_them(stop: int) -> None:
    for said in TALKS.values():
        for cut in range(len(said)):
            side, data = said[cut]
            part = [*said[:cut], (side, data[: len(data) * stop // 12])]
            search(b"".join(data for _, _, data in blanked([(0, *one) for one in part], Plans(schemas()))))


def test_no_version_of_any_message_keeps_a_marked_field() -> None:
    known, seen = schemas(), 0
    for api, version, kind in known.pairs():
        plan = known.layout(api, version, kind)
        assert plan is not None
        body = encode(plan, marked(plan.items))
        found = confidential(plan, body, 0, len(body))
        assert found.stop == len(body), (api, version, kind)
        clean = bytearray(body)
        for low, high in found.spans:
            clean[low:high] = bytes(high - low)
        search(bytes(clean))
        assert (SECRET in body) == has_confidential(plan), (api, version, kind)
        seen += SECRET in body
    assert seen > 100


def test_what_is_not_confidential_stays() -> None:
    said = [*TALKS["SCRAM without headers"], *produce(9, batch())]
    kept = blanked([(0, *one) for one in said], Plans(schemas()))
    assert [len(data) for _, _, data in kept] == [len(data) for _, data in said]
    assert [data for _, _, data in kept[:2]] == [data for _, data in said[:2]]
    assert [data for _, _, data in kept[6:8]] == [data for _, data in said[6:8]]
    wanted = produce(9, batch())[0][1]
    shown = kept[8][2]
    assert shown[: wanted.index(batch())] == wanted[: wanted.index(batch())]
    head = wanted.index(batch())
    assert (shown[head : head + 17], shown[head + 21 : head + 61]) == (batch()[:17], batch()[21:61])


@pytest.mark.parametrize("records", [batch() * 2, message(1), message(0)], ids=["batches", "second", "first"])
def test_a_stored_capture_gives_the_events_of_the_bytes_that_passed(records: bytes, tmp_path: Path) -> None:
    said = [*TALKS["PLAIN"], *produce(3, records), *TALKS["SCRAM without headers"]]
    stored, passed = tmp_path / "stored.pcapng", tmp_path / "passed.pcap"
    stored.write_bytes(captured(said, 100))
    passed.write_bytes(pcap(packets_of(said)))
    assert timeless(read(stored).events) == timeless(read(passed).events)
    (mine,), (theirs,) = read(stored).handshakes.values(), read(passed).handshakes.values()
    assert mine == replace(theirs, conn=mine.conn, broker=mine.broker)


def timeless(events: Sequence[Event]) -> list[Event]:
    return [
        replace(event, at=0, sent_at=0) if isinstance(event, Response) else replace(event, at=0)
        for event in events
        if isinstance(event, Request | Response)
    ]


def stuck_beside_secrets(folder: Path) -> list[Path]:
    """Write captures: a client that is stuck, whose connections carry all samples first, and each sample alone."""
    paths = []
    for number, said in enumerate([[], *TALKS.values()]):
        talk = Talk(client=("10.0.0.7", 41_000 + number)).open()
        for side, data in said:
            (talk.ask if side == ASK else talk.answer)(data)
        for corr in range(100, 160):
            talk.ask(written(corr, batch()))
            talk.at += 200_000
            talk.answer(answered(corr, STORAGE_ERROR))
        path = folder / f"{number}.pcap"
        path.write_bytes(pcap(talk.packets))
        paths.append(path)
    return paths


def marked_log(folder: Path) -> Path:
    """Write a request log with lines that hold what a broker may log, and lines that cannot be read."""
    good = (SAMPLES / "request-4.3.1.log").read_text()
    line = next(one for one in good.splitlines() if '"requestApiKeyName":"METADATA"' in one)
    head, _, tail = line.partition('"request":')
    after = tail[tail.index(',"response":') :]
    bodies = [
        {"authBytes": ENCODINGS[1]},
        {"resources": [{"configs": [{"name": "password", "value": MARK}]}]},
        {"topics": [{"name": "orders", "records": MARK}], "hmac": ENCODINGS[1]},
    ]
    lines = [f'{head}"request":{json.dumps(body)}{after}' for body in bodies]
    text = (SAMPLES / "request-2.6.2.log").read_text()
    old = next(one for one in text.splitlines() if "apiKey=METADATA" in one)
    lines += [old.replace(" -- {", f" -- {{password={MARK},"), f"Completed request:{MARK}", f"{line[:300]}{MARK}", MARK]
    path = folder / "kafka-request.log"
    path.write_text("\n".join([good.rstrip("\n"), *lines, ""]))
    return path


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("inputs")
    return [*stuck_beside_secrets(folder), marked_log(folder)]


@pytest.mark.parametrize("anonymize", [(), ("--anonymize",)], ids=["named", "anonymous"])
@pytest.mark.parametrize("how", [("--all",), ("--json",), ("--html",), ()], ids=lambda how: "".join(how) or "short")
def test_no_output_of_a_diagnosis_has_payloads_or_credentials(
    how: tuple[str, ...], anonymize: tuple[str, ...], inputs: list[Path], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    options = ("--html", str(page)) if how == ("--html",) else how
    done = CliRunner().invoke(
        app, ["diagnose", *map(str, inputs), *options, *anonymize, "--results", str(tmp_path / "none")]
    )
    search(done.output)
    search(str(done.exception))
    assert "KAFKA_STORAGE_ERROR" in done.output
    if how == ("--html",):
        text = page.read_text()
        search(text)
        assert '<svg class="timeline"' in text


def test_a_message_that_no_definition_has_is_kept_without_its_body() -> None:
    unknown = framed(b"\0\x03\0\x63\0\0\0\x05" + SECRET)
    pieces = [(0, ASK, unknown), (0, ANSWER, framed(b"\0\0\0\x05" + SECRET))]
    kept = blanked(pieces, Plans(schemas()))
    search(b"".join(data for _, _, data in kept))
    assert [data[4:] for _, _, data in kept] == [b"\xff" * len(unknown[4:]), b"\xff" * (4 + len(SECRET))]
