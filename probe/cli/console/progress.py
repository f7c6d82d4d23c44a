"""Progress with the time left: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from probe.cli.console.streams import ERR, say
from probe.runner import Progress as Step

LINE_EVERY_S = 10.0


class Bar:
    """Shows the number of judged trials."""

    def __init__(self, estimate_s: float) -> None:
        self._started = time.monotonic()
        self._estimate_s = estimate_s
        self._printed = self._started
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[standing]}"),
            console=ERR.console,
            transient=True,
        )
        self._task = self._bar.add_task("trials", total=None, standing="")

    def __enter__(self) -> Self:
        if ERR.console.is_terminal:
            self._bar.start()
        else:
            say(f"running, about {self._estimate_s:.0f} s")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, step: Step) -> None:
        """Show one more judged trial."""
        if ERR.console.is_terminal:
            self._bar.update(
                self._task,
                completed=step.done,
                total=step.total,
                description=str(step.verdict.outcome),
                standing=step.standing,
            )
            return
        now = time.monotonic()
        if now - self._printed >= LINE_EVERY_S or step.done == step.total:
            self._printed = now
            left = (now - self._started) / step.done * (step.total - step.done)
            standing = f"; {step.standing}" if step.standing else ""
            say(f"{step.done} of {step.total} trials judged, about {left:.0f} s left{standing}")
