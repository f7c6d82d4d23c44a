"""Role producer: lines of text on kcat's standard input."""

from __future__ import annotations

import contextlib
import itertools
import threading
import zlib

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.series import series_of
from driver_runtime.workload import Ticker, value_of

from kcat_driver.command import Command
from kcat_driver.settings import options
from probe.driver_contract import driver_pb2 as pb

LINE_BYTES = 128
"""kcat reads its input in blocks of this many bytes (input.c, inbuf_read_to_delimeter) and takes one record from every
block: a line of exactly that length is sent when it is written, a shorter one when later lines have filled the
block."""
KEY_SPACE = 60
"""Divisible by 2, 3, 4, 5 and 6: a key keeps its partition when a topic grows to that number."""
CHECK_S = 0.05


def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Write one line per interval and partition until closing is requested. EndedError if kcat ends by itself."""
    given, settings = options(start)
    command = Command(["-P", *given, "-t", start.topic, "-K", "|"], reports, lambda _: None)
    reports.ready(settings)
    keys = {partition: key_of(partition) for partition in start.partitions}
    writing = threading.Lock()

    def write(partition: int, sequence: int, clock: int) -> None:
        value = value_of(start.instance, partition, sequence, clock)
        reports.sent(partition, sequence, clock)
        with writing, contextlib.suppress(OSError, ValueError):  # the end of kcat is detected below
            command.process.stdin.write(f"{keys[partition]}|{value}".ljust(LINE_BYTES - 1) + "\n")  # type: ignore[union-attr]  # a pipe
        ticker.ended(partition, sequence)

    ticker = Ticker(start, write)
    ticker.start(series_of(start), stop)
    while not stop.wait(CHECK_S):
        command.check()
    with writing:
        command.close(stop.remaining(), by_end_of_input=True)


def key_of(partition: int) -> str:
    """Return a key that the library's partitioner maps to a partition: its CRC-32 modulo the number of partitions."""
    keys = (f"p{partition}-{number}" for number in itertools.count())
    return next(key for key in keys if zlib.crc32(key.encode()) % KEY_SPACE == partition)
