"""A trial as the page of its cell shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from probe.model import History, Verdict
from probe.site.data.source import TrialRow
from probe.site.timeline.event_table import EventRow, event_table
from probe.site.timeline.history_moments import moments
from probe.site.timeline.picture import shows_more, timeline_svg


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial with its pictures and its event table; without them if its history could not be read."""

    number: int
    verdict: Verdict
    shortened: bool = False
    zoomed: str = ""
    """Picture of the first seconds after the fault."""
    whole: str = ""
    """Picture of the whole trial, if the trial is longer."""
    lines: tuple[EventRow, ...] = ()
    omitted: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    artifact: str = ""
    before: str = ""
    """Events on the cluster before the client started; empty if there were none."""
    seed: int | None = None
    capture: str = ""
    """Name of its pcapng file; empty if there is none."""

    @property
    def has_history(self) -> bool:
        """Whether there are pictures and events in addition to the verdict."""
        return bool(self.zoomed)


def view(stored: TrialRow, history: History | None = None) -> TrialView:
    """Return the view of a trial, with pictures and events if its history is given."""
    number, verdict = stored.trial, stored.verdict
    if history is None:
        return TrialView(number, verdict, stored.shortened)
    found = moments(history)
    lines, omitted = event_table(found)
    return TrialView(
        number,
        verdict,
        stored.shortened,
        zoomed=timeline_svg(history, verdict, whole=False, name=f"trial-{number}-zoomed", found=found),
        whole=timeline_svg(history, verdict, name=f"trial-{number}-whole", found=found) if shows_more(found) else "",
        lines=tuple(lines),
        omitted=omitted,
        settings=history.header.settings,
        artifact=history.header.artifact,
        before=history.header.subject.history.text(),
        seed=history.header.seed,
    )
