"""The leader moves, and the old leader's answers name the new one (KIP-951).

What the brokers do: as in leader/reassigned; NOT_LEADER_OR_FOLLOWER (6) on Produce from v10 and Fetch from v16 carries
the new leader and its address, as it does in every scenario on these release lines. But the relay passes Metadata
answers on only after 2 s. A client that is at the new leader before that followed the hint and not an answer to its own
question.
The error a client meets: 6, with the hint where the request version has a field for it.
What a good client does: follows the hint; a client without KIP-951 asks, and moves 2 s later.
Source: KIP-951, brokers from 3.7 on.
Not covered: wrong hints.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import HoldDiscovery, MoveLeader

SCENARIO = Scenario(
    name="leader/hinted",
    story=__doc__,
    real_since="3.7",
    real_reason="its answers carry no hints",
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CHANGE, Reaction.DISCOVER, target=Target.LEADER, codes=(6, 74), prompt_ms=3000, watch_ms=15000
            ),
            steps=(HoldDiscovery(hold_ms=2000), MoveLeader(drop_replica=True)),
        ),
    ),
)
