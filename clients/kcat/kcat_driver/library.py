"""kcat as described by its driver."""

from __future__ import annotations

import re
from pathlib import Path

from driver_runtime.library import Library
from driver_runtime.librdkafka_settings import PROFILES
from driver_runtime.protocol_names import protocol_name
from driver_runtime.series import KEYED, PIPELINED

from kcat_driver.command import run_to_end
from kcat_driver.consumer import consumer
from kcat_driver.producer import producer
from probe.driver_contract import driver_pb2 as pb

VERSION = re.compile(r"Version (\d[\w.]*) \(.*librdkafka (\d[\d.]*\d)")
"""`Version 1.7.1 (JSON, Transactions, IncrementalAssign, librdkafka 2.0.2 builtin.features=...)`."""
OWN_PACE = "the program decides by itself how it sends records"
ERROR = re.compile(r"(?:Broker|Local): ([\w ]+)")


def library(folder: Path) -> Library:
    """Describe the program and its library, whose file is in `folder`. SystemExit if kcat -V has another form."""
    _, text, errors = run_to_end("-V")
    found = VERSION.search(text + errors)
    if found is None:
        raise SystemExit(f"kcat -V has an unknown form: {(text + errors).strip()[:200]}")
    return Library(
        family="kcat",
        version=f"{found[1]}-{found[2]}",
        roles={"producer": producer, "consumer": consumer},
        profiles=tuple(PROFILES),
        error_of=error_of,
        without=dict.fromkeys((PIPELINED, KEYED), OWN_PACE),
        origin=next(path for path in sorted(folder.rglob("librdkafka*")) if ".so" in path.name),
    )


def error_of(error: BaseException) -> pb.Error:
    """Convert an end of kcat; it names errors by librdkafka's descriptions only."""
    named = ERROR.search(str(error))
    name = protocol_name(named[1].strip().upper().replace(" ", "_")) if named else ""
    return pb.Error(code=-1, name="", type=name or type(error).__name__, text=str(error), retriable=False)
