"""The instances of a driver process: started, supervised while they close, ended exactly once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from driver_runtime.library import Library, Role, Stopping, Unsupported
from driver_runtime.outbox import Outbox
from driver_runtime.reports import Reports, clock_us
from driver_runtime.series import CONTINUOUS, ROLES, workload_of
from probe.driver_contract import driver_pb2 as pb

THREAD_END_S = 0.3
"""Seconds that the threads of a closed library have to end."""


class Instances:
    """The running instances, by name. Used by the thread that reads the stream."""

    def __init__(self, library: Library, outbox: Outbox) -> None:
        self._library = library
        self._outbox = outbox
        self._running: dict[str, Instance] = {}

    def start(self, start: pb.Start) -> None:
        """Start an instance in its own thread; failures are reported, never raised."""
        reports = Reports(start.instance, self._outbox)
        self._running = {name: item for name, item in self._running.items() if not item.reports.ended}
        if start.instance in self._running:
            reports.notice(f"instance {start.instance} is running already; this start is ignored")
            return
        instance = Instance(self._library, start, reports, self._others)
        self._running[start.instance] = instance
        threading.Thread(target=instance.run, name=start.instance, daemon=True).start()

    def _others(self, client_id: str) -> Sequence[str]:
        """Return the client ids of other instances that begin with this one's, such as a bystander's."""
        known = (item.client_id for item in list(self._running.values()))
        return [other for other in known if other != client_id and other.startswith(client_id)]

    def stop(self, stop: pb.Stop) -> None:
        """Ask an instance to close; an unknown name has ended already and needs no answer."""
        if instance := self._running.get(stop.instance):
            instance.stop(stop.deadline_ms / 1000)

    def handle(self, order: pb.Handle) -> None:
        """Let the application of an instance handle the next record for some time; an unknown name has ended."""
        if instance := self._running.get(order.instance):
            instance.reports.handler_s = order.handler_ms / 1000

    def pace(self, pace: pb.Pace) -> None:
        """Set the interval between operations of an instance; an unknown name has ended already."""
        if instance := self._running.get(pace.instance):
            instance.pace(pace.interval_ms)


class Instance:
    """One client and its role."""

    def __init__(
        self, library: Library, start: pb.Start, reports: Reports, others: Callable[[str], Sequence[str]]
    ) -> None:
        self.reports = reports
        self.client_id = start.client_id
        self._library = library
        self._others = others
        self._start = start
        self._stopping = Stopping()

    def run(self) -> None:
        """Run the role until it is closed, and report the end."""
        try:
            self._role()(self._start, self.reports, self._stopping)
            self._closed()
        except Unsupported as error:
            self.reports.unsupported(str(error))
        except Exception as error:  # noqa: BLE001  # any exception of a library ends this instance, not the process
            self._raised(error)
        finally:
            self._stopping.release()

    def stop(self, seconds: float) -> None:
        """Ask to close within `seconds`. `closed` is reported in time, even if a call of the library still blocks."""
        margin = min(0.25, seconds / 5)
        self._stopping.ask(seconds - 2 * margin)
        text = f"a call of the library still blocked after {(seconds - margin) * 1000:.0f} ms; it was left behind"
        timer = threading.Timer(seconds - margin, self.reports.closed, (text,))
        timer.daemon = True
        timer.start()

    def pace(self, interval_ms: int) -> None:
        """Set the interval between operations in milliseconds: a workload reads it from its start at every tick."""
        self._start.interval_ms = interval_ms

    def _raised(self, error: BaseException) -> None:
        """End: as requested if it was raised while closing, such as by a flush that timed out; else as unusable."""
        failure = self._library.error_of(error)
        if self._stopping.asked:
            self.reports.notice(f"closing threw {failure.type}: {failure.text}")
            self._closed()
        else:
            self.reports.fatal(failure)

    def _closed(self) -> None:
        """End, and report which threads of the library still run: they slow down every later instance."""
        at = clock_us()
        remaining = [item for item in threading.enumerate() if self.client_id in item.name and self._is_library(item)]
        for thread in remaining:
            thread.join(THREAD_END_S / len(remaining))
        names = ", ".join(thread.name for thread in remaining if thread.is_alive())
        self.reports.closed(f"still running: {names}" if names else "", at)

    def _is_library(self, thread: threading.Thread) -> bool:
        ours = thread is threading.current_thread() or thread.name == self._start.instance
        return not ours and not any(other in thread.name for other in self._others(self.client_id))

    def _role(self) -> Role:
        role, profile = self._start.role, self._start.profile
        client = f"{self._library.family} {self._library.version}"
        if role not in self._library.roles:
            raise Unsupported(f"{client} has no role {role!r}; it has {', '.join(self._library.roles)}")
        if profile not in self._library.profiles:
            raise Unsupported(f"{client} has no profile {profile!r}; it has {', '.join(self._library.profiles)}")
        workload = workload_of(self._start)
        if reason := self._library.without.get(workload):
            raise Unsupported(f"{client} has no workload {workload}: {reason}")
        if workload != CONTINUOUS and role not in ROLES.get(workload, ()):
            raise Unsupported(f"{client} has no workload {workload!r} for role {role!r}")
        return self._library.roles[role]
