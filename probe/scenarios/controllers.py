"""Release lines by what keeps their controller: ZooKeeper or KRaft."""

from __future__ import annotations

ZOOKEEPER_UNTIL = "3.9"
"""Newest release line that can run with ZooKeeper."""
FORWARDED = "KRaft brokers forward such requests and ask again for the controller themselves (KIP-590)"
ZOOKEEPER_HERE_UNTIL = "3.4"
"""Newest release line that real brokers of the kafka engine run with ZooKeeper (`probe.scenarios.session_timeouts`)."""
REFUSED = "brokers with ZooKeeper refuse such requests while there is no controller (controller/moved)"
