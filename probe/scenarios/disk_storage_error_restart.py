"""A disk dies, and the broker is restarted with the disk still broken.

What the brokers do: as in disk/storage-error; two seconds later the broker is stopped with a controlled shutdown and
started again. It finds the log dir dead, comes back with the other one, and leads nothing from the dead one. For its
lost partitions it answers KAFKA_STORAGE_ERROR (56) or UNKNOWN_TOPIC_OR_PARTITION (3) on ZooKeeper lines,
NOT_LEADER_OR_FOLLOWER (6) on KRaft.
The error a client meets: 56, then a lost connection; 3, 6 or 56 if it goes back to that broker.
What a good client does: goes to the new leader at the first error, and is hardly affected by the restart.
Source: KIP-112; a restart is an operator's first reaction to a broker that answers errors (observed on 2.6.2 and
3.9.2).
Not covered: a broker whose last log dir is dead (disk/last-log-dir); groups, whose coordinator it may be, too.
"""

from probe.model import Engine, Reaction, Symptom, Target, Trigger
from probe.scenarios.broker_variants import LED
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import BreakLogDir

SCENARIO = Scenario(
    name="disk/storage-error-restart",
    story=__doc__,
    engines=(Engine.KAFKA,),
    real_since="1.0",
    real_reason="a broker halts at its first I/O error",
    variants=(
        RoleVariant(
            roles=LED,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(56, 6, 3, 7),
                causes=(Trigger.ERROR, Trigger.DISCONNECT),
                prompt_ms=5000,
                watch_ms=20000,
            ),
            steps=(
                BreakLogDir(),
                StopBroker(when=When(after_ms=2000), listed=False),
                ReturnBroker(when=When(after_ms=3000)),
            ),
            whole_broker=True,
            watch_least_ms=12_000,
        ),
    ),
)
