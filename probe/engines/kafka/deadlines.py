"""Deadlines for the work of real brokers: they only tell a hang from work.

On a machine that is far too busy for its cores a broker takes minutes to start, and what was observed before that must
not be lost.
"""

STARTED_S = 300.0
"""Deadline for a broker, or all of them, to start, serve and know each other; for internal topics and the history of a
cluster; and for a cluster to be as before."""
IN_SYNC_S = 120.0
"""Deadline for replicas to be in sync, and for a quick job of the brokers' clients: topics, entries, a filled log."""
