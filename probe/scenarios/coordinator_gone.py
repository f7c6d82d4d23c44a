"""Nobody coordinates: the partition of the internal topic that holds the key has no leader.

What the brokers do: every broker answers COORDINATOR_NOT_AVAILABLE (15), to FindCoordinator and to all requests of the
group or transactional id, for 5 s; then the coordinator is back where it was, with all it knew.
The error a client meets: 15.
What a good client does: asks FindCoordinator again after its back-off until there is an answer, and goes on; records
of partitions it already has go on meanwhile.
On real brokers the internal partition keeps the coordinator's replica only, and that broker is stopped and started.
Source: KafkaApis.getCoordinator (no leader of the internal partition); CoordinatorNotAvailableException is a
RetriableException.
Not covered: a coordinator that is named but does not answer (broker/kill, broker/hang).
"""

from dataclasses import replace

from probe.model import Expects, Kind, Role, Target
from probe.scenarios.scenario import CAUSES, Part, Scenario, play
from probe.scenarios.steps.partitions import LoseCoordinator

PART = Part(
    roles=(Role.GROUP, Role.TRANSACTIONAL),
    play=play(Kind.ANSWER, Expects.RETRY, target=Target.COORDINATOR, codes=(15, 16), prompt_ms=5000, watch_ms=20000),
    steps=(LoseCoordinator(),),
    heal_after_ms=5000,
)

SCENARIO = Scenario(
    name="coordinator/gone",
    story=__doc__,
    parts=(PART,),
    real=(
        replace(
            PART,
            play=replace(PART.play, kind=Kind.CONNECTION, causes=CAUSES[Kind.CONNECTION], watch_ms=30_000),
            whole_broker=True,
        ),
    ),
)
