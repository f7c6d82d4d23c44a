"""The brokers restart while the application handles one record, and the same broker leads again.

What the brokers do: 5 s after the application began to handle the record, when no ShareFetch is under way any more, all
brokers are killed (SIGKILL) at once, and start after 2 s at the same addresses. The leader of the partition is the same
as before, and knows the member's share session no more. The application is busy for 60 s.
The error a client meets: closed and refused connections, SHARE_SESSION_NOT_FOUND (122) for a session that the broker
lost, and refused acceptances.
What a good client does: begins a new share session, tells the application which acceptances were refused, and delivers
those records again.
Source: KAFKA-20330 (apache/kafka #21824): a share consumer that did not notice the restart where no request was under
way and the leader stayed; KAFKA-20736.
Not covered: a broker whose partitions get other leaders (broker/kill).
"""

from probe.model import Role
from probe.model.cluster import COUNT
from probe.scenarios.absences import busy_while
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When

STOP_MS, BACK_MS = 5000, 7000
BUSY_MS = 60_000
"""Longer than three real brokers need to start."""
STOPPED = tuple(StopBroker(when=When(after_ms=STOP_MS), turn=turn) for turn in range(COUNT))
BACK = tuple(ReturnBroker(when=When(after_ms=BACK_MS), turn=turn) for turn in range(COUNT))

SCENARIO = Scenario(
    name="share/broker-restarted",
    story=__doc__,
    asked=True,
    variants=busy_while(BUSY_MS, Role.SHARE, *STOPPED, *BACK),
)
