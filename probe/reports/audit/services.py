"""The services of an audit: one manifest that names several clients is one service with a row for each. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from probe.cells.audit import Report

NAMED = 5
"""Services that a line names."""
Service = Sequence[Report]
"""The rows of one service, at least one."""


def by_service(reports: Iterable[Report]) -> list[Service]:
    """Return rows by service, in the order of their first rows: those of one name in one file."""
    found: dict[tuple[str, str], list[Report]] = {}
    for report in reports:
        found.setdefault((report.name, _file(report)), []).append(report)
    return list(found.values())


def named(services: Sequence[Service]) -> str:
    """Return services with their clients, the first `NAMED` of them, as `web (sarama@1.43.2, kafka-go@0.4.51)`.

    Services of one name have their file, too: `web in shop/go.mod (sarama@1.43.2)`.
    """
    names = Counter(service[0].name for service in services)
    texts = [_text(service, is_twice=names[service[0].name] > 1) for service in services[:NAMED]]
    return ", ".join([*texts, *([f"{len(services) - NAMED} more"] if len(services) > NAMED else [])])


def distinct(reports: Sequence[Report]) -> list[str]:
    """Return the name of each row: that of its service, with the client where a service has several rows."""
    rows = {id(report): len(service) for service in by_service(reports) for report in service}
    return [one.name if rows[id(one)] == 1 else f"{one.name} ({one.client})" for one in reports]


def _text(service: Service, *, is_twice: bool) -> str:
    name = service[0].name
    where = f" in {_file(service[0])}" if is_twice and _file(service[0]) else ""
    clients = ", ".join(dict.fromkeys(report.client for report in service))
    return f"{name}{where}" if clients == name else f"{name}{where} ({clients})"


def _file(report: Report) -> str:
    return report.place.file if report.place is not None else ""
