"""Teardown of a trial: the instance is closed, observations are cross-checked, and stored records are read back."""

from __future__ import annotations

from dataclasses import replace

from probe.drivers.process import RunningInstance
from probe.errors import DriverLostError
from probe.model import EngineEvent, EngineKind, History, MarkKind
from probe.model.cluster_history import WRITER
from probe.ports import Cluster
from probe.runner.trial.state import TrialState

STOP_MS = 5000
ELECTION_TOLERANCE_MS = 40


async def stop_instance(state: TrialState, instance: RunningInstance, cluster: Cluster, *, alone: bool) -> None:
    """Close the instance; revert the fault if it cannot close under it.

    Raises DriverLostError if its process ended and it did not run alone.
    """
    if state.recorder.ending is None:
        state.recorder.mark(MarkKind.STOPPING)
        await instance.stop(STOP_MS)
        if not instance.ended.is_set():
            await cluster.revert()
            await instance.stop(STOP_MS)
        if not instance.ended.is_set():
            await instance.check()  # others of its process may stand still because of one
    state.recorder.mark(MarkKind.STOPPED)
    state.header = replace(state.header, clock_error_us=instance.clock_error_us)
    if instance.died and not alone:
        raise DriverLostError(instance.died)
    if not instance.ended.is_set():
        state.problem("the driver did not end the instance within its deadline")


async def read_back(state: TrialState, cluster: Cluster) -> None:
    """Cross-check the observations and read the trial's topic back, without the records of the cluster's history."""
    if EngineKind.HEALED not in state.recorder.engine:
        await cluster.revert()
    for text in await cluster.problems():
        state.problem(text)
    if not state.header.impossible:
        back = await cluster.read_back()
        stored = tuple(record for record in back.stored if record.instance != WRITER)
        state.header = replace(state.header, stored=stored, committed=back.committed)
    state.recorder.mark(MarkKind.END)
    if text := _late_election(state.history()):
        state.problem(text)


def _late_election(history: History) -> str:
    """Return a problem if the fake cluster moved the leader at another time than requested."""
    asked = history.header.play.election_ms
    for event in history.events:
        if isinstance(event, EngineEvent) and event.kind is EngineKind.MOVED and asked is not None and event.value >= 0:
            if abs(event.value - asked) > ELECTION_TOLERANCE_MS:
                return f"the leader moved {event.value} ms after the first hit, not {asked}"
            return ""
    return ""
