"""The laboratory: the packages that run, store and judge trials. An installed wheel does without them."""

from __future__ import annotations

import importlib.util
import resource

from probe.errors import ExhaustedError, ProbeError

PACKAGES = ("confluent_kafka", "crc32c", "google", "grpc", "jinja2", "kazoo", "pyarrow", "tenacity", "uvloop")
"""Top-level modules of the group `laboratory` (pyproject.toml) without which no command of the laboratory begins."""
LATER = ("cryptography", "dns", "jgo", "numpy", "pandas", "pyspark")
"""Those that some of its commands need only, which say so themselves, and what the others bring along."""

ADDRESS_SPACE = 1000 << 20
"""Bytes that Python with the laboratory's packages, and a program in Go, reserve each."""


class LaboratoryError(ProbeError):
    """A command, or what it was asked for, needs the laboratory, which is not installed."""

    def __init__(self, what: str, missing: str) -> None:
        super().__init__(
            f"{what} needs the laboratory, which is not installed here ({missing} is missing); in a checkout of the "
            "project, `python3 run.py probe` with the same arguments installs it and runs the command"
        )


def need_laboratory(what: str) -> None:
    """Raise LaboratoryError if a package of the laboratory is not installed. `what` begins the error's text.

    ExhaustedError if a limit leaves too little address space: libraries end the process then, instead of saying so.
    """
    for name in absent_packages():
        raise LaboratoryError(what, name)
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= allowed < ADDRESS_SPACE:
        needed = f"{what} needs {ADDRESS_SPACE >> 20} MiB of address space"
        raise ExhaustedError(f"{needed}, and {allowed >> 20} are allowed; raise `ulimit -v`")


def absent_packages() -> list[str]:
    """Return the modules of the laboratory that are not installed."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


def is_missing(error: ModuleNotFoundError) -> bool:
    """Return whether an import failed because the laboratory is not installed; any other failure is a bug."""
    return (error.name or "").partition(".")[0] in {*PACKAGES, *LATER}
