"""The command line of a Python driver."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from driver_runtime.library import Library
from driver_runtime.parent_watch import exit_with_parent, lead_process_group
from driver_runtime.session import attach


def main(load: Callable[[], Library], package: str) -> None:
    """Load the library from its isolated folder and serve it; `--report` only prints its version.

    `load` is called after the folder was put first on the path. `package` is the module that must come from there, so
    that another installed version is never driven by mistake. SystemExit if it does not.
    """
    arguments = _arguments()
    folder = Path(arguments.library).resolve()
    sys.path.insert(0, str(folder))
    library = load()
    _check_origin(package, library.origin or Path(sys.modules[package].__file__ or ""), folder)
    if arguments.report:
        sys.stdout.write(library.version + "\n")
        return
    if arguments.local:
        library = replace(library, version=f"{library.version}+local.{arguments.local}")
    lead_process_group()
    exit_with_parent()
    if problem := attach(library, arguments.connect, arguments.token):
        sys.stderr.write(problem + "\n")
        sys.stderr.flush()
    os._exit(1 if problem else 0)  # threads of a library that still closes must not delay the exit


def _check_origin(package: str, origin: Path, folder: Path) -> None:
    if folder not in origin.resolve().parents:
        raise SystemExit(f"{package} was loaded from {origin}, not from {folder}; fill that folder again")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Drive one version of a Kafka client library for the probe.")
    parser.add_argument("--library", required=True, help="folder that holds the library's package")
    parser.add_argument("--connect", default="", help="address of the orchestrator, host:port")
    parser.add_argument("--token", default="")
    parser.add_argument("--local", default="", help="digest of a local build, which becomes part of its version")
    parser.add_argument("--report", action="store_true", help="print the library's own version and exit")
    return parser.parse_args()
