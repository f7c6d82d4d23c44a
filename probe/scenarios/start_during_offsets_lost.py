"""A reader starts, and the answers that tell it where to read are lost with their connections.

What the brokers do: a first instance works and commits, then it is stopped, and a second one starts with the same
group; only the second is judged. Four answers to OffsetFetch and four to ListOffsets are lost, each with its
connection. Then all are sent. The committed offsets lie away from both ends of the logs.
The error a client meets: closed connections with ListOffsets or OffsetFetch unanswered.
What a good client does: asks again until it knows its position. It must not take a lost answer for the answer that
there is no offset: with a reset policy it would read everything again, or skip records without a word.
Source: change log of librdkafka 1.8.0: "auto.offset.reset could previously be triggered by temporary errors, such as
disconnects and timeouts (after the two retries are exhausted)".
Not covered: brokers that cannot be reached at all at the start (start-during/net/refused).
"""

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.protocol.apis import LIST_OFFSETS, OFFSET_FETCH
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import LoseAnswers

PLAY = expect(Symptom.CONNECTION, Reaction.NOTHING, target=Target.LEADER, prompt_ms=5000, watch_ms=20_000)
LOST = 4

SCENARIO = Scenario(
    name="start-during/offsets-lost",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.CONSUMER,),
            expectation=PLAY,
            steps=(LoseAnswers(apis=(LIST_OFFSETS,), times=LOST),),
            second_instance=True,
        ),
        RoleVariant(
            roles=(Role.GROUP,),
            expectation=replace(PLAY, target=Target.COORDINATOR),
            steps=(LoseAnswers(apis=(OFFSET_FETCH, LIST_OFFSETS), times=LOST),),
            second_instance=True,
        ),
    ),
)
