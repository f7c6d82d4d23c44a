"""ZooKeeper is gone, a broker cannot finish its shutdown, is killed, and is killed again during log recovery.

What the brokers do: ZooKeeper is silent for 15 s. A broker with 80 more partitions on its log dir gets SIGTERM, asks
ZooKeeper for the controller without a time limit, and continues to serve. SIGKILL follows after a grace period of 8 s,
so the logs have no mark of a clean shutdown. While ZooKeeper is away, no other leader is elected. When ZooKeeper is
back the sessions of all brokers have expired: each registers again, one becomes the controller, the leaders move. The
broker is started and recovers every log from its first byte on a slow disk, for 45 s. It listens only afterwards. A
check that expects it to listen after 25 s kills it, and it begins from the first log again, until an operator
intervenes.
The error a client meets: a lost connection, then refused ones, while Metadata names the dead broker for long; then 5 or
6 until the controller has elected new leaders.
What a good client does: keeps asking, and goes to the new leader when there is one; it must hold records for 15 s and
more.
Registration order is measured and not judged: it is random, so leaders of healthy brokers may move as well.
Source: an outage on 2.6.2 with pods of short grace and short probes; in Kafka up to 3.x KafkaServer.controlledShutdown
asks ZooKeeper without a limit, and LogManager writes recovery points only after all logs are loaded.
Not covered: a ZooKeeper that loses its data; restarts while it is still away (a broker then gives up after 18 s).
"""

from dataclasses import dataclass, replace

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.real_brokers import LoseZooKeeper, ManyLogs, Supervise

NAME = "incident/zookeeper-gone"
ZOOKEEPER_GONE_MS = 15_000
TERM_MS = 1000
PARTITIONS, BATCHES, READ_MS = 80, 40, 3


LONGER_GRACE = """ZooKeeper is gone as in incident/zookeeper-gone, and the broker has 45 s to end instead of 8.

What the brokers do: the broker that got SIGTERM continues to serve until ZooKeeper is back. Then it finds its session
expired, ends without handing over, and marks its logs as clean. It is not killed and is back within seconds.
The error a client meets: one lost connection, for the second that the new controller takes.
What a good client does: goes to the new leader, without an error to the application.
Source: terminationGracePeriodSeconds, TimeoutStopSec; as incident/zookeeper-gone.
Not covered: a ZooKeeper that stays away for longer than the grace period, which is incident/zookeeper-gone again.
"""

NO_SHUTDOWN_RETRIES = """ZooKeeper is gone as in incident/zookeeper-gone; brokers that end do not try to hand over.

What the brokers do: with controlled.shutdown.max.retries=0 the broker closes its connections at once and marks its logs
as clean within seconds. Then it waits for ZooKeeper to close its session, until SIGKILL comes. It is back soon
nevertheless. But its partitions have no leader from SIGTERM on until ZooKeeper is back, and some seconds longer.
The error a client meets: as in incident/zookeeper-gone, but from SIGTERM on and not from SIGKILL on.
What a good client does: as in incident/zookeeper-gone; it must hold records for longer.
Source: KafkaServer.controlledShutdown; as incident/zookeeper-gone.
Not covered: the cost while ZooKeeper is there: each stop then leaves partitions without a leader for a moment.
"""

MORE_RECOVERY_THREADS = """ZooKeeper is gone as in incident/zookeeper-gone; eight logs are recovered at a time.

What the brokers do: everything as in incident/zookeeper-gone, but with num.recovery.threads.per.data.dir=8 the recovery
is over before the check expires: one kill and no loop. That helps as far as the disk serves eight readers at a time.
The error a client meets: as in incident/zookeeper-gone.
What a good client does: as in incident/zookeeper-gone.
Source: num.recovery.threads.per.data.dir, 1 by default up to 3.x; as incident/zookeeper-gone.
Not covered: a disk that is no faster for eight readers (here each read is delayed separately).
"""

PATIENT_CHECK = """ZooKeeper is gone as in incident/zookeeper-gone, and the check waits for 120 s instead of 25.

What the brokers do: everything as in incident/zookeeper-gone, but the recovery runs undisturbed until it is over: one
kill and no loop. The broker is back when it has read all its logs.
The error a client meets: as in incident/zookeeper-gone.
What a good client does: as in incident/zookeeper-gone.
Source: startupProbe, initialDelaySeconds; as incident/zookeeper-gone.
Not covered: a broker that hangs at its start for good, which such a check finds late.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mitigation:
    """A change of the procedure and its effect. Times are in milliseconds."""

    story: str
    grace_ms: int = 8000
    check_ms: int = 25_000
    properties: tuple[tuple[str, str], ...] = ()
    watch_least_ms: int
    """Time until the broker serves, or the restart loop is observed."""


def variants_with(remedy: Mitigation) -> tuple[RoleVariant, ...]:
    """Return the variants with a mitigation applied."""
    variants = variants_of_a_broker(
        expect(
            Symptom.CONNECTION,
            Reaction.DISCOVER,
            target=Target.LEADER,
            prompt_ms=5000,
            watch_ms=remedy.watch_least_ms,
            informative=True,
        ),
        ManyLogs(partitions=PARTITIONS, batches=BATCHES),
        Supervise(after_ms=TERM_MS, grace_ms=remedy.grace_ms, check_ms=remedy.check_ms, read_ms=READ_MS),
        LoseZooKeeper(for_ms=ZOOKEEPER_GONE_MS),
    )
    cluster = ClusterSpec(properties=remedy.properties) if remedy.properties else DEFAULT_CLUSTER
    least_ms = remedy.watch_least_ms
    return tuple(replace(variant, cluster=cluster, watch_least_ms=least_ms, busy=True) for variant in variants)


def incident(name: str, remedy: Mitigation) -> Scenario:
    """Return the scenario with a mitigation applied."""
    return Scenario(
        name=name,
        story=remedy.story,
        engines=(Engine.KAFKA,),
        asked=True,
        real_since="1.1",
        real_until="3.4",
        real_reason="older brokers choose log dirs themselves, newer ones have no ZooKeeper",
        variants=variants_with(remedy),
    )


SCENARIO = incident(NAME, Mitigation(story=__doc__ or "", watch_least_ms=75_000))

MITIGATIONS = {
    "longer-grace": Mitigation(
        story=LONGER_GRACE,
        grace_ms=45_000,
        watch_least_ms=45_000,
    ),
    "no-shutdown-retries": Mitigation(
        story=NO_SHUTDOWN_RETRIES,
        properties=(("controlled.shutdown.max.retries", "0"),),
        watch_least_ms=45_000,
    ),
    "more-recovery-threads": Mitigation(
        story=MORE_RECOVERY_THREADS,
        properties=(("num.recovery.threads.per.data.dir", "8"),),
        watch_least_ms=50_000,
    ),
    "patient-check": Mitigation(
        story=PATIENT_CHECK,
        check_ms=120_000,
        watch_least_ms=110_000,
    ),
}

VARIANTS = tuple(incident(f"{NAME}/{name}", remedy) for name, remedy in MITIGATIONS.items())
