"""The work is done and the answer is lost with its connection, three times.

What the brokers do: they append the produced records (or commit the offsets), and the connection ends before the answer
arrives. The leader stays.
The error a client meets: a closed connection with requests unanswered; it cannot know whether they were processed.
What a good client does: connects again and retries. An idempotent producer's records are in the log once; those of
other producers may be there twice, which is the reason for idempotence.
Source: KIP-98; connections that break between append and answer.
Not covered: requests that were lost on their way to the broker (net/reset).
"""

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.protocol.apis import OFFSET_COMMIT, PRODUCE
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import LoseAnswers

PLAY = expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, prompt_ms=3000, watch_ms=15000)

SCENARIO = Scenario(
    name="net/response-lost",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER,), expectation=PLAY, steps=(LoseAnswers(apis=(PRODUCE,), times=3),), whole_broker=True
        ),
        RoleVariant(
            roles=(Role.GROUP,),
            expectation=replace(PLAY, target=Target.COORDINATOR),
            steps=(LoseAnswers(apis=(OFFSET_COMMIT,), times=3),),
            whole_broker=True,
        ),
    ),
)
