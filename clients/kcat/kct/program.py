"""kcat as its driver describes it."""

from __future__ import annotations

import re
from pathlib import Path

from driving.library import Library
from driving.names import protocol_name

from kct.command import ask
from kct.producer import producer
from kct.readers import consumer
from kct.settings import PROFILES
from probe.driver_contract import driver_pb2 as pb

TOLD = re.compile(r"Version (\d[\w.]*) \(.*librdkafka (\d[\d.]*\d)")
"""`Version 1.7.1 (JSON, Transactions, IncrementalAssign, librdkafka 2.0.2 builtin.features=...)`."""
ERROR = re.compile(r"(?:Broker|Local): ([\w ]+)")


def library(folder: Path) -> Library:
    """Ask the program for its version and its library's; `folder` is where that library comes from."""
    _, text, errors = ask("-V")
    found = TOLD.search(text + errors)
    if found is None:
        raise SystemExit(f"kcat -V says nothing that is known: {(text + errors).strip()[:200]}")
    return Library(
        family="kcat",
        version=f"{found[1]}-{found[2]}",
        roles={"producer": producer, "consumer": consumer},
        profiles=tuple(PROFILES),
        error_of=error_of,
        origin=next(path for path in sorted(folder.rglob("librdkafka*")) if ".so" in path.name),
    )


def error_of(error: BaseException) -> pb.Error:
    """Tell how kcat ended; it names errors by librdkafka's descriptions only."""
    told = ERROR.search(str(error))
    name = protocol_name(told[1].strip().upper().replace(" ", "_")) if told else ""
    return pb.Error(code=-1, name="", type=name or type(error).__name__, text=str(error), retriable=False)
