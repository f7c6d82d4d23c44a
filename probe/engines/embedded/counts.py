"""Requests that the fake cluster counted, against those that passed through the relay. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb


def unseen(
    counts: Iterable[pb.Count], instance: str, passed: Mapping[tuple[int, int], tuple[int, int]]
) -> Iterator[str]:
    """Yield what brokers saw of a trial's clients and the relay did not; `passed` as of `RelayPort.counts`."""
    for (broker, api), seen in sorted(_ours(counts, instance).items()):
        requests = sum(passed.get((node, api), (0, 0))[0] for node in (broker, NODES.bootstrap))
        if seen > requests:
            yield f"broker {broker} saw {seen} requests of API {api}, the relay {requests}"


def _ours(counts: Iterable[pb.Count], name: str) -> Counter[tuple[int, int]]:
    """Sum up the requests of this trial's clients: clients of an earlier trial may still call the same port."""
    found: Counter[tuple[int, int]] = Counter()
    for count in counts:
        if count.client.startswith(name):
            found[count.broker, count.api] += count.requests
    return found
