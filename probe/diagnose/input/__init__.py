"""Readers of what a passive observer has: captures of the network and request logs of brokers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from probe.diagnose.seen import Input
from probe.errors import ProbeError


@contextmanager
def open_inputs(paths: Sequence[str], *, progress: Callable[[int, int], None] | None = None) -> Iterator[Input]:  # noqa: ARG001
    """Open captures and request logs, `-` for standard input. ProbeError in one line for what is neither."""
    raise ProbeError(f"{', '.join(paths)}: this build has no reader of captures")
    yield  # pragma: no cover
