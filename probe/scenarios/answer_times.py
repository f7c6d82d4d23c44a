"""Times of the generated families: how long an error is answered, and how soon a client has to react. Pure."""

from __future__ import annotations

from probe.model import Role, Target
from probe.model.group_settings import GroupProtocol
from probe.model.roles import ROLES
from probe.protocol.api_table import protocol_of
from probe.scenarios.error_answers import Answer, Api

HOLD_MS = 3000
"""Time for which `hold` answers the error: over three default back-offs of all clients but sarama's consumer."""
MEMBER_MS = 3000
"""Additional time where a group member must first be brought to call the API: its heartbeat comes every 3 s, and its
own back-off follows (1.8 s until KafkaJS joins again)."""
ANEW_MS = 6000
"""The same for members of the new group protocol, whose heartbeat comes every 5 s (`group_settings`)."""
PROMPT_MS = {Target.COORDINATOR: 5000, Target.CONTROLLER: 5000}
"""Members act on heartbeats, which come every 3 s, and commit once a second; sarama waits 2 s before it rejoins. On
real brokers an admin asks the controller every 0.8 s."""


def longer_ms(api: Api, answer: Answer, role: Role) -> int:
    """Return for how much longer the error is answered where members call the API by heartbeat, or after one."""
    if protocol(api, answer) is GroupProtocol.CONSUMER:
        return ANEW_MS
    return MEMBER_MS * waits(api, role)


def protocol(api: Api, answer: Answer) -> GroupProtocol | None:
    """Return the only group protocol in which members meet the error; None where those of both do."""
    return answer.protocol or protocol_of(api.key)


def waits(api: Api, role: Role) -> bool:
    """Return whether a member calls the API only after another step."""
    return ROLES[role].member and bool(api.before) and api.target is Target.COORDINATOR


def due_ms(api: Api, answer: Answer, otherwise_ms: int) -> int:
    """Return the time within which a client reacts: members of the new group protocol act on rarer heartbeats."""
    more_ms = ANEW_MS - MEMBER_MS if protocol(api, answer) is GroupProtocol.CONSUMER else 0
    return PROMPT_MS.get(api.target, otherwise_ms) + more_ms
