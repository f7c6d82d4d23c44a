"""The group's coordinator moves to another broker, which first loads.

What the brokers do: the partition of __consumer_offsets that holds the group gets another leader. The old coordinator
answers NOT_COORDINATOR (16); the new one COORDINATOR_LOAD_IN_PROGRESS (14) for 0.7 s, then it serves the same members
and generation.
The error a client meets: 16 on OffsetCommit, Heartbeat and the other group APIs, then 14.
What a good client does: asks FindCoordinator because of the error, waits out the load, keeps its assignment.
Source: measured on 3.9.2 and 4.3.1 (loading for 0.1 to 1.1 s).
Not covered: long loading (coordinator/loading), no coordinator at all (coordinator/gone).
"""

from probe.model import Expects, Kind, Role, Target
from probe.scenarios.scenario import Part, Scenario, play
from probe.scenarios.steps import MoveCoordinator

SCENARIO = Scenario(
    name="coordinator/moved",
    story=__doc__,
    parts=(
        Part(
            roles=(Role.GROUP,),
            play=play(
                Kind.ANSWER,
                Expects.DISCOVER,
                target=Target.COORDINATOR,
                codes=(16, 14),
                prompt_ms=5000,
                watch_ms=20000,
            ),
            steps=(MoveCoordinator(loading_ms=700),),
        ),
    ),
)
