"""Write the last run in the text format of Prometheus, for the textfile collector of the node exporter. Pure.

The format: https://prometheus.io/docs/instrumenting/exposition_formats/ (version 0.0.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from probe.model import Outcome
from probe.reports.gates import Result, result
from probe.reports.run_report import REPORTED, Report

ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
Sample = tuple[Mapping[str, str], float]


def metrics(report: Report) -> str:
    """Return a run as gauges; times are seconds since 1970, durations are seconds."""
    cells = report.cells
    outcomes = Counter(one.outcome for one in cells.values())
    broken = outcomes[Outcome.BROKEN] / len(cells) if cells else 0.0
    blocks = [
        _gauge("probe_run_info", "The last run.", [({"run_id": report.run_id}, 1)]),
        _gauge("probe_run_timestamp_seconds", "When the last run began.", [({}, _moment(report.started))]),
        _gauge("probe_run_duration_seconds", "How long the last run took.", [({}, report.seconds)]),
        _gauge("probe_run_broken_ratio", "Share of the last run's cells in which the harness failed.", [({}, broken)]),
        _gauge("probe_run_left_cells", "Planned cells of the last run that did not run.", [({}, report.left)]),
        _gauge(
            "probe_trials",
            "Trials that settle the cells of the last run.",
            [({}, sum(len(one.verdicts) for one in cells.values()))],
        ),
        _gauge(
            "probe_cells",
            "Cells of the last run by outcome.",
            [({"outcome": str(outcome)}, outcomes[outcome]) for outcome in Outcome],
        ),
        _gauge(
            "probe_client_cells",
            "Cells of the last run by client version and result: failed = does not conform.",
            [
                ({"family": client.family, "version": client.version, "result": str(kind)}, count)
                for client, mine in report.by_client().items()
                for kind, count in _results(Counter(map(result, mine)))
            ],
        ),
        _gauge(
            "probe_client_nonconforming_cells",
            "Cells of the last run that do not conform, by client version.",
            [
                ({"family": client.family, "version": client.version}, Counter(map(result, mine))[Result.FAILED])
                for client, mine in report.by_client().items()
            ],
        ),
    ]
    return "".join([*blocks, *_changed(report)])


def _results(seen: Counter[Result]) -> Iterable[tuple[Result, int]]:
    return ((kind, seen[kind]) for kind in Result)


def _changed(report: Report) -> Iterable[str]:
    if report.before is None:
        return
    seen = Counter(one.answer for one in report.changes())
    samples: list[Sample] = [({"trend": str(answer)}, seen[answer]) for answer in REPORTED]
    yield _gauge("probe_changed_cells", "Cells of the last run that differ from the result of earlier runs.", samples)


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp() if text else 0.0


def _gauge(name: str, about: str, samples: Iterable[Sample]) -> str:
    lines = [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
    lines += [f"{name}{_labels(labels)} {_number(value)}" for labels, value in samples]
    return "".join(f"{line}\n" for line in lines)


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{value.translate(ESCAPES)}"' for name, value in labels.items()) + "}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
