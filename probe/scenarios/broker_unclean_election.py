"""A replica is elected that lacks the latest records: the log that clients know is cut off.

What the brokers do: the follower is stopped, the leader goes on alone for five seconds and is killed. The follower
comes back and, as the topic allows it (unclean.leader.election.enable), leads with what it has; the records of those
five seconds are gone, and their offsets are given out again.
The error a client meets: closed connections, Metadata without a leader; a consumer that asks where the log ends no more
is answered OFFSET_OUT_OF_RANGE (1), or learns of the truncation from OffsetForLeaderEpoch (KIP-320).
What a good client does: goes to the new leader; a consumer that was further on says so, or does what its reset policy
says. Which records are lost is the operator's choice: this is informative.
Source: KIP-320; unclean.leader.election.enable was true by default up to 0.10.2 (KIP-106).
Not covered: groups, which read as consumers do; what becomes of the old leader's records when it returns.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.broker_variants import LED
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.real import KeepReplicas, Meanwhile

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
