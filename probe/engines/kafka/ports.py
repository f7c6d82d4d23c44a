"""Interfaces of faults on real brokers: server processes, administration, clusters, disks and fault actions.

`cluster`, `admin` and `disks` in `probe.engines.kafka` implement them; `faults` has one `FaultAction` per kind of
step. An action is injected once for a whole cohort, for all subjects together; they share the failing broker.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from probe.engines.kafka.zookeeper_ports import QuorumProxiesPort
from probe.model import EngineKind, Subject
from probe.model.cluster import Nodes
from probe.model.endpoint import Endpoint
from probe.ports import RelayPort
from probe.scenarios.steps.step import Step

AnyStep_contra = TypeVar("AnyStep_contra", contravariant=True)
Replicas = Mapping[int, Sequence[int]]
"""Replicas by partition: broker ids, preferred leader first."""


class ServerProcess(Protocol):
    """A broker, KRaft controller or ZooKeeper server. All waits have a deadline and raise TimeoutError."""

    @property
    def name(self) -> str:
        """Return its name in messages: `broker 1`, `controller 4`, `zookeeper 1`."""

    @property
    def node(self) -> int:
        """Return its id."""

    @property
    def folder(self) -> Path:
        """Return its folder, which has its configuration, its log dirs and the files of faults."""

    @property
    def pid(self) -> int | None:
        """Return the id of the Java process; None while there is none."""

    @property
    def paused(self) -> bool:
        """Return whether it is paused. A paused broker does not answer, so `Admin` asks other ones."""

    @property
    def exit_code(self) -> int | None:
        """Return the exit code of its last process (minus the signal's number after a signal); None while it runs."""

    @property
    def lines(self) -> Sequence[str]:
        """Return the last lines of its log; the log goes on over restarts."""

    @property
    def settings(self) -> dict[str, str]:
        """Return its properties; changes apply from its next start."""

    @property
    def environment(self) -> dict[str, str]:
        """Return its added environment variables, such as LD_PRELOAD; changes apply from its next start."""

    async def start(self) -> None:
        """Start the process and return at once. EngineError if that fails or if it runs already."""

    async def ready(self, deadline_s: float) -> None:
        """Wait until it serves. EngineError with its last lines if it ended, TimeoutError if it is late."""

    def terminate(self) -> None:
        """Send SIGTERM and return at once; a broker then makes a controlled shutdown."""

    def kill(self) -> None:
        """Send SIGKILL."""

    def pause(self) -> None:
        """Send SIGSTOP."""

    def resume(self) -> None:
        """Send SIGCONT."""

    async def ended(self, deadline_s: float) -> int:
        """Wait until the process is gone, and return its exit code."""


class BrokerProcess(ServerProcess, Protocol):
    """A broker."""

    @property
    def log_dirs(self) -> Sequence[Path]:
        """Return its log dirs: affected partitions lie in the first, bystanders and internal topics in the second.

        See docs/engines.md#placement.
        """

    @property
    def internal(self) -> Endpoint:
        """Return its address past the relay, for other brokers and the harness."""

    external: Endpoint
    """Its address for clients."""
    folder: Path
    """The folder of its files."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Leader and replicas of a partition as one broker reports them."""

    leader: int
    """-1 = the partition has no leader."""
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


class Admin(Protocol):
    """Administration past the relay. EngineError if the brokers refuse, TimeoutError if they are late.

    Requests that any broker can answer go to one that runs and is not paused.
    """

    async def placements(self, topics: Sequence[str], *, at: int | None = None) -> Mapping[tuple[str, int], Placement]:
        """Return Metadata of topics as broker `at`, or any that runs, reports it. Topics unknown to it are left out."""

    async def brokers(self, *, at: int | None = None) -> Mapping[int, Endpoint]:
        """Return the brokers that Metadata lists, with their internal addresses."""

    async def controller(self, *, at: int | None = None) -> int:
        """Return the active controller as broker `at`, or any that runs, reports it; -1 if it does not know it.

        With KRaft, brokers name any broker.
        """

    async def resign_controller(self) -> int:
        """Let the brokers of a cluster with ZooKeeper elect a controller again, and return it. TimeoutError."""

    async def coordinator(self, key_type: int, key: str, *, at: int) -> int:
        """Return the coordinator of a group (0) or transactional id (1) as broker `at` reports; -1 if unknown."""

    async def create_topic(self, topic: str, replicas: Replicas, config: Mapping[str, str] | None = None) -> None:
        """Create a topic and wait until every running broker names its leaders and all replicas are in sync."""

    async def create_topics(self, topics: Mapping[str, Replicas], config: Mapping[str, str] | None = None) -> None:
        """Create topics and wait until every running broker names their leaders and all replicas are in sync."""

    async def delete_topics(self, topics: Sequence[str]) -> None:
        """Delete topics and wait until no running broker knows them."""

    async def grow_topic(self, topic: str, replicas: Replicas) -> None:
        """Add the partitions that are new in `replicas`, which names all partitions."""

    async def configure_topic(self, topic: str, config: Mapping[str, str]) -> None:
        """Set a topic's configuration; properties that are not named return to their defaults."""

    async def set_quota(self, clients: Sequence[str], key: str, value: float | None) -> None:
        """Set a quota of client ids, or remove it (None). EngineError before 2.6."""

    async def reassign(self, moves: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Start to move partitions to other replicas, preferred leader first. Return without waiting for the move."""

    async def elect_preferred(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Elect the first replica of each partition as its leader, if it is in sync."""

    async def prefer_log_dir(self, node: int, log_dir: str, partitions: Sequence[tuple[str, int]]) -> bool:
        """Choose the log dir of replicas that a broker does not have yet; return False if it does not support that."""

    async def elect_unclean(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Elect a leader that is not in sync. EngineError before 2.4."""


class DiskWay(Protocol):
    """A method to break and repair a broker's log dir (docs/engines.md#ways-to-break-a-disk)."""

    @property
    def name(self) -> str:
        """Return its name: `eio`, `rename`, ..."""

    @property
    def anywhere(self) -> bool:
        """Return whether it also works on a file system in memory."""

    def impossible(self) -> str:
        """Return why it does not work on this machine; empty if it does."""

    def environment(self, folder: Path) -> Mapping[str, str]:
        """Return environment variables that the broker with this folder needs from its first start on."""

    @property
    def properties(self) -> Mapping[str, str]:
        """Return properties with which brokers notice a broken disk soon."""

    async def break_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Let all writes of the broker to a log dir fail from now on."""

    async def fill_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Let all calls that need more space in a log dir fail from now on. EngineError if not supported."""

    async def slow_reads(self, broker: BrokerProcess, path: Path, delay_ms: int) -> None:
        """Delay each read at or below a path until `mend_dir`. EngineError if not supported."""

    async def hold_writes(self, broker: BrokerProcess, path: Path) -> None:
        """Let each write at or below a path wait until `mend_dir`. EngineError if not supported."""

    async def mend_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Repair a log dir, end slow reads and held writes below it. A broken one is used from the next start on."""


class RealCluster(Protocol):
    """Three running brokers behind a relay, with the controllers or ZooKeeper servers that they need."""

    @property
    def line(self) -> str:
        """Return the release line, such as `3.9`."""

    @property
    def version(self) -> str:
        """Return the exact version."""

    @property
    def kraft(self) -> bool:
        """Return whether it runs without ZooKeeper."""

    @property
    def nodes(self) -> Nodes:
        """Return the ids of its brokers."""

    @property
    def brokers(self) -> Mapping[int, BrokerProcess]:
        """Return the brokers by id."""

    @property
    def ensemble(self) -> Sequence[ServerProcess]:
        """Return the KRaft controllers or the ZooKeeper servers."""

    @property
    def quorum_proxies(self) -> QuorumProxiesPort:
        """Return the proxies between the members of a ZooKeeper ensemble; none if there is at most one member."""

    @property
    def admin(self) -> Admin:
        """Return its administration."""

    @property
    def relay(self) -> RelayPort:
        """Return the relay of all clients: a listener for each of `nodes.addresses`."""

    @property
    def disk(self) -> DiskWay:
        """Return the method that breaks this cluster's disks."""

    async def start_broker(self, node: int, deadline_s: float = 60.0) -> None:
        """Start a broker that is down; return when it serves and the others list it."""

    async def give_back(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Give replicas back to internal partitions, in the log dir of bystanders; wait until they have them."""

    async def replace(self, topics: Mapping[str, Replicas], partitions: tuple[int, int]) -> None:
        """Kill all servers, and start another cluster at their addresses, with other topics of these names.

        Its topics have old records and elections of these two partitions, the affected one and the bystander, as at
        the start of a trial. EngineError or OSError.
        """

    async def restore(self) -> None:
        """End the cluster that replaced this one, and start this one again. EngineError or OSError."""

    async def in_sync(self, topics: Sequence[str], deadline_s: float = 60.0) -> None:
        """Wait until all replicas of these topics on running brokers are in sync."""

    def emit(self, kind: EngineKind, *, broker: int = -1, text: str = "", topic: str = "", partition: int = -1) -> None:
        """Emit an event to all members of the cohort, with the present time.

        Actions emit STOPPED, RETURNED, REPLACED and NOTE, FAULT_ON by `FaultTarget.mark_fault_on`, and MOVED and
        ANNOUNCED of the controller and where a broker returns into its office.
        """

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run later work of a fault in a task, which is cancelled and awaited before the fault is reverted."""


@dataclass(slots=True)
class FaultTarget:
    """One fault on one cluster, with the subjects of the whole cohort."""

    cluster: RealCluster
    subjects: Sequence[Subject]
    """Subjects of all members, once for each partition that is hit: same `old`, and all lie in its `log_dirs[0]`."""
    election_ms: int
    """Duration of an election as declared for the fake; real elections have no set duration."""
    unhealthy: set[int] = field(default_factory=set)
    """Brokers whose reports do not count for `announced`: actions add those that they break, stop or hang."""
    steps: Sequence[Step] = ()
    """All steps of the scenario: some follow from others (a controlled shutdown moves leaders away)."""
    leaving: set[int] = field(default_factory=set)
    """Brokers in a controlled shutdown, which may still run."""
    marked: bool = False
    """FAULT_ON was emitted: by an action when the fault is in force, else by the engine when all have returned."""

    @property
    def old(self) -> int:
        """Return the failing broker."""
        return self.subjects[0].old

    @property
    def turns(self) -> tuple[int, ...]:
        """Return the brokers by the `turn` of steps: the failing one first, then the others by place."""
        return self.cluster.nodes.turns(self.old)

    @property
    def successor(self) -> int:
        """Return the broker that takes over from the failing one."""
        return self.cluster.nodes.next(self.old)

    @property
    def led_anew(self) -> tuple[int, ...]:
        """Return the other brokers, the successor first: the replicas of what the failing one has no longer."""
        return self.cluster.nodes.beginning(self.successor)[:-1]

    @property
    def affected(self) -> list[tuple[str, int]]:
        """Return the affected partitions of all subjects."""
        return [(subject.topic, subject.affected) for subject in self.subjects]

    def mark_fault_on(self) -> None:
        """Emit FAULT_ON, once."""
        if not self.marked:
            self.marked = True
            self.cluster.emit(EngineKind.FAULT_ON, broker=self.old)


class FaultAction(Protocol[AnyStep_contra]):
    """Injects and reverts one kind of step on a real cluster. The engine itself emits MOVED and ANNOUNCED."""

    async def inject(self, step: AnyStep_contra, target: FaultTarget) -> None:
        """Inject a step, and return when it is in force. EngineError if that fails: the trials are then broken.

        Later parts (`When`) go to `target.cluster.spawn`.
        """

    async def revert(self, step: AnyStep_contra, target: FaultTarget) -> None:
        """Revert a step: clients can recover and the cluster can be used again (disk repaired, broker back).

        Called once per step, last step first, also if `inject` failed. HEALED is emitted when all steps are reverted.
        """


ActionTable = Mapping[type[Step], FaultAction[Any]]
"""Actions by kind of step. The engine does not play other steps, and `probe plan` gives the reason."""
