"""A broker is decommissioned by a plan that keeps the number of replicas: its data is copied before it stops.

What the brokers do: the affected partition has two replicas, one of them at the broker that is removed. A plan covers
all replicas of that broker. Each replica moves to the broker that holds the fewest replicas and has none of that
partition yet. Where all other brokers have one, the partition keeps two. The leaders move when the copies are in sync,
then the broker gets SIGTERM and ends for good. min.insync.replicas is 2. In the end the logs of the new replicas are
dumped and compared with the read-back.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16); later closed and refused connections.
What a good client does: follows because of the error, loses nothing, and reports no error when the broker stops.
Source: kafka-reassign-partitions with a custom plan, the usual way for operators to remove a machine.
Not covered: throttled copies of many gigabytes; the broker's registration, which KRaft keeps (KIP-746);
broker/decommissioned has the same end without the copies, and on the fake, too.
"""

from probe.model import Engine, Reaction, Symptom, Target, Trigger
from probe.scenarios.incident_rolling_restart import CLUSTER
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.real_brokers import Decommission, DumpLogs, KeepReplicas

SCENARIO = Scenario(
    name="incident/decommissioned",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    real_since="1.1",
    real_reason="the plan needs brokers that report the log dir of each replica and accept a log dir for it",
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(6, 74, 3, 100),
                causes=(Trigger.ERROR, Trigger.DISCONNECT),
                prompt_ms=5000,
                watch_ms=30_000,
            ),
            steps=(KeepReplicas(affected=(0, 1)), Decommission(), DumpLogs()),
            whole_broker=True,
            busy=True,
            watch_least_ms=15_000,
            cluster=CLUSTER,
        ),
    ),
)
