"""A replica that lacks the latest records is elected: the log that clients know is truncated.

What the brokers do: the follower is stopped. The leader continues alone for five seconds and is killed. The follower
comes back and, as the topic allows it (unclean.leader.election.enable), leads with the records it has. The records of
those five seconds are gone, and their offsets are assigned again.
The error a client meets: closed connections, Metadata without a leader. A consumer whose position is past the end of
the log receives OFFSET_OUT_OF_RANGE (1), or learns of the truncation from OffsetForLeaderEpoch (KIP-320).
What a good client does: goes to the new leader. A consumer whose position was truncated reports that, or applies its
reset policy. Which records are lost is the operator's choice: this is informative.
Source: KIP-320; unclean.leader.election.enable was true by default up to 0.10.2 (KIP-106).
Not covered: groups, which read as consumers do; what becomes of the old leader's records when it returns.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.broker_variants import LED
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.real_brokers import KeepReplicas, Meanwhile

ALONE_MS = 5000

SCENARIO = Scenario(
    name="broker/unclean-election",
    story=__doc__,
    engines=(Engine.KAFKA,),
    variants=(
        RoleVariant(
            roles=LED,
            expectation=expect(
                Symptom.CONNECTION,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(1, 5, 6, 74, 75),
                prompt_ms=5000,
                watch_ms=45000,
                informative=True,
            ),
            steps=(
                KeepReplicas(affected=(0, 1), bystander=(2,), config=(("unclean.leader.election.enable", "true"),)),
                StopBroker(turn=1, listed=False),
                Meanwhile(ms=ALONE_MS),
                StopBroker(),
                ReturnBroker(turn=1, when=When(after_ms=500)),
            ),
            whole_broker=True,
        ),
    ),
)
