"""The command line: one module per command, and the code that assembles the parts of the probe."""

import gc
import os

# Child processes call exec at once, so gRPC's fork handlers would only stall the event loop and log. gRPC reads its
# settings at its first import.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy comes with pyarrow, and nothing here multiplies matrices


def main() -> None:
    """Run the command of this process (`probe.cli.app`). Nothing becomes garbage before it is invoked."""
    gc.disable()
    from probe.cli.wiring.signals import end_by_signal, exit_at_signals, handle_signals  # noqa: PLC0415  # as few imports as possible
    from probe.errors import EndedError  # noqa: PLC0415  # as above

    handle_signals()
    try:
        from probe.cli.app import main as run  # noqa: PLC0415  # its imports allocate most of a short command's memory
    except EndedError as ended:
        end_by_signal(ended)
    try:
        run()
    finally:
        exit_at_signals()


__all__ = ["main"]
