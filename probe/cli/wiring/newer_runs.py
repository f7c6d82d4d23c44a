"""Runs of a results folder that are newer than its settled cells, which look-ups read."""

from __future__ import annotations

import os

from probe.cli.console.streams import say
from probe.evidence.places import SETTLED
from probe.evidence.reader import EvidenceFile
from probe.model.counts import counted
from probe.model.results import RUN_PREFIX, TRIALS, VERDICTS


def say_newer(results: str, own: EvidenceFile | None) -> None:
    """Say how many runs of a local folder are newer than its settled cells."""
    if "://" in results:
        return
    known = {run.run_id for run in own.runs} if own is not None else set()
    written = _changed(f"{results}/{SETTLED}")
    newer = [
        name for name in _runs(results) if name.removeprefix(RUN_PREFIX) not in known or _since(results, name) > written
    ]
    if newer:
        are = "is" if len(newer) == 1 else "are"
        say(
            f"{results}: {counted(len(newer), 'run')} {are} newer than {SETTLED} and not looked at; "
            f"`probe matrix --results {results}` adds them"
        )


def _runs(results: str) -> list[str]:
    try:
        with os.scandir(results) as entries:
            return [entry.name for entry in entries if entry.name.startswith(RUN_PREFIX) and entry.is_dir()]
    except FileNotFoundError:
        return []


def _since(results: str, run: str) -> float:
    return max(_changed(f"{results}/{run}/{kind}") for kind in (TRIALS, VERDICTS))


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116  # one call per folder
    except OSError:
        return 0.0
