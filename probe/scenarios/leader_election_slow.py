"""The leader resigns and no other leader is elected for 30 s.

What the brokers do: the partition has no leader: its old one answers NOT_LEADER_OR_FOLLOWER (6), Metadata has leader -1
and LEADER_NOT_AVAILABLE (5) for it. After 30 s another replica is elected.
The error a client meets: 6 on Produce and Fetch, 5 in Metadata.
What a good client does: keeps asking for metadata at its back-off, no faster; goes to the new leader when there is one.
Producers hold the records or, where their time limit is exceeded, report them as failed and continue with the next.
On real brokers the leader is killed and, four seconds later, the broker of the only other replica. The cluster waits
for the replica that was in sync last, which comes back after 25 s. The delay is four seconds because a broker is fenced
9 s after its last heartbeat and sends one every 2 s. With a delay of one second the follower could be fenced first, and
the cluster would wait for the leader instead. Where eligible leader replicas are final (fresh installs from 4.1 on), a
replica that was killed is eligible no more: it leads again as the last known leader, by an election that the controller
calls unclean, with all of its records.
Source: an unclean shutdown with the last in-sync replica away; a slow controller failover, as with many partitions on
ZooKeeper. Kafka's MetadataCache returns 5 where no leader is known. KIP-966;
the controller's log of 4.3.1 and 4.4.0.
Not covered: an election that never comes (metadata/leaderless ends by itself, too); groups, which fetch as consumers
do.
"""

from probe.model import Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import LoseLeader
from probe.scenarios.steps.real_brokers import KeepReplicas

SCENARIO = Scenario(
    name="leader/election-slow",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(6, 5, 74),
                election_ms=30000,
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(LoseLeader(for_ms=30000),),
        ),
    ),
    real_since="3.9",
    real_reason="on ZooKeeper the last replica in sync is random, and with it whether any is elected",
    real=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.CONNECTION,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(6, 5, 74),
                prompt_ms=3000,
                watch_ms=45000,
            ),
            steps=(
                KeepReplicas(affected=(0, 1), bystander=(2,)),
                StopBroker(),
                StopBroker(turn=1, when=When(after_ms=4000)),
                ReturnBroker(turn=1, when=When(after_ms=25000)),
            ),
            whole_broker=True,
        ),
    ),
)
