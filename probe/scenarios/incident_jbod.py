"""One of two disks of a broker dies under running clients, and the fault stays for more than a minute.

What the brokers do: as in disk/storage-error, but the fault stays for 65 s, and every client is observed for as long.
The leaders move away within a second. The old broker stays up, keeps its other log dir, and answers KAFKA_STORAGE_ERROR
(56) for its offline replicas until it is restarted. Brokers 1.0 to 2.7 answer NOT_LEADER_OR_FOLLOWER (6) instead to
Produce up to v3. That hides the fault of a client that handles 6 and not 56.
The error a client meets: 56, or 6; the request version decides which of them.
What a good client does: asks for metadata because of the error, goes to the new leader, and stays there.
Source: the incident that this project was made for: Filebeat with sarama 1.27.0 on brokers with two disks each kept
writing to the dead replica until an operator intervened; IBM/sarama #2939, fixed in 1.43.3; KIP-112.
Not covered: the operators' countermeasures (incident/jbod-client-restart, incident/jbod-broker-restart).
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Symptom, Target, Trigger
from probe.scenarios.broker_variants import LED
from probe.scenarios.scenario import CLIENT_ROLES, CONFORMS, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import BreakLogDir

STANDS_MS = 65_000
RESTARTED_MS = 20_000

RESTARTED_CLIENT = """The same disk dies, and the client is restarted while it is dead: the first countermeasure.

What the brokers do: as in incident/jbod. A first instance meets the fault. When all brokers name the new leader it is
stopped, and a second one starts with the same group. Only the second is judged.
The error a client meets: none, as a rule: a client that starts asks who leads before it works.
What a good client does: serves from its start on, without an error.
Source: the incident's operators restarted the shippers, one by one.
Not covered: records that the first instance had accepted and not delivered; a further dead disk under the second one.
"""

RESTARTED_BROKER = """The same disk dies; 20 s later the broker is restarted with it: the second countermeasure.

What the brokers do: as in incident/jbod; after 20 s the broker is stopped with a controlled shutdown and started again.
It finds the log dir dead, comes back with the other one and leads nothing from the dead one. For its lost partitions it
answers UNKNOWN_TOPIC_OR_PARTITION (3), 6 and then 56 again on ZooKeeper lines, 6 on KRaft.
The error a client meets: 56 for 20 s, then a lost connection; 3, 6 or 56 if it goes back to that broker.
What a good client does: has long been at the new leader, and is hardly affected by the restart.
Source: the incident's operators restarted brokers when restarting clients took too long; KIP-112.
Not covered: a new disk (a client that is still stuck when the observation ends is observed while the disk is repaired:
`after_heal`); groups, whose coordinator the broker may be, too.
"""

_EXPECTATION = expect(
    Symptom.ANSWER,
    Reaction.DISCOVER,
    target=Target.LEADER,
    codes=(56, 6, 7),
    election_ms=150,  # so a second instance waits for the new leader (start_modes.LATE_S), however busy the machine is
    prompt_ms=3000,
    watch_ms=STANDS_MS,
)
_VARIANT = RoleVariant(roles=CLIENT_ROLES, expectation=_EXPECTATION, steps=(BreakLogDir(),), watch_least_ms=STANDS_MS)

SCENARIO = Scenario(
    name="incident/jbod",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    real_since="1.0",
    real_reason="a broker halts at its first I/O error",
    variants=(_VARIANT,),
)

VARIANTS = (
    replace(
        SCENARIO,
        name="incident/jbod-client-restart",
        story=RESTARTED_CLIENT,
        variants=(
            replace(
                _VARIANT,
                expectation=replace(
                    _EXPECTATION, expects=Reaction.NOTHING, conforms=CONFORMS[Reaction.NOTHING], watch_ms=20_000
                ),
                watch_least_ms=0,
                second_instance=True,
            ),
        ),
    ),
    replace(
        SCENARIO,
        name="incident/jbod-broker-restart",
        story=RESTARTED_BROKER,
        variants=(
            replace(
                _VARIANT,
                roles=LED,
                expectation=replace(
                    _EXPECTATION, codes=(56, 6, 3, 7), causes=(Trigger.ERROR, Trigger.DISCONNECT), prompt_ms=5000
                ),
                steps=(
                    BreakLogDir(),
                    StopBroker(when=When(after_ms=RESTARTED_MS), listed=False),
                    ReturnBroker(when=When(after_ms=RESTARTED_MS + 1000)),
                ),
                whole_broker=True,
            ),
        ),
    ),
)
"""The countermeasures of the incident's operators."""
