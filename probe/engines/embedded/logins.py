"""Log-ins of the fake cluster's listeners. Pure."""

from __future__ import annotations

from probe.access import Access
from probe.engines.embedded.rpc import cluster_pb2 as pb


def asked_logins(access: Access | None) -> list[pb.Change]:
    """Return the changes that let the clients of a run in, and nobody else; empty where nobody logs in."""
    if access is None or access.security.mechanism is None:
        return []
    asked = pb.Security(mechanisms=[str(access.security.mechanism)], passwords={access.user: access.password})
    return [pb.Change(security=asked)]
