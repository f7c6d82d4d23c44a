"""Readers of what others wrote, each with samples and with what it is asked for."""

from __future__ import annotations

import gzip
import random
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from google.protobuf.message import DecodeError

from probe.cells.ignores import read_ignores
from probe.diagnose.analysis import analyse
from probe.diagnose.input.file_set import open_inputs
from probe.diagnose.report import lines
from probe.diagnose.report_json import as_json
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.clock import Clock
from probe.drivers.conversion import to_app
from probe.evidence.access import opened
from probe.evidence.text_files import read_folder, write_folder
from probe.evidence.writer import whole
from probe.inventory.entries import Place
from probe.inventory.inventory_reader import read_inventories
from probe.inventory.paste_parser import pasted
from probe.model import Role
from probe.protocol.schemas import EVERYDAY
from probe.store import reader as results
from probe.store.rows import trial_row, trials_table
from probe.verdict import judge
from tests.support.histories import history
from tests.support.inventories import SAMPLES as INVENTORIES
from tests.support.packets import ordinary, pcap, pcapng
from tests.support.protocol_wire import conversation, invent, request, response, schemas
from tests.unit.test_evidence_file import contents, random_settled

DATA = Path(__file__).parents[1] / "data"
PARTS = b"\x1eparts\x1e"
"""Between the bytes of the client and of the broker in a sample of frames, and between messages of a driver."""


class RefusedError(Exception):
    """A library that reads before us refused the input."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader, its samples by the name of the file that they are, and a call that reads one in an empty folder."""

    name: str
    samples: Callable[[], Mapping[str, bytes]]
    read: Callable[[str, bytes, Path], object]


@cache
def _frames() -> Mapping[str, bytes]:
    rng = random.Random(1)
    made = {}
    for api, version, kind in schemas().pairs():
        if kind != "Request" or api not in EVERYDAY:
            continue
        ask, answer = (schemas().layout(api, version, one) for one in ("Request", "Response"))
        if ask and answer:
            asked = request(api, version, invent(ask.items, rng) | ({"Acks": 1} if api == 0 else {}), corr=1)
            made[f"{api}-{version}"] = asked + PARTS + response(api, version, invent(answer.items, rng), corr=1)
    return made


def _read_frames(_: str, data: bytes, __: Path) -> object:
    asked, _sep, answered = data.partition(PARTS)
    talk = conversation()
    return talk.client_bytes(asked, 1) + talk.broker_bytes(answered, 2) + talk.client_bytes(asked, 3)


@cache
def _captures() -> Mapping[str, bytes]:
    made = {f"a.{build.__name__}": build(ordinary(6).packets) for build in (pcap, pcapng)}
    for path in sorted((DATA / "log_ins").glob("*.gz")):
        made[path.name.removesuffix(".gz")] = gzip.decompress(path.read_bytes())
    return made


@cache
def _logs() -> Mapping[str, bytes]:
    made = {path.name: path.read_bytes() for path in INVENTORIES.glob("request-*.log")}
    made["incident.log"] = gzip.decompress((DATA / "incident" / "broker-1-request.log.gz").read_bytes())
    return made


def _diagnose(name: str, data: bytes, folder: Path) -> object:
    path = folder / name
    path.write_bytes(data)
    with open_inputs([str(path)]) as found:
        diagnosis = analyse(found, whose=lambda *_: None, back_off_ms=lambda _: 100)
    return list(lines(diagnosis, [], everything=True)), as_json(diagnosis, [])


FLEETS = {
    "fleet.toml": b'[[service]]\nname = "shop"\nclient = "sarama"\nversion = "1.43.2"\nrole = "producer"\n',
    "fleet.json": b'[{"service": "shop", "client": "java", "version": "3.9.1", "broker": "4.4", "role": "group"}]',
}
"""Fleets as people write them."""


@cache
def _inventories() -> Mapping[str, bytes]:
    files = (*INVENTORIES.iterdir(), *(DATA / "fleets").iterdir())
    return {path.name: path.read_bytes() for path in files if path.name != "README.md"} | FLEETS


def _read_inventory(name: str, data: bytes, folder: Path) -> object:
    (folder / name).write_bytes(data)
    return [list(one.found) for one in read_inventories([str(folder)])]


@cache
def evidence() -> tuple[Mapping[str, bytes], bytes]:
    held = contents(random_settled(1, 60))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "evidence"
        write_folder(place, held)
        text = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*.tsv")}
    return text, whole(held)


def _read_evidence_text(name: str, data: bytes, folder: Path) -> object:
    for other, text in evidence()[0].items():
        path = folder / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if other == name else text)
    return whole(read_folder(folder))


def _read_evidence_file(name: str, data: bytes, folder: Path) -> object:
    path = folder / name
    path.write_bytes(data)
    with opened(path, name) as found:
        return list(found.cells()), found.runs, found.handshakes(), found.judged()


@cache
def _results() -> Mapping[str, bytes]:
    run = DATA / "stored_schema_1"
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file()}


def _read_results(name: str, data: bytes, folder: Path) -> object:
    place = folder / "results"
    shutil.copytree(DATA / "stored_schema_1", place)
    (place / name).write_bytes(data)
    said: list[str] = []
    runs = results.runs(str(place), said.append)
    read = [list(results.trials(str(place), run.run_id, said.append)) for run in runs]
    kept = [list(results.histories(str(place), run.run_id, warn=said.append)) for run in runs]
    return read, kept, [judge(one) for found in kept for one in found]


IGNORES = b"""[[ignore]]
client = "sarama@1.43.*"
scenario = "disk/*"
role = "producer"
service = "orders"
reason = "no such disks"
expires = 2999-01-01

[[ignore]]
cell = "sarama@1.43.2 producer disk/storage-error"
reason = "known"
link = "https://example.org/1"
expires = 2999-01-01
"""


def _read_ignores(name: str, data: bytes, _: Path) -> object:
    return read_ignores(data.decode(errors="replace"), name)


def _names() -> Mapping[str, bytes]:
    text = (DATA / "pasted_lines.toml").read_bytes()
    return {str(number): line for number, line in enumerate(text.splitlines()) if line.strip()}


def _read_name(_: str, data: bytes, __: Path) -> object:
    return pasted(data.decode(errors="replace"), Place("-", 1))


@cache
def _messages() -> Mapping[str, bytes]:
    made = {}
    for number, kind in sorted((number, name) for name, number in pb.Kind.items()):
        event = pb.Event(kind=number, instance="i", partition=1, sequence=7, offset=3, value="1:2:3:4", clock_us=5)
        event.error.code, event.error.name, event.error.text = 56, "KAFKA_STORAGE_ERROR", "a disk failed"
        event.partitions.extend([0, 1])
        event.settings["acks"] = "all"
        made[kind] = event.SerializeToString()
    return made


def _read_messages(name: str, data: bytes, _: Path) -> object:
    events = []
    for part in (data, _messages()[name]):
        try:
            events.append(pb.Event.FromString(part))
        except DecodeError as error:
            raise RefusedError(str(error)) from None
    return judged(events, list(Role)[zlib.crc32(data) % len(Role)])


def judged(said: Iterable[pb.Event], role: Role) -> object:
    """Convert, judge and store what a driver said beside a trial's other events."""
    clock, told = Clock(), history(role=role)
    mixed = sorted((*told.events, *(to_app(event, clock) for event in said)), key=lambda event: event.at)
    verdict = judge(type(told)(told.header, tuple(mixed)))
    return trials_table([trial_row("run", told, verdict)])


READERS: Mapping[str, Reader] = {
    one.name: one
    for one in (
        Reader("frames", _frames, _read_frames),
        Reader("captures", _captures, _diagnose),
        Reader("request-logs", _logs, _diagnose),
        Reader("inventories", _inventories, _read_inventory),
        Reader("evidence-text", lambda: evidence()[0], _read_evidence_text),
        Reader("evidence-files", lambda: {"e.sqlite": evidence()[1]}, _read_evidence_file),
        Reader("results", _results, _read_results),
        Reader(
            "ignore-files",
            lambda: {"i.toml": IGNORES},
            lambda name, data, _: read_ignores(data.decode(errors="replace"), name),
        ),
        Reader("pasted", _names, _read_name),
        Reader("driver-messages", _messages, _read_messages),
    )
}
