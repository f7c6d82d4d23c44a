"""Prometheus text with the brokers' connections by client software (KIP-511), summed over everything else.

Read line by line; a line without these labels is not parsed. Names and labels may be those of jmx_exporter, of Strimzi
or in snake case: the labels tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Place, Skipped
from probe.inventory.wire_names import client_on_the_wire
from probe.model.counts import counted

SOFTWARE = re.compile(r"client_?software_?name", re.IGNORECASE)
CONNECTIONS = re.compile(r"connections(_software)?(_total|_value|_count)?$", re.IGNORECASE)
"""Names of the metric. Others have the same labels, such as the count of deprecated requests."""
OF_BROKERS = re.compile(r"(CONTROLLER|CONTROLPLANE|REPLICATION)\b", re.IGNORECASE)
"""Listeners among brokers and controllers: Kafka's documentation and Strimzi name them so."""
MOST_NAMES = 10_000
"""Different names and versions that are kept."""

Client = tuple[str, str]
"""Reported name and version."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield each client with the number of its connections. InventoryError if the text has no such metric."""
    sums, among, broken, other = dict[Client, float](), dict[Client, float](), 0, 0
    for _, line in document.lines():
        if line.startswith("#") or SOFTWARE.search(line) is None:
            continue
        try:
            row = _row(line)
        except ValueError:
            broken += 1
            continue
        if row is None:
            continue
        labels, value = row
        target = among if OF_BROKERS.match(labels.get("listener", "")) else sums
        client = (labels.get("clientsoftwarename", ""), labels.get("clientsoftwareversion", ""))
        if client in target or len(target) < MOST_NAMES:
            target[client] = target.get(client, 0.0) + value
        else:
            other += 1
    if not sums and not among and not broken:
        raise InventoryError("it has no connections by client software (KIP-511); let the exporter serve them")
    yield from _clients(sums, document.at())
    yield from _left_out(sums, among, broken, other)


def _clients(sums: Mapping[Client, float], place: Place) -> Iterator[Found]:
    for (name, version), value in sums.items():
        if value > 0:
            yield client_on_the_wire(name, version, place=place, count=round(value))


def _left_out(
    sums: Mapping[Client, float], among: Mapping[Client, float], broken: int, other: int
) -> Iterator[Skipped]:
    if gone := sum(value <= 0 for value in sums.values()):
        yield Skipped(counted(gone, "client"), "no connection is left; a broker keeps the row")
    if any(among.values()):
        yield Skipped(counted(round(sum(among.values())), "connection"), "of brokers and controllers, by the listener")
    if broken:
        yield Skipped(counted(broken, "line"), "no sample of the Prometheus text format")
    if other:
        yield Skipped(counted(other, "row"), f"more than {MOST_NAMES} different names and versions")


def _row(line: str) -> tuple[Mapping[str, str], float] | None:
    """Return the labels (lower case, without `_`) and the value; None for another metric. ValueError if broken."""
    from prometheus_client.parser import text_string_to_metric_families  # noqa: PLC0415  # loaded for this format only

    try:
        samples = [sample for family in text_string_to_metric_families(line + "\n") for sample in family.samples]
    except (IndexError, KeyError, TypeError) as error:  # what the parser raises for odd lines besides ValueError
        raise ValueError(line) from error
    if len(samples) != 1 or not math.isfinite(samples[0].value):
        raise ValueError(line)
    labels = {key.replace("_", "").lower(): value for key, value in samples[0].labels.items()}
    return (labels, samples[0].value) if CONNECTIONS.search(samples[0].name) else None
