"""`python3 run.py image`: builds the image and runs the schedule's command in it. A step before a release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from probe.cli.console.failure import fail
from probe.cli.wiring.signals import handle_signals
from probe.errors import EndedError, ProbeError
from probe.toolchain.image import build_and_run

BUDGET_S = 600


def main() -> None:
    """Read the options and do it. An expected failure is one line on stderr and an exit code."""
    parser = argparse.ArgumentParser(
        prog="run.py image", description=__doc__, epilog="Other options are added to the schedule's command."
    )
    text = f"time budget of each of the two runs in seconds (default {BUDGET_S})"
    parser.add_argument("--budget", type=int, default=BUDGET_S, metavar="SECONDS", help=text)
    parser.add_argument("--sbom", type=Path, metavar="FILE", help="write the SBOM of the image (SPDX 2.3)")
    options, extra = parser.parse_known_args()
    handle_signals()
    try:
        build_and_run(options.budget, extra, options.sbom and options.sbom.absolute())
    except EndedError as ended:
        fail("ended by a signal; everything is removed")
        sys.exit(ended.exit_code)
    except ProbeError as error:
        fail(str(error))
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
