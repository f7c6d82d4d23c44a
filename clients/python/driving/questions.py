"""The admin workload: one question about offsets an interval and partition, four kinds in turn."""

from __future__ import annotations

from collections.abc import Callable

from driving.library import Stopping
from driving.reports import Reports
from driving.workload import Beats
from probe.driver_contract import driver_pb2 as pb

QUESTIONS = ("latest", "earliest", "timestamp", "committed")
LOOK_BACK_MS = 1000
"""`timestamp` asks for the first record of the last second, which exists where the topic is fed."""

Ask = Callable[[str, int], int]
"""Asks about a partition, blocking; returns the offset, below zero for none. Raises what the library raises."""


def inquire(
    start: pb.Start, reports: Reports, stop: Stopping, ask: Ask, error_of: Callable[[BaseException], pb.Error]
) -> None:
    """Ask until told to stop; each partition has a thread of its own, so a question that blocks delays no other."""

    def one(partition: int, sequence: int, clock: int) -> None:
        question = QUESTIONS[sequence % len(QUESTIONS)]
        reports.sent(partition, sequence, clock, question)
        try:
            reports.listed(partition, sequence, ask(question, partition), question)
        except Exception as error:  # noqa: BLE001  # whatever the library throws is what the application meets
            if not stop.asked:  # a question that was open while we closed the client is no answer of the library
                reports.list_error(partition, sequence, error_of(error), question)
        finally:
            beats.ended(partition)

    beats = Beats(start, one)
    beats.start(start.partitions, stop)
    stop.wait_long()
