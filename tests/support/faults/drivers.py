"""Drivers that break their contract, in the place of the driver of one version."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.faults import odd_driver
from tests.support.faults.private_cache import private_cache
from tests.support.faults.round import Round

JUDGED = frozenset({0, 3})
"""Exit codes of a run with such a driver: the other version is judged, if the machine had room for it."""
BLAMED = frozenset({"broken", "fatal", "violates", "unsupported", "not_run", "stuck", "silent"})
"""Outcomes that such a driver may have: nothing is said of the client, or it is taken at its word. None is a pass."""


def odd(round_: Round) -> None:
    """A driver that floods, lies, stalls, sends garbage, or ends without a word."""
    cache = private_cache(round_)
    version = round_.rng.choice(("1.43.2", "1.43.3"))
    way = round_.rng.choice(odd_driver.WAYS)
    (program,) = (cache / "drivers" / "sarama").glob(f"{version}-*/program")
    real = program.with_name("real")
    program.rename(real)
    program.write_text(
        f'#!/bin/sh\nODD_VERSION={version} exec {sys.executable} {Path(odd_driver.__file__)} {way} "$@"\n'
    )
    program.chmod(0o755)
    round_.note(f"the driver of {version}: {way}")
    with round_.running(*round_.run()) as run:
        run.codes |= JUDGED
    real.replace(program)
    round_.blamed[f"sarama@{version} "] = BLAMED
    round_.anew()
