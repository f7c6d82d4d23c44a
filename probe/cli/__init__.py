"""The command line: one module per command, and the code that assembles the parts of the probe."""

import gc
import os

# Child processes call exec at once, so gRPC's fork handlers would only stall the event loop and log. gRPC reads its
# settings at its first import.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")


def main() -> None:
    """Run the command of this process (`probe.cli.app`). Nothing becomes garbage before it is invoked."""
    gc.disable()
    from probe.cli.app import main as run  # noqa: PLC0415  # its imports allocate most of what a short command needs

    run()


__all__ = ["main"]
