"""Partitions are added to the topic while the leader of a group assigns the old ones.

What the brokers do: the member is asked to join again. Each answer to an assignment (SyncGroup) is kept back for 3 s.
Half a second into that time Metadata names two more partitions, which the assignment does not have. No request fails.
The error a client meets: REBALANCE_IN_PROGRESS (27) on Heartbeat, as when another member joins; none later.
What a good client does: compares the partitions of Metadata with those that it assigned, not with those that it knew
when its session began, and joins again at its next periodic refresh. Run with profile `refresh-1s`, and not judged: the
outcome does not tell whether all four partitions are read. One JoinGroup more (`joins`) and the timeline do. A client
that joins again asks more often, which can look like a storm.
Source: IBM/sarama #2562, #2563.
Not covered: partitions that are added in a stable group (topic/grown).
"""

from probe.model import Engine, Reaction, Role, Symptom, Target, Trigger
from probe.model.group_settings import GroupProtocol
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import Rejoin
from probe.scenarios.steps.topics import GrowWhileAssigning

SCENARIO = Scenario(
    name="topic/grown-while-assigning",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    profile=profile_of("topic/grown-while-assigning"),
    variants=(
        RoleVariant(
            roles=(Role.GROUP,),
            expectation=expect(
                Symptom.CHANGE,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                codes=(),
                causes=(Trigger.ERROR, Trigger.PERIODIC),
                prompt_ms=3000,
                watch_ms=20_000,
                informative=True,
            ),
            steps=(Rejoin(), GrowWhileAssigning(partitions=4, held_ms=3000)),
            watch_least_ms=15_000,
            group_protocol=GroupProtocol.CLASSIC,
        ),
    ),
)
