"""The incident on real brokers, recorded as an operator would, and what `probe diagnose` says of the recordings.

    python benchmarks/diagnose_incident.py [--broker VERSION ...] [--level DEBUG|TRACE ...] [--role ROLE ...]
        [--client NAME@VERSION ...] [--keep FOLDER] [--again]

One disk of a broker dies under clients whose names name no library (`incident/jbod`). tcpdump records the clients' side
of the relay, brokers write request logs as their shipped configuration does, in the local time of `ZONE`. Recordings
are cut while the fault stands, and read alone and together, from the clients' start and from five seconds before the
fault; the failing broker's log alone, too, and all of them until after its restart, where a client that works again may
be `unknown`, as the restart cuts its connections. Each statement is compared with what the relay saw. `--keep` keeps
recordings; `--again` reads kept ones only.
Exit code 1 if a statement is wrong. tcpdump needs root, and is fetched from the distribution's packages.
"""

# ruff: noqa: T201  # the figures are the output of this command

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from incident_recording import CAPTURE, ZONE, AtRelay, record  # noqa: E402  # the path is set above

from probe.diagnose.input.log_lines import time_of  # noqa: E402  # as above
from probe.engines.kafka.admin.wire import CLIENT  # noqa: E402  # as above
from probe.model import Role  # noqa: E402  # as above
from probe.protocol.names import error_name  # noqa: E402  # as above

BROKERS, LEVELS = ("2.6.2", "4.4.0"), ("DEBUG", "TRACE")
CLIENTS = ("sarama@1.43.2", "sarama@1.43.3", "java@3.9.2", "java@4.4.0", "librdkafka@2.16.0")
LEAD_US = 5_000_000
TOLERANCE = 0.1
UPGRADE = "1.43.3"
DIAGNOSE_S = 300


@dataclass(frozen=True, slots=True)
class Inputs:
    """Recordings that are read together."""

    name: str
    capture: bool
    log: bool
    whole: bool
    """From the clients' start on."""
    options: tuple[str, ...] = ()
    alone: bool = False
    """Of the logs only that of the broker whose disk died."""
    after: bool = False
    """Until after the broker was restarted."""

    def right(self, truth: AtRelay) -> list[str]:
        """Return the statuses that are right. Who left the only broker that is read is not known."""
        if truth.right == ["stuck"]:
            return ["was stuck"] if self.after else ["stuck"]
        return ["unknown"] if self.alone else [*truth.right, *["unknown"] * self.after]


ZONED = ("--log-zone", ZONE)
INPUTS = (
    Inputs("capture", capture=True, log=False, whole=True),
    Inputs("capture, begun late", capture=True, log=False, whole=False),
    Inputs("log", capture=False, log=True, whole=True, options=ZONED),
    Inputs("log, begun late", capture=False, log=True, whole=False),
    Inputs("both", capture=True, log=True, whole=True, options=ZONED),
    Inputs("both, zone unknown", capture=True, log=True, whole=True),
    Inputs("log of the failing broker", capture=False, log=True, whole=True, options=ZONED, alone=True),
    Inputs("capture, until after the restart", capture=True, log=False, whole=True, after=True),
    Inputs("log, until after the restart", capture=False, log=True, whole=True, options=ZONED, after=True),
    Inputs(
        "log of the failing broker, until after the restart",
        capture=False,
        log=True,
        whole=True,
        options=ZONED,
        alone=True,
        after=True,
    ),
)


def main() -> None:
    """Replay, diagnose and compare. Exit code 1 if a statement is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", action="append")
    parser.add_argument("--level", action="append", choices=LEVELS)
    parser.add_argument("--client", action="append")
    parser.add_argument("--role", action="append", choices=list(Role))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--again", action="store_true", help="read what --keep has kept, and replay nothing")
    options = parser.parse_args()
    if options.again and options.keep is None:
        parser.error("--again needs --keep FOLDER")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        for broker in options.broker or BROKERS:
            for level in options.level or LEVELS:
                folder = (options.keep or Path(place)) / f"{broker}-{level}"
                if not options.again:
                    folder.mkdir(parents=True, exist_ok=True)
                    roles = [Role(role) for role in options.role or (Role.PRODUCER,)]
                    record(folder, broker, level, options.client or CLIENTS, roles)
                wrong += examine(folder)
    print(f"{wrong} statements are wrong" if wrong else "every statement is right")
    sys.exit(bool(wrong))


def examine(folder: Path) -> int:
    """Read the recordings of a folder in all ways; print what is said, and return how many statements are wrong."""
    known = json.loads((folder / "truth.json").read_text())
    truths = [AtRelay(**one) for one in known["clients"]]
    wrong = 0
    for reading in INPUTS:
        paths = cut(folder, reading, known["fault"] - LEAD_US, sys.maxsize if reading.after else known["until"])
        document, cpu = diagnosed(paths, reading.options)
        print(f"{folder.name}, {reading.name} ({sum(path.stat().st_size for path in paths) / 1e6:.1f} MB, {cpu:.1f} s)")
        for truth in truths:
            found = [one for one in document["clients"] if one["client_id"] == truth.client_id]
            faults = list(compared(truth, found, reading))
            print(f"  {'WRONG' if faults else 'right'} {truth.client} {said(truth, found)}")
            for fault in faults:
                print(f"        {fault}")
            wrong += len(faults)
        names = {truth.client_id for truth in truths}
        more = [one for one in document["clients"] if one["client_id"] not in names and one["status"] != "healthy"]
        for one in more:
            print(f"  also  {one['client_id']}: {one['status']}, {one['reason']}")
    return wrong


def said(truth: AtRelay, found: Sequence[Mapping[str, Any]]) -> str:
    """Return what is said of a client, in one line."""
    if not found:
        return "is not named"
    one = found[0]
    trouble = finding(truth, one)
    met = "no trouble"
    if trouble is not None:
        errors = ", ".join(f"{error['error']} {error['count']} times" for error in trouble["errors"])
        asked = trouble["asked"] or {}
        met = f"{errors}, asked {asked.get('count')}, {trouble['futile_requests_per_s']}/s futile"
    library = one["library"]["text"] or "library not known"
    return f"{one['status']}: {met} (relay: {truth.futile_per_s:.2f}/s, asked {truth.asked}); {library}"


def finding(truth: AtRelay, one: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what is said of the partition whose disk died."""
    place = (truth.topic, truth.partition)
    found = (item for item in one["troubles"] if (item["object"]["name"], item["object"]["partition"]) == place)
    return next(found, None)


def compared(truth: AtRelay, found: Sequence[Mapping[str, Any]], reading: Inputs) -> Iterator[str]:
    """Yield the statements that contradict what the relay saw. A library is named where connections begin."""
    if len(found) != 1:
        yield f"named {len(found)} times"
        return
    (one,) = found
    right = reading.right(truth)
    if one["status"] not in right:
        yield f"said {one['status']} ({one['reason']}), right is {' or '.join(right)}"
    library = one["library"]
    family, _, version = truth.client.partition("@")
    unnamed = not library["family"] and not reading.whole
    if not unnamed and (library["family"] != family or version not in library["versions"]):
        yield f"library {library['text'] or 'not known'} ({library['family']} {library['versions']})"
    if right == ["stuck"]:
        yield from stuck(truth, one, asked_elsewhere=reading.alone, named=not unnamed)
    elif right == ["was stuck"] and (not one["advice"] or one["advice"]["upgrade"] != UPGRADE):
        yield f"advice {one['advice'] and (one['advice']['upgrade'] or one['advice']['unknown'])}"


def stuck(truth: AtRelay, one: Mapping[str, Any], *, asked_elsewhere: bool, named: bool) -> Iterator[str]:
    """Yield the wrong statements about a stuck client."""
    trouble = finding(truth, one)
    if trouble is None:
        yield f"nothing about {truth.topic}-{truth.partition}"
        return
    if [error["error"] for error in trouble["errors"]] != [error_name(truth.code)]:
        yield f"errors {trouble['errors']}, right is {error_name(truth.code)}"
    asked = trouble["asked"]
    if asked is None or bool(asked["unknown"]) is not asked_elsewhere or asked["count"] != truth.asked:
        yield f"asked {asked}, right is {truth.asked}"
    rate = trouble["futile_requests_per_s"]
    if abs(rate - truth.futile_per_s) > TOLERANCE * truth.futile_per_s:
        yield f"{rate} futile requests/s, right is {truth.futile_per_s:.2f}"
    if named and (not one["advice"] or one["advice"]["upgrade"] != UPGRADE):
        yield f"advice {one['advice'] and (one['advice']['upgrade'] or one['advice']['unknown'])}"


def diagnosed(paths: Sequence[Path], options: Sequence[str]) -> tuple[dict[str, Any], float]:
    """Return what `probe diagnose --json` says of files, and its CPU seconds."""
    command = [str(Path(sys.executable).with_name("probe")), "diagnose", "--json", *options, *map(str, paths)]
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, timeout=DIAGNOSE_S, cwd=ROOT, check=False)
    after = os.times()
    if not done.stdout:
        raise SystemExit(f"probe diagnose ended with {done.returncode}: {done.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), cpu


def cut(folder: Path, reading: Inputs, begin: int, until: int) -> list[Path]:
    """Write the part of the recordings that a reading has (microseconds since 1970); return its files."""
    since = 0 if reading.whole else begin
    place = folder / ("after" if reading.after else "whole" if reading.whole else "late")
    place.mkdir(exist_ok=True)
    found = []
    if reading.capture:
        cut_capture(folder / CAPTURE, place / CAPTURE, since, until)
        found.append(place / CAPTURE)
    logs = sorted(folder.glob("broker-*.log")) if reading.log else []
    for log in [max(logs, key=refusals)] if reading.alone else logs:
        cut_log(log, place / log.name, since, until)
        found.append(place / log.name)
    return found


def refusals(log: Path) -> int:
    """Return how often a broker answered KAFKA_STORAGE_ERROR."""
    text = log.read_text()
    return text.count("error_code=56") + text.count('"errorCode":56')


def cut_capture(path: Path, to: Path, since: int, until: int) -> None:
    """Write the packets of a time, as if tcpdump had been started and stopped then."""
    data = path.read_bytes()
    with to.open("wb") as out:
        out.write(data[:24])
        p = 24
        while p + 16 <= len(data):
            seconds, part, size, _ = struct.unpack_from("<IIII", data, p)
            stop = p + 16 + size
            if since <= seconds * 1_000_000 + part <= until:
                out.write(data[p:stop])
            p = stop


def cut_log(path: Path, to: Path, since: int, until: int) -> None:
    """Write the lines of a time, but not those about the engine's own questions."""
    zone = ZoneInfo(ZONE)
    with path.open() as lines, to.open("w") as out:
        out.writelines(line for line in lines if since <= time_of(line, zone) <= until and CLIENT not in line)


if __name__ == "__main__":
    main()
