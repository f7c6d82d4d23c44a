"""The workload of role admin: one query for an offset per interval and partition, four kinds in turn."""

from __future__ import annotations

from collections.abc import Callable

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.workload import Ticker
from probe.driver_contract import driver_pb2 as pb

QUERIES = ("latest", "earliest", "timestamp", "committed")
LOOKBACK_MS = 1000
"""`timestamp` asks for the first record since this many milliseconds, which exists where the topic is fed."""

Ask = Callable[[str, int], int]
"""Asks about a partition, blocking; returns the offset, below zero for none. Raises what the library raises."""


def run_admin_workload(
    start: pb.Start, reports: Reports, stop: Stopping, ask: Ask, error_of: Callable[[BaseException], pb.Error]
) -> None:
    """Send queries until closing is requested. Every partition has its own thread: a blocked query delays no other."""

    def query_once(partition: int, sequence: int, clock: int) -> None:
        query = QUERIES[sequence % len(QUERIES)]
        reports.sent(partition, sequence, clock, query)
        try:
            reports.listed(partition, sequence, ask(query, partition), query)
        except Exception as error:  # noqa: BLE001  # the application gets any exception of the library
            if not stop.asked:  # a query in flight while the driver closes the client has no result of the library
                reports.list_error(partition, sequence, error_of(error), query)
        finally:
            ticker.ended(partition)

    ticker = Ticker(start, query_once)
    ticker.start(start.partitions, stop)
    stop.wait_until_asked()
