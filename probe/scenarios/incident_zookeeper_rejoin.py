"""The leader of a ZooKeeper ensemble drops a follower, which follows again within a tenth of a second.

What the brokers do: three ZooKeeper servers form an ensemble. The leader closes the connection of the follower that
serves most brokers. The follower stops serving, closes the brokers' connections, looks for a leader, finds the same
one, and serves again. The brokers of those connections continue their sessions at another ZooKeeper server, long before
the sessions expire. No leader, no coordinator and no controller moves.
The error a client meets: none.
What a good client does: is not affected. In the end the log segments and indexes of each topic, as Kafka's own tool
dumps them from every replica, must agree with the read-back: offsets, sequences, producers, leader epochs.
Source: an outage review on 3.4.1, in which this was the only trace in the logs, and was suspected of losing records.
Not covered: a follower that stays away, an ensemble without a quorum (incident/zookeeper-gone), a slow one.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.real_brokers import DropFollower, DumpLogs

ENSEMBLE = 3

SCENARIO = Scenario(
    name="incident/zookeeper-rejoin",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    real_since="2.6",
    real_until="3.4",
    real_reason="it needs ZooKeeper, and logs that Kafka's tool of the same version can dump completely",
    variants=(
        RoleVariant(
            roles=(*CLIENT_ROLES, Role.TRANSACTIONAL),
            expectation=expect(Symptom.NONE, Reaction.NOTHING, target=Target.CLUSTER, watch_ms=15_000),
            steps=(DropFollower(), DumpLogs()),
            watch_least_ms=15_000,
            busy=True,
            cluster=ClusterSpec(zookeepers=ENSEMBLE),
        ),
    ),
)
