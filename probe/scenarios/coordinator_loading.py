"""The coordinator loads for a long time: it was elected, and reads a large log before it may serve.

What the brokers do: the coordinator stays where it is. For 5 s it answers COORDINATOR_LOAD_IN_PROGRESS (14) to every
request of the group or transactional id. FindCoordinator names it all the while. Then it serves with the same state as
before.
The error a client meets: 14 on the group APIs, or on AddPartitionsToTxn, EndTxn and InitProducerId.
What a good client does: waits and tries again without an error; it does not leave its group, and fails no transaction.
On real brokers it moves first (16), as no broker loads the same partition twice. Each read of the new coordinator's log
is slow.
Source: GroupMetadataManager.isGroupLoading, CoordinatorRuntime (state LOADING); on 3.9.2 600 commits on a slow disk
took 13 s to load. CoordinatorLoadInProgressException is a RetriableException.
Not covered: a coordinator that moves first (coordinator/moved).
"""

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import LoadCoordinator

VARIANT = RoleVariant(
    roles=(Role.GROUP, Role.TRANSACTIONAL),
    expectation=expect(
        Symptom.ANSWER, Reaction.RETRY, target=Target.COORDINATOR, codes=(14,), prompt_ms=5000, watch_ms=20000
    ),
    steps=(LoadCoordinator(),),
    heal_after_ms=5000,
)

SCENARIO = Scenario(
    name="coordinator/loading",
    story=__doc__,
    variants=(VARIANT,),
    real=(replace(VARIANT, expectation=replace(VARIANT.expectation, codes=(14, 16))),),
)
