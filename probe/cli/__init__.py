"""The command line: one module per command, and the code that assembles the parts of the probe."""

import os

# Child processes call exec at once, so gRPC's fork handlers would only stall the event loop and log.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

from probe.cli.app import main  # gRPC reads its settings at its first import

__all__ = ["main"]
