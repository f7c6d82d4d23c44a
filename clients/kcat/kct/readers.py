"""The reading role: each record is a line of kcat's standard output.

There is no `group`. Told to end, `kcat -G` drops the record that its last poll returned (kcat.c, consume_cb: `if
(!conf.run) return;`) and then commits past it: in `steady` a record was committed and never delivered.
"""

from __future__ import annotations

from driving.library import Stopping
from driving.reports import Reports

from kct.command import Command
from kct.settings import options
from probe.driver_contract import driver_pb2 as pb

FORM = "%p %o %s\\n"
"""Partition, offset, value."""
LOOK_S = 0.05


def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Read every partition of the topic from its beginning. Raises EndedError if kcat ends by itself."""
    given, settings = options(start)
    reports.ready(settings)
    reading = ["-C", *given, "-t", start.topic, "-o", "beginning", "-u", "-f", FORM]
    command = Command(reading, reports, lambda line: _received(line, reports))
    while not stop.wait(LOOK_S):
        command.check()
    command.close(stop.remaining(), by_end_of_input=False)


def _received(line: str, reports: Reports) -> None:
    words = line.split(" ", 2)
    if len(words) == 3 and words[0].isdigit() and words[1].isdigit():
        reports.received(int(words[0]), int(words[1]), words[2])
