"""Role consumer: every record is a line of kcat's standard output.

There is no role group. At its end `kcat -G` drops the record that its last poll returned (kcat.c, consume_cb: `if
(!conf.run) return;`) and then commits past it, so a record is committed and never delivered.
"""

from __future__ import annotations

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports

from kcat_driver.command import Command
from kcat_driver.settings import options
from probe.driver_contract import driver_pb2 as pb

FORMAT = "%p %o %s\\n"
"""Partition, offset, value."""
CHECK_S = 0.05


def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Read every partition of the topic from its beginning. Raises EndedError if kcat ends by itself."""
    given, settings = options(start)
    reports.ready(settings)
    reading = ["-C", *given, "-t", start.topic, "-o", "beginning", "-u", "-f", FORMAT]
    command = Command(reading, reports, lambda line: _received(line, reports))
    while not stop.wait(CHECK_S):
        command.check()
    command.close(stop.remaining(), by_end_of_input=False)


def _received(line: str, reports: Reports) -> None:
    words = line.split(" ", 2)
    if len(words) == 3 and words[0].isdigit() and words[1].isdigit():
        reports.received(int(words[0]), int(words[1]), words[2])
