"""All brokers are gone for good, and another cluster serves at their addresses.

What the brokers do: all connections are cut and every port refuses for 2 s. Then brokers with the same ids serve at the
same addresses. They belong to another cluster: Metadata has another cluster id, and a topic of the same name with
another topic id, other records and no committed offsets. From 4.4 on they answer REBOOTSTRAP_REQUIRED (129) to an
ApiVersions request that names the former cluster (KIP-1242). Real brokers are killed; those of the other cluster serve
once they have started, some 15 s later.
The error a client meets: closed and refused connections, then brokers that answer as if nothing had happened; where
state is missing there, UNKNOWN_TOPIC_ID (100), OFFSET_OUT_OF_RANGE (1), UNKNOWN_PRODUCER_ID (59) or UNKNOWN_MEMBER_ID
(25).
What a good client does: notices the other cluster id and reports an error. It acknowledges and delivers nothing there:
what is acknowledged in another cluster is not in the cluster that the application wrote to.
Source: KAFKA-20393, KIP-1242: addresses that are given to the brokers of another cluster; a wiped test cluster.
Not covered: a copy of the cluster with the same records (a failover), which a client cannot tell from its own.
"""

from dataclasses import replace

from probe.model import Outcome, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, CONFORMS, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReplaceCluster

WATCH_MS = 45_000
"""franz-go shows UNKNOWN_TOPIC_ID after five answers, which are MetadataMinAge = 5 s apart."""
PLAY = replace(
    expect(Symptom.CONNECTION, Reaction.SURFACE, target=Target.CLUSTER, prompt_ms=5000, watch_ms=WATCH_MS),
    conforms=(*CONFORMS[Reaction.SURFACE], Outcome.FATAL),
)
VARIANT = RoleVariant(
    roles=(*CLIENT_ROLES, Role.TRANSACTIONAL), expectation=PLAY, steps=(ReplaceCluster(down_ms=2000),)
)
REAL_START_MS = 35_000
"""Time in which the brokers of another real cluster start and have its topics, in ms: the watch is longer by it."""

SCENARIO = Scenario(
    name="cluster/replaced",
    story=__doc__,
    variants=(VARIANT,),
    real=(
        replace(
            VARIANT,
            expectation=replace(PLAY, watch_ms=PLAY.watch_ms + REAL_START_MS),
            watch_least_ms=PLAY.watch_ms + REAL_START_MS,
        ),
    ),
    real_since="3.5",
    real_reason="the engine replaces clusters without ZooKeeper only",
)
