"""Established connections to the leader are reset; nothing else happens.

What the brokers do: nothing; the network drops the connections, new ones are accepted at once, the leader stays.
The error a client meets: a reset (ECONNRESET) on open connections, requests in flight unanswered.
What a good client does: connects again and retries, without an error to the application.
Source: load balancers and firewalls that expire flows; the broker's own connections.max.idle.ms.
Not covered: a broker that refuses (net/refused) or stays silent (net/blackhole); answers lost after the append
(net/response-lost).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import CutConnections

SCENARIO = Scenario(
    name="net/reset",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, prompt_ms=2000, watch_ms=10000
            ),
            steps=(CutConnections(),),
            heal_after_ms=0,
            whole_broker=True,
        ),
    ),
)
