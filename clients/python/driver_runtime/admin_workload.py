"""The workload of role admin: one question per interval and partition, and one about the cluster, each in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.series import Series
from driver_runtime.workload import Ticker
from probe.driver_contract import driver_pb2 as pb

QUERIES = ("latest", "earliest", "timestamp", "committed")
CREATE, CLUSTER, GROUP = "create", "cluster", "group"
IN_TURN = (CREATE, CLUSTER, CREATE, GROUP)
"""The questions about the cluster. Those that a version has no call for are left out."""
LOOKBACK_MS = 1000
"""`timestamp` asks for the first record since this many milliseconds, which exists where the topic is fed."""
NOWHERE = -1
"""Instead of a partition: a question about the cluster."""

Ask = Callable[[str, int], int]
"""Asks about a partition, blocking; returns the offset, below zero for none. Raises what the library raises."""
AskCluster = Mapping[str, Callable[[], object]]
"""Asks about the cluster, blocking, by the name of the question. Raises what the library raises."""


class NewNames:
    """Names of topics that do not exist, one per question whether a topic could be created."""

    def __init__(self, start: pb.Start) -> None:
        self._topic, self._number, self._lock = start.topic, 0, threading.Lock()

    def next(self) -> str:
        """Return a new name."""
        with self._lock:
            self._number += 1
            return f"{self._topic}-{self._number}"


def run_admin_workload(
    start: pb.Start,
    reports: Reports,
    stop: Stopping,
    ask: Ask,
    error_of: Callable[[BaseException], pb.Error],
    ask_cluster: AskCluster,
) -> None:
    """Ask until closing is requested. Each partition, and the cluster, has a thread: a blocked one delays no other."""
    about_cluster = tuple(name for name in IN_TURN if name in ask_cluster)

    def answer(partition: int, sequence: int) -> tuple[str, Callable[[], int]]:
        if partition == NOWHERE:
            name = about_cluster[sequence % len(about_cluster)]
            return name, lambda: _done(ask_cluster[name])
        query = QUERIES[sequence % len(QUERIES)]
        return query, lambda: ask(query, partition)

    def ask_once(partition: int, sequence: int, clock: int) -> None:
        question, answered = answer(partition, sequence)
        reports.sent(partition, sequence, clock, question)
        try:
            reports.listed(partition, sequence, answered(), question)
        except Exception as error:  # noqa: BLE001  # the application gets any exception of the library
            if not stop.asked:  # a question in flight while the driver closes the client has no result of the library
                reports.list_error(partition, sequence, error_of(error), question)
        finally:
            ticker.ended(partition, sequence)

    ticker = Ticker(start, ask_once)
    ticker.start([Series(partition) for partition in (*start.partitions, *([NOWHERE] if about_cluster else []))], stop)
    stop.wait_until_asked()


def _done(ask: Callable[[], object]) -> int:
    ask()
    return -1
