"""One instance: its program, the orders to it, and what it says, as events of driver.proto."""

from __future__ import annotations

import reprlib
import threading
from collections.abc import Callable, Mapping
from typing import Any

from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports
from driver_runtime.series import series_of
from driver_runtime.workload import Ticker, value_of

from probe.driver_contract import driver_pb2 as pb
from program_adapter.lines import LineError, Program, error_of

READY_S = 60.0
Line = Mapping[str, Any]


class Unusable(Exception):  # noqa: N818  # the word of the contract
    """The program says that its client is unusable, or it ended by itself."""


def run_role(path: str, start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Run a program as an instance (`driver_runtime.library.Role`)."""
    Instance(Program(path), start, reports, stop).run()


class Instance:
    """A program in one role."""

    def __init__(self, program: Program, start: pb.Start, reports: Reports, stop: Stopping) -> None:
        self._program, self._start, self._reports, self._stop = program, start, reports, stop
        self._ticker = Ticker(start, self._send)
        self._ready, self._ended = threading.Event(), threading.Event()
        self._problem: Exception | None = None

    def run(self) -> None:
        """Start, work until closing is requested, close."""
        self._program.write(_start_line(self._start))
        threading.Thread(target=self._read, name=f"{self._start.instance} lines", daemon=True).start()
        try:
            if not self._ready.wait(READY_S):
                raise Unusable(f"it did not say ready within {READY_S:.0f} s")
            self._check()
            if self._start.role == "producer":
                self._ticker.start(series_of(self._start), self._stop)
            while not self._stop.wait(0.05):
                self._check()
            self._program.write({"op": "stop", "deadline_ms": round(self._stop.remaining() * 1000)})
            self._ended.wait(self._stop.remaining())
        finally:
            self._program.end(1.0)

    def _check(self) -> None:
        if self._problem is not None:
            raise self._problem
        if self._ended.is_set():
            raise Unusable("the program ended by itself")

    def _send(self, partition: int, sequence: int, clock: int) -> None:
        self._reports.sent(partition, sequence, clock)
        value = value_of(self._start.instance, partition, sequence, clock)
        self._program.write({"op": "send", "partition": partition, "sequence": sequence, "value": value})

    def _read(self) -> None:
        try:
            for line in self._program.lines():
                if line.get("event") == "closed":
                    break
                self._take(line)
        except (LineError, Unsupported, Unusable) as error:
            self._problem = error
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            shown = f"{reprlib.repr(error)}): {reprlib.repr(line)}"  # short, however long or deep they are
            self._problem = LineError(f"the program wrote a line that the contract does not have ({shown}")
        finally:
            self._ended.set()
            self._ready.set()

    def _take(self, line: Line) -> None:
        kind = line["event"]
        if kind == "hello":
            return
        if kind == "unsupported":
            raise Unsupported(_why(line))
        if kind == "fatal":
            raise Unusable(_why(line))
        if kind not in EVENTS:
            raise ValueError(kind)
        EVENTS[kind](self, line)

    def _say_ready(self, line: Line) -> None:
        self._reports.ready({name: str(value) for name, value in line.get("settings", {}).items()})
        self._ready.set()

    def _acked(self, line: Line) -> None:
        self._reports.acked(line["partition"], line["sequence"], line.get("offset", -1))
        self._ticker.ended(line["partition"], line["sequence"])

    def _send_error(self, line: Line) -> None:
        self._reports.send_error(line["partition"], line["sequence"], error_of(line.get("error", {})))
        self._ticker.ended(line["partition"], line["sequence"])


EVENTS: Mapping[str, Callable[[Instance, Line], None]] = {
    "ready": Instance._say_ready,  # noqa: SLF001  # the table is of this class
    "acked": Instance._acked,  # noqa: SLF001
    "send_error": Instance._send_error,  # noqa: SLF001
    "received": lambda one, line: one._reports.received(line["partition"], line["offset"], line["value"]),  # noqa: SLF001
    "receive_error": lambda one, line: one._reports.receive_error(  # noqa: SLF001
        error_of(line.get("error", {})), line.get("partition", -1)
    ),
    "assigned": lambda one, line: one._reports.assigned(line["partitions"]),  # noqa: SLF001
    "revoked": lambda one, line: one._reports.revoked(line["partitions"]),  # noqa: SLF001
    "committed": lambda one, line: one._reports.committed(line["partition"], line["offset"]),  # noqa: SLF001
    "commit_error": lambda one, line: one._reports.commit_error(error_of(line.get("error", {}))),  # noqa: SLF001
    "notice": lambda one, line: one._reports.notice(str(line.get("text", ""))),  # noqa: SLF001
}
"""The events of a program, besides `hello` and those that end it."""


def _why(line: Line) -> str:
    """Return the reason in a line, as text that can be sent: JSON may hold halves of surrogate pairs."""
    return str(line.get("text", "it does not say why")).encode(errors="replace").decode()


def _start_line(start: pb.Start) -> dict[str, Any]:
    return {
        "op": "start",
        "role": start.role,
        "client_id": start.client_id,
        "bootstrap": list(start.bootstrap),
        "topic": start.topic,
        "partitions": list(start.partitions),
        "group": start.group,
        "profile": start.profile,
        "properties": dict(start.properties),
        "broker": start.broker,
    }
