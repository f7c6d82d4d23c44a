"""Read a large capture as `probe diagnose` does, and with tshark: CPU time, memory, and what is in the ratio.

    python benchmarks/diagnose_input.py [--megabytes N] [--connections N] [--profile] [--folder DIR]

The capture is made by this command: clients that produce, fetch and ask for metadata on many connections, taken at one
broker. Of tshark `-q -z io,stat,0` is measured, which dissects every packet and prints one line. Without tshark, which
is fetched from the packages of the distribution for tests, only ours is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import os
import pstats
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from probe.diagnose.input.file_set import open_inputs  # noqa: E402  # the checkout's own
from tests.support.protocol_wire import plain, request, response  # noqa: E402  # as above

MEGABYTE = 1_000_000
SEGMENT = 1448
START = 1_700_000_000_000_000
STEP_US = 40
"""Time between two packets: 25,000 a second."""
PSH_ACK, SYN, SYN_ACK = 0x18, 0x02, 0x12
Exchange = tuple[bytes, bytes]
"""A request and its answer, with correlation id 0."""


def main() -> None:
    """Make the capture, read it, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--written", type=int, default=900, help="bytes of records in a Produce request")
    parser.add_argument("--fetched", type=int, default=6000, help="bytes of records in a Fetch answer")
    parser.add_argument("--profile", action="store_true", help="print where our time goes, which takes longer")
    parser.add_argument("--folder", help="where the capture is made; it is removed afterwards")
    parser.add_argument("--read", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read, profile=arguments.profile)
        return
    say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "capture.pcap"
        sizes = (arguments.written, arguments.fetched)
        packets = make(path, arguments.megabytes * MEGABYTE, arguments.connections, sizes)
        size = path.stat().st_size / MEGABYTE
        say(f"capture of {size:.0f} MB: {packets:,} packets, {arguments.connections:,} connections")
        ours = [sys.executable, __file__, "--read", str(path), *(["--profile"] if arguments.profile else [])]
        cpu = measure("probe", ours, size)
        if (tshark := find_tshark()) is not None:
            other = measure("tshark -q -z io,stat,0", [str(tshark), "-q", "-r", str(path), "-z", "io,stat,0"], size)
            say(f"CPU, probe to tshark: {cpu / other:.2f}")


def measure(name: str, argv: Sequence[str], megabytes: float) -> float:
    """Run a command, print its CPU seconds and its peak of memory, and return the CPU seconds."""
    begin = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{name} ended with {os.waitstatus_to_exitcode(status)}")
    cpu = usage.ru_utime + usage.ru_stime
    wall = time.monotonic() - begin
    speed = f"{megabytes / cpu:.1f} MB per CPU second"
    say(f"{name}: {cpu:.1f} s CPU, {wall:.1f} s, {speed}, {usage.ru_maxrss / 1024:.0f} MB of memory")
    if name == "probe":
        say("  " + said.rstrip().replace("\n", "\n  "))
    return cpu


def read(path: str, *, profile: bool) -> None:
    """Read a capture and print what it holds."""
    counts: Counter[str] = Counter()

    def run() -> None:
        with open_inputs([path]) as found:
            for event in found.events():
                counts[type(event).__name__] += 1
                counts["errors"] += bool(getattr(event, "error", ""))
            say(", ".join(f"{name} {count:,}" for name, count in counts.items()))
            left = ", ".join(f"{one.count} {one.unit} {one.reason}" for one in found.left())
            say(f"connections {len(found.connections):,}; left over: {left or 'nothing'}")

    if not profile:
        run()
        return
    profiler = cProfile.Profile()
    profiler.runcall(run)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def make(path: Path, size: int, connections: int, records: tuple[int, int]) -> int:
    """Write the capture; return the number of its packets."""
    rng = random.Random(41)  # noqa: S311  # no secret
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 1))
        talks = [Talk(out, number, exchanges(number, records[number % 2])) for number in range(connections)]
        clock = Clock()
        for talk in talks:
            talk.open(clock)
        while out.tell() < size:
            rng.choice(talks).exchange(clock)
    return clock.packets


class Clock:
    """The time of the capture."""

    def __init__(self) -> None:
        self.packets = 0

    def next(self) -> tuple[int, int]:
        """Return the seconds and microseconds of the next packet."""
        self.packets += 1
        return divmod(START + self.packets * STEP_US, 1_000_000)


class Talk:
    """One connection of a client to the broker."""

    def __init__(self, out: BinaryIO, number: int, kinds: Iterator[Exchange]) -> None:
        self._out, self._kinds, self._corr = out, kinds, 0
        client, broker = struct.pack(">I", 0x0A010000 + number), b"\x0a\0\0\x01"
        self._addresses = (client + broker, broker + client)
        self._ports = (
            struct.pack(">HH", 40_000 + number % 20_000, 9092),
            struct.pack(">HH", 9092, 40_000 + number % 20_000),
        )
        self._seqs = [1000 * number, 77 * number]

    def open(self, clock: Clock) -> None:
        """Write the packets that open the connection."""
        self._packet(clock, 0, SYN)
        self._seqs[0] += 1
        self._packet(clock, 1, SYN_ACK)
        self._seqs[1] += 1

    def exchange(self, clock: Clock) -> None:
        """Write a request and its answer."""
        asked, answered = next(self._kinds)
        self._corr += 1
        corr = struct.pack(">i", self._corr)
        self._say(clock, 0, asked[:8] + corr + asked[12:])
        self._say(clock, 1, answered[:4] + corr + answered[8:])

    def _say(self, clock: Clock, side: int, data: bytes) -> None:
        for start in range(0, len(data), SEGMENT):
            self._packet(clock, side, PSH_ACK, data[start : start + SEGMENT])

    def _packet(self, clock: Clock, side: int, flags: int, data: bytes = b"") -> None:
        size = len(data)
        head = struct.pack(">BBHHHBBH", 0x45, 0, 40 + size, 0, 0x4000, 64, 6, 0) + self._addresses[side]
        numbers = (self._seqs[side] & 0xFFFFFFFF, self._seqs[1 - side] & 0xFFFFFFFF, 5 << 4, flags, 512, 0, 0)
        self._out.write(struct.pack("<IIII", *clock.next(), 54 + size, 54 + size))
        self._out.write(bytes(12) + b"\x08\x00" + head + self._ports[side] + struct.pack(">IIBBHHH", *numbers) + data)
        self._seqs[side] += size


def exchanges(number: int, records: int) -> Iterator[Exchange]:
    """Yield what a client does: one that writes, one that reads, each with Metadata now and then."""
    kinds: tuple[Callable[[str, int], Exchange], ...] = (_produce, _fetch)
    work, metadata = kinds[number % 2](f"client-{number}", records), _metadata(f"client-{number}")
    while True:
        for _ in range(100):
            yield work
        yield metadata


def _produce(name: str, size: int) -> Exchange:
    part = {"Index": 3, "Records": random.Random(1).randbytes(size)}  # noqa: S311  # no secret
    topics = [{"Name": "orders", "PartitionData": [part]}]
    asked = request(0, 9, plain(0, 9, "Request", Acks=-1, TimeoutMs=30_000, TopicData=topics), client_id=name)
    done = [{"Name": "orders", "PartitionResponses": [{"Index": 3, "BaseOffset": 5}]}]
    return asked, response(0, 9, plain(0, 9, "Response", Responses=done))


def _fetch(name: str, size: int) -> Exchange:
    places = [{"Topic": "orders", "Partitions": [{"Partition": 3, "FetchOffset": 9, "PartitionMaxBytes": 1 << 20}]}]
    asked = request(1, 11, plain(1, 11, "Request", MaxWaitMs=500, MinBytes=1, Topics=places), client_id=name)
    part = {"PartitionIndex": 3, "Records": random.Random(2).randbytes(size)}  # noqa: S311  # no secret
    return asked, response(1, 11, plain(1, 11, "Response", Responses=[{"Topic": "orders", "Partitions": [part]}]))


def _metadata(name: str) -> Exchange:
    asked = request(3, 9, plain(3, 9, "Request", Topics=[{"Name": "orders"}]), client_id=name)
    parts = [{"PartitionIndex": number, "LeaderId": number % 3, "ReplicaNodes": [1, 2, 3]} for number in range(12)]
    return asked, response(3, 9, plain(3, 9, "Response", Topics=[{"Name": "orders", "Partitions": parts}]))


def find_tshark() -> Path | None:
    """Return tshark, None if it cannot be had."""
    from tests.support.fetched_tools import debian_program  # noqa: PLC0415  # it loads pytest

    with contextlib.suppress(BaseException):  # pytest's own exception for a program that is missing
        return debian_program("tshark", "tshark")
    return None


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
