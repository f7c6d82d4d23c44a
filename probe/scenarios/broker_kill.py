"""A broker is killed without a controlled shutdown; no other leader is elected until its session ends.

What the brokers do: the process is killed (SIGKILL): connections end, the port refuses. The controller considers it
failed after 9 s (KRaft, broker.session.timeout.ms) or 6 s (ZooKeeper). Until then every broker names the dead one as
leader and coordinator. Then its leaders and coordinators move, and Metadata no longer lists it.
The error a client meets: a closed connection, refused connections, and metadata that sends it back to a dead broker.
What a good client does: keeps asking at its back-off, no faster; keeps the records that it has accepted; goes to the
new leader when there is one.
Source: SIGKILL on real brokers: 8.6 s on 3.9.2, 5 to 6.4 s on ZooKeeper lines; out-of-memory kills, power failures,
panics.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others, and share groups, lose their
leader (broker/kill/share-coordinator has a share group's coordinator).
Not covered: the broker's return; replicas that were not in sync.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.share_variants import of_share_groups
from probe.scenarios.steps.brokers import Evacuate, StopBroker, When

WITH_OFFSETS = """The broker that coordinates a transaction and the group whose offsets it commits is killed.

What the brokers do: as in broker/kill. The broker coordinates both the transactional id and the group.
The error a client meets: closed and refused connections to both coordinators, which it may look up one after the other.
What a good client does: asks for both coordinators and commits its transactions, with their offsets, at the new ones.
Source: aio-libs/aiokafka #1151: the coordinator of the group was dead, and an assertion ended the producer.
Not covered: coordinators at two brokers; producers that commit offsets as members of the group only.
"""

LED, COORDINATED = variants_of_a_broker(
    expect(Symptom.CONNECTION, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=3000, watch_ms=15000),
    StopBroker(),
    Evacuate(when=When(elected=True), leaves=True, loading_ms=300),
    by_session=True,
)

SCENARIO = Scenario(name="broker/kill", story=__doc__, variants=(LED, COORDINATED, of_share_groups(LED)))

WITH_SHARES = """The broker that coordinates a share group is killed.

What the brokers do: as in broker/kill. Both partitions have their leaders elsewhere, and go on.
The error a client meets: a closed connection, refused connections, and a coordinator that is dead until another one is
elected.
What a good client does: accepts and reads on meanwhile, asks for the coordinator, and sends its heartbeats to the new
one before its session ends.
Source: KIP-932; KAFKA-20330 and KAFKA-20736 (share consumers that do not notice a broker's restart).
Not covered: the coordinator of the group's state, which brokers ask.
"""

VARIANTS = (
    replace(
        SCENARIO,
        name="broker/kill/share-coordinator",
        story=WITH_SHARES,
        variants=(replace(COORDINATED, roles=(Role.SHARE,)),),
        asked=True,
    ),
    replace(
        SCENARIO,
        name="broker/kill/with-offsets",
        story=WITH_OFFSETS,
        variants=(replace(COORDINATED, roles=(Role.TRANSACTIONAL,), offsets=True),),
        engines=(Engine.EMBEDDED,),
        asked=True,
    ),
)
