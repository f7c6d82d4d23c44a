"""The work is done and the answer is lost with its connection, three times.

What the brokers do: they append what is produced (or commit the offsets), and the connection ends before the answer
gets through. The leader stays.
The error a client meets: a closed connection with requests unanswered; it cannot know whether they were done.
What a good client does: connects again and retries. An idempotent producer's records stand in the log once; others
may stand there twice, which is why idempotence exists.
Source: KIP-98; connections that break between append and answer.
Not covered: requests that were lost on their way to the broker (net/reset).
"""

from dataclasses import replace

from probe.model import Expects, Kind, Role, Target
from probe.protocol.apis import OFFSET_COMMIT, PRODUCE
from probe.scenarios.scenario import Part, Scenario, play
from probe.scenarios.steps.brokers import LoseAnswers

PLAY = play(Kind.CONNECTION, Expects.RETRY, target=Target.LEADER, prompt_ms=3000, watch_ms=15000)

SCENARIO = Scenario(
    name="net/response-lost",
    story=__doc__,
    parts=(
        Part(roles=(Role.PRODUCER,), play=PLAY, steps=(LoseAnswers(apis=(PRODUCE,), times=3),), whole_broker=True),
        Part(
            roles=(Role.GROUP,),
            play=replace(PLAY, target=Target.COORDINATOR),
            steps=(LoseAnswers(apis=(OFFSET_COMMIT,), times=3),),
            whole_broker=True,
        ),
    ),
)
