"""All brokers name a coordinator that says that it is none, for half a minute.

What the brokers do: for 30 s FindCoordinator names a broker which answers NOT_COORDINATOR (16) to every request about
the group or transactional id, joins included. Then it serves, with the members and offsets as before.
The error a client meets: 16, and the same address from FindCoordinator, again and again.
What a good client does: asks for the coordinator again at its back-off, and tries the one that is named. It loses its
membership at most for as long as the fault lasts, and then works without a restart. Prompt is 5 s.
Source: a broker names the coordinator by the metadata that it has, the named one answers by its own log; during a
rolling restart the two may differ until the log is loaded. confluentinc/librdkafka #2944, #3082, #3396.
Not covered: a coordinator that loads, and says so (coordinator/loading); none at all (coordinator/gone).
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import NameWrongCoordinator

NAMED_MS = 30_000

SCENARIO = Scenario(
    name="coordinator/named-wrongly",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    asked=True,
    variants=(
        RoleVariant(
            roles=(Role.GROUP, Role.TRANSACTIONAL),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.RETRY,
                target=Target.COORDINATOR,
                codes=(16,),
                prompt_ms=5000,
                watch_ms=NAMED_MS + 20_000,
            ),
            steps=(NameWrongCoordinator(),),
            heal_after_ms=NAMED_MS,
        ),
    ),
)
