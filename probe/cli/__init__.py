"""The command line: one file per command group, and the one place where the parts are put together."""

from probe.cli.app import main

__all__ = ["main"]
