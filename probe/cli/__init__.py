"""The command line: one file per command group, and the one place where the parts are put together."""

import os

# Children are started by exec at once; gRPC's own handlers around fork would only stall the loop and log.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

from probe.cli.app import main  # gRPC reads its settings when it is first imported

__all__ = ["main"]
