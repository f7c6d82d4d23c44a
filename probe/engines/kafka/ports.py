"""What a fault on real brokers is made of: handles of processes, the cluster's verbs, ways to break a disk, deeds.

The engine (`probe.engines.kafka`) implements `BrokerProcess`, `Admin` and `RealCluster`; `disk` implements `DiskWay`;
`kafka_deeds` has one `FaultAction` for each kind of step. A deed is done once for a whole cohort: for every subject at
the same time, on the broker that they have in common.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from probe.engines.kafka.zookeeper.ports import QuorumProxiesPort
from probe.model import EngineKind, Subject
from probe.model.endpoint import Endpoint
from probe.ports import RelayPort
from probe.scenarios.steps.partitions import Step

AnyStep_contra = TypeVar("AnyStep_contra", contravariant=True)
Replicas = Mapping[int, Sequence[int]]
"""Brokers by partition, the preferred leader first."""

OFFSETS_TOPIC, TRANSACTIONS_TOPIC = "__consumer_offsets", "__transaction_state"


class ServerProcess(Protocol):
    """One node: a broker, a KRaft controller or a ZooKeeper. Every wait has a deadline and raises TimeoutError."""

    @property
    def name(self) -> str:
        """Return what it is called in messages: `broker 1`, `controller 4`, `zookeeper 1`."""

    @property
    def node(self) -> int:
        """Return its id."""

    @property
    def folder(self) -> Path:
        """Return its own folder: configuration, log dirs, whatever a fault needs to keep there."""

    @property
    def pid(self) -> int | None:
        """Return the id of the Java process; None while there is none."""

    @property
    def paused(self) -> bool:
        """Say whether it was paused: it answers nobody, so `Admin` asks only others."""

    @property
    def exit_code(self) -> int | None:
        """Return how its last process ended (minus the signal's number); None while it runs."""

    @property
    def lines(self) -> Sequence[str]:
        """Return the last lines of its log, over all its starts."""

    @property
    def settings(self) -> dict[str, str]:
        """Return its properties; what is changed holds from its next start on."""

    @property
    def environment(self) -> dict[str, str]:
        """Return what is added to its environment (such as LD_PRELOAD); a change holds from its next start on."""

    async def start(self) -> None:
        """Start the process and return at once. EngineError if that is impossible or it runs already."""

    async def ready(self, deadline_s: float) -> None:
        """Wait until it serves. EngineError with its last words when it ended, TimeoutError when it is late."""

    def terminate(self) -> None:
        """Send SIGTERM: a broker shuts down in a controlled way. Nothing is waited for."""

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
        """Return its log dirs: the first holds what is affected, the second bystanders and internal topics."""

    @property
    def internal(self) -> Endpoint:
        """Return the address off the relay, for other brokers and for us."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a partition lies, as one broker sees it."""

    leader: int
    """-1 = nobody leads it."""
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


class Admin(Protocol):
    """Kafka's own administration, off the relay. EngineError when the brokers refuse, TimeoutError when they are late.

    Where any broker will do, one is asked that runs and is not paused.
    """

    async def placements(self, topics: Sequence[str], *, at: int | None = None) -> Mapping[tuple[str, int], Placement]:
        """Ask one broker (any that runs, if `at` is None) for Metadata; topics that it does not know are left out."""

    async def brokers(self, *, at: int | None = None) -> Mapping[int, Endpoint]:
        """Return the brokers that Metadata lists, with their internal addresses."""

    async def controller(self) -> int:
        """Return the broker that is the active controller; -1 where brokers do not know (KRaft names any)."""

    async def coordinator(self, key_type: int, key: str, *, at: int) -> int:
        """Ask one broker who coordinates a group (0) or transactional id (1); -1 if it does not know."""

    async def create_topic(self, topic: str, replicas: Replicas, config: Mapping[str, str] | None = None) -> None:
        """Create a topic and wait until every running broker names its leaders and all replicas are in sync."""

    async def create_topics(self, topics: Mapping[str, Replicas], config: Mapping[str, str] | None = None) -> None:
        """Create topics and wait until every running broker names their leaders and all replicas are in sync."""

    async def delete_topics(self, topics: Sequence[str]) -> None:
        """Delete topics and wait until no running broker knows them."""

    async def grow_topic(self, topic: str, replicas: Replicas) -> None:
        """Add the partitions that are new in `replicas` (which names all)."""

    async def configure_topic(self, topic: str, config: Mapping[str, str]) -> None:
        """Set a topic's own configuration; what is not named returns to the default."""

    async def reassign(self, moves: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Begin to move partitions to other replicas, preferred leader first; nothing is waited for."""

    async def elect_preferred(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Let the first replica of each partition lead it, if it is in sync."""

    async def prefer_log_dir(self, node: int, log_dir: str, partitions: Sequence[tuple[str, int]]) -> bool:
        """Tell a broker where to make replicas that it does not have yet; False where it cannot be told."""

    async def elect_unclean(self, partitions: Sequence[tuple[str, int]]) -> None:
        """Let a replica lead that is not in sync (brokers from 2.4 on)."""


class DiskWay(Protocol):
    """A way to break a broker's log dir, and how it is repaired."""

    @property
    def name(self) -> str:
        """Return its name: `eio`, `rename`, ..."""

    @property
    def anywhere(self) -> bool:
        """Say whether it works on a file system in memory, too."""

    def impossible(self) -> str:
        """Say why it cannot be done on this machine; empty if it can."""

    def environment(self, folder: Path) -> Mapping[str, str]:
        """Return what a broker whose folder this is must be started with, from its first start on."""

    @property
    def properties(self) -> Mapping[str, str]:
        """Return what brokers must be told so that they notice soon."""

    async def break_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Let everything that the broker writes there fail from now on."""

    async def fill_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Let everything there that needs more room fail from now on. EngineError where this way cannot."""

    async def slow_reads(self, broker: BrokerProcess, path: Path, delay_ms: int) -> None:
        """Let each read at or below a path take so long, until it is mended. EngineError where this way cannot."""

    async def mend_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Repair it, slow reads below it as well; the broker takes the log dir back at its next start."""


class RealCluster(Protocol):
    """Three running brokers with a relay before them, and whatever they need beside them."""

    @property
    def line(self) -> str:
        """Return the Kafka line, `3.9`."""

    @property
    def version(self) -> str:
        """Return the exact version."""

    @property
    def kraft(self) -> bool:
        """Say whether it runs without ZooKeeper."""

    @property
    def brokers(self) -> Mapping[int, BrokerProcess]:
        """Return the brokers: 1, 2, 3."""

    @property
    def ensemble(self) -> Sequence[ServerProcess]:
        """Return the KRaft controllers, or the ZooKeepers."""

    @property
    def quorum_proxies(self) -> QuorumProxiesPort:
        """Return what lies between the ZooKeepers of an ensemble; nothing where there is one, or none."""

    @property
    def admin(self) -> Admin:
        """Return its administration."""

    @property
    def relay(self) -> RelayPort:
        """Return the relay that all clients go through (brokers 1 to 3, and 0, which never moves)."""

    @property
    def disk(self) -> DiskWay:
        """Return the way in which this cluster's disks break."""

    async def start_broker(self, node: int, deadline_s: float = 60.0) -> None:
        """Start a broker that is down; return when it serves and the others list it."""

    async def give_back(self, wanted: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Give internal partitions replicas that were away, where bystanders lie; wait until they have these."""

    async def in_sync(self, topics: Sequence[str], deadline_s: float = 60.0) -> None:
        """Wait until all replicas of these topics, on brokers that run, are in sync."""

    def emit(self, kind: EngineKind, *, broker: int = -1, text: str = "", topic: str = "", partition: int = -1) -> None:
        """Tell every cell of the cohort, now. Deeds tell STOPPED, RETURNED, NOTE; FAULT_ON by `FaultTarget.strike`."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what comes later beside the watch; it is cancelled, and waited for, before the cluster is mended."""


@dataclass(slots=True)
class FaultTarget:
    """One fault on one cluster, and everybody who watches it."""

    cluster: RealCluster
    subjects: Sequence[Subject]
    """Every cell of the cohort: same `old`; affected partitions lie in `log_dirs[0]` of that broker."""
    election_ms: int
    """What the scenario declares for the fake; real elections take what they take."""
    unhealthy: set[int] = field(default_factory=set)
    """Brokers whose word does not count for `announced`: deeds add those that they break, stop or hang."""
    steps: Sequence[Step] = ()
    """All steps of the scenario: some are part of what another one does (a controlled shutdown moves leaders away)."""
    leaving: set[int] = field(default_factory=set)
    """Brokers that deeds told to end in a controlled way, and that may still be there."""
    marked: bool = False
    """FAULT_ON was told. A deed calls `strike` at the moment at which the fault is in force; else the engine tells it
    when all deeds of the scenario have returned."""

    @property
    def old(self) -> int:
        """Return the broker that fails."""
        return self.subjects[0].old

    @property
    def affected(self) -> list[tuple[str, int]]:
        """Return the affected partitions of all cells."""
        return [(subject.topic, subject.affected) for subject in self.subjects]

    def mark_fault_on(self) -> None:
        """Tell FAULT_ON, once."""
        if not self.marked:
            self.marked = True
            self.cluster.emit(EngineKind.FAULT_ON, broker=self.old)


class FaultAction(Protocol[AnyStep_contra]):
    """How a kind of step is done on a real cluster, and how it is mended. MOVED and ANNOUNCED are the engine's."""

    async def inject(self, step: AnyStep_contra, target: FaultTarget) -> None:
        """Break; return when it is in force. What the step wants later (`When`) goes to `scene.cluster.spawn`.

        EngineError if it cannot be done: the trials are broken and say so.
        """

    async def revert(self, step: AnyStep_contra, target: FaultTarget) -> None:
        """Mend it, so that clients can see it mended and the cluster can be used again: disk repaired, broker back.

        Called once per step, last step first, also when `do` failed. HEALED is told when all steps are undone.
        """


ActionTable = Mapping[type[Step], FaultAction[Any]]
"""`kafka_deeds.DEEDS`: steps that are not in it are not played by this engine, and `probe plan` says so."""
