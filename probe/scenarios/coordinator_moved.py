"""The coordinator of the group, or of the transactional id, moves to another broker, which loads first.

What the brokers do: the partition of __consumer_offsets (or __transaction_state) that holds the key gets another
leader. The old coordinator answers NOT_COORDINATOR (16). The new one answers COORDINATOR_LOAD_IN_PROGRESS (14) for 0.7
s, then it serves the same members and generation, the same producer id and epoch.
The error a client meets: 16 on OffsetCommit, Heartbeat and the other group APIs, or on AddPartitionsToTxn and EndTxn;
then 14.
What a good client does: asks FindCoordinator because of the error, waits out the load, keeps its assignment or its
transaction.
Source: GroupCoordinator and TransactionCoordinator, onElection and onResignation; real brokers of 3.9.2 and 4.3.1 load
for 0.1 to 1.1 s.
Not covered: long loading (coordinator/loading), no coordinator at all (coordinator/gone).
"""

from probe.model import Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import MoveCoordinator

SCENARIO = Scenario(
    name="coordinator/moved",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.GROUP, Role.TRANSACTIONAL, Role.SHARE),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.COORDINATOR,
                codes=(16, 14),
                prompt_ms=5000,
                watch_ms=20000,
            ),
            steps=(MoveCoordinator(loading_ms=700),),
        ),
    ),
)
