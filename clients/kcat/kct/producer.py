"""The producing role: lines of text on kcat's standard input."""

from __future__ import annotations

import contextlib
import itertools
import threading
import zlib

from driving.library import Stopping
from driving.reports import Reports
from driving.workload import Beats, value_of

from kct.command import Command
from kct.settings import options
from probe.driver_contract import driver_pb2 as pb

LINE = 128
"""kcat reads its input by as many bytes (input.c, inbuf_read_to_delimeter), and takes one record from each read: a line
of just that length is sent when it is written, a shorter one when the next lines have filled it up."""
LASTING = 60
"""A number that 2, 3, 4, 5 and 6 divide: a key's partition stays the same when a topic grows to that."""
LOOK_S = 0.05


def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Write a line each beat and partition until asked to stop. Raises EndedError if kcat ends by itself."""
    given, settings = options(start)
    command = Command(["-P", *given, "-t", start.topic, "-K", "|"], reports, lambda _: None)
    reports.ready(settings)
    keys = {partition: key_of(partition) for partition in start.partitions}
    writing = threading.Lock()

    def write(partition: int, sequence: int, clock: int) -> None:
        value = value_of(start.instance, partition, sequence, clock)
        reports.sent(partition, sequence, clock)
        with writing, contextlib.suppress(OSError, ValueError):  # its end is seen below
            command.process.stdin.write(f"{keys[partition]}|{value}".ljust(LINE - 1) + "\n")  # type: ignore[union-attr]
        beats.ended(partition)

    beats = Beats(start, write)
    beats.start(start.partitions, stop)
    while not stop.wait(LOOK_S):
        command.check()
    with writing:
        command.close(stop.remaining(), by_end_of_input=True)


def key_of(partition: int) -> str:
    """Return a key that the library's partitioner sends to a partition: its CRC-32 modulo their number."""
    keys = (f"p{partition}-{number}" for number in itertools.count())
    return next(key for key in keys if zlib.crc32(key.encode()) % LASTING == partition)
