"""Role variants on brokers with racks, where a follower serves the reader (KIP-392)."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Profile
from probe.model.cluster import Nodes
from probe.model.rack import rack_of
from probe.scenarios.scenario import RoleVariant


def with_racks(variant: RoleVariant, profile: Profile) -> RoleVariant:
    """Return the variant on brokers with racks, where the profile puts the client into one."""
    if profile.rack is None:
        return variant
    return replace(variant, cluster=replace(variant.cluster, racks=True))


def rack_of_reader(variant: RoleVariant, old: int, nodes: Nodes) -> str:
    """Return the rack of the reader; empty where brokers have none. `old` is the failing broker.

    It is the failing broker's where that follows, else that of the broker which does not take over either.
    """
    if not variant.cluster.racks:
        return ""
    (serving,) = (old,) if variant.follows else nodes.others(old, nodes.next(old))
    return rack_of(serving)
