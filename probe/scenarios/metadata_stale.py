"""The leader moves, and every broker's Metadata names the old one for two more seconds.

What the brokers do: leadership moves at once; metadata reaches the brokers late. The old leader answers
NOT_LEADER_OR_FOLLOWER (6), and the Metadata of all brokers sends the client back to it. Hints follow the metadata of
the answering broker, so there are none.
The error a client meets: 6 on Produce and Fetch (74 where the client sends an epoch).
What a good client does: does not rely on the first Metadata answer: it asks again as long as it gets 6.
Source: after a real disk failure the first Metadata answer named the old leader in 168 of 207 trials of this project;
KRaft and ZooKeeper brokers both learn of a move after the new leader does.
Not covered: one broker that is stale while the others are not; metadata that goes back (new, old, new); groups, which
fetch as consumers do.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import LagMetadata, MoveLeader

SCENARIO = Scenario(
    name="metadata/stale",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.ANSWER, Reaction.DISCOVER, target=Target.LEADER, codes=(6, 74), prompt_ms=3000, watch_ms=15000
            ),
            steps=(LagMetadata(lag_ms=2000), MoveLeader(drop_replica=True)),
        ),
    ),
)
