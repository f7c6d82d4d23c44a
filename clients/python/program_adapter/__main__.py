"""Driver for a program that speaks lines of JSON on its standard input and output (docs/join.md).

The program is started once per instance. This process speaks driver.proto, ticks, and takes the time of each operation.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from pathlib import Path

sys.path.pop(0)  # this folder: its modules are those of a package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver_runtime.library import Library  # found by the line above
from driver_runtime.parent_watch import exit_with_parent, lead_process_group  # as above
from driver_runtime.session import attach  # as above

from program_adapter.lines import error_of  # as above
from program_adapter.roles import run_role  # as above


def main() -> None:
    """Serve the program to the end of the stream."""
    parser = argparse.ArgumentParser(description="Drive a program that speaks lines of JSON for the probe.")
    parser.add_argument("--program", required=True, help="the program")
    parser.add_argument("--hello", required=True, help="JSON: family, version, roles and profiles of the program")
    parser.add_argument("--connect", required=True, help="address of the orchestrator, host:port")
    parser.add_argument("--token", required=True)
    arguments = parser.parse_args()
    hello = json.loads(arguments.hello)
    library = Library(
        family=hello["family"],
        version=hello["version"],
        roles={role: partial(run_role, arguments.program) for role in hello["roles"]},
        profiles=hello["profiles"],
        error_of=lambda error: error_of({"type": type(error).__name__, "text": str(error)}),
        without={"keyed": "programs on lines of JSON are given a partition with every record"},
    )
    lead_process_group()
    exit_with_parent()
    problem = attach(library, arguments.connect, arguments.token)
    if problem:
        sys.stderr.write(problem + "\n")
        sys.stderr.flush()
    os._exit(1 if problem else 0)


if __name__ == "__main__":
    main()
