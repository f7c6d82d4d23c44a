"""No broker coordinates: the partition of the internal topic that holds the key has no leader.

What the brokers do: for 5 s every broker answers COORDINATOR_NOT_AVAILABLE (15) to FindCoordinator and to all requests
of the group or transactional id. Then the same broker coordinates again, with all its state.
The error a client meets: 15.
What a good client does: asks FindCoordinator again after its back-off until there is an answer, and continues. Records
of the partitions it already has keep flowing meanwhile.
On real brokers the internal partition keeps the coordinator's replica only, and that broker is stopped and started.
Source: KafkaApis.getCoordinator (no leader of the internal partition); CoordinatorNotAvailableException is a
RetriableException.
Not covered: a coordinator that is named but does not answer (broker/kill, broker/hang).
"""

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.scenarios.scenario import CAUSES, RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import LoseCoordinator

VARIANT = RoleVariant(
    roles=(Role.GROUP, Role.TRANSACTIONAL, Role.SHARE),
    expectation=expect(
        Symptom.ANSWER, Reaction.RETRY, target=Target.COORDINATOR, codes=(15, 16), prompt_ms=5000, watch_ms=20000
    ),
    steps=(LoseCoordinator(),),
    heal_after_ms=5000,
)

SCENARIO = Scenario(
    name="coordinator/gone",
    story=__doc__,
    variants=(VARIANT,),
    real=(
        replace(
            VARIANT,
            expectation=replace(
                VARIANT.expectation, kind=Symptom.CONNECTION, causes=CAUSES[Symptom.CONNECTION], watch_ms=30_000
            ),
            whole_broker=True,
        ),
    ),
)
