"""The controller is gone for 4 s: KRaft brokers keep what they would forward to it.

What the brokers do: requests for the controller, here CreateTopics, get no answer, and nothing behind them on the same
connection does, until the controller is back after 4 s; then they are served. Brokers answer all other requests
themselves, and go on to name a broker as the controller.
The error a client meets: none; silence.
What a good client does: waits, as 4 s is far below its request timeout, without an error to the application, and goes
on promptly. Its other questions are answered meanwhile, if they go to other brokers or on other connections.
On real brokers the process of the only controller is stopped (SIGSTOP) for that time.
Source: ForwardingManager and NodeToControllerRequestThread (3.9), which ask again for up to 60 s; KIP-590.
Not covered: a controller that is gone for longer than a request may take; brokers with ZooKeeper, which answer
NOT_CONTROLLER (controller/moved); elections that wait for the controller.
"""

from probe.model import Reaction, Role, Symptom, Target
from probe.model.release_lines import Since
from probe.protocol.apis import CREATE_TOPICS
from probe.scenarios.controllers import REFUSED
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.controller import LoseController

GONE_MS = 4000

SCENARIO = Scenario(
    name="controller/gone",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.ADMIN,),
            expectation=expect(
                Symptom.SILENCE,
                Reaction.RETRY,
                target=Target.CONTROLLER,
                apis=(CREATE_TOPICS,),
                prompt_ms=5000,
                watch_ms=20_000,
            ),
            steps=(LoseController(),),
            heal_after_ms=GONE_MS,
        ),
    ),
    since=Since.KRAFT_HERE.line,
    since_reason=REFUSED,
)
