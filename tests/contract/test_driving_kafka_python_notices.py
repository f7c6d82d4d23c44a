"""Lines that kafka-python logs: each goes to the instance whose thread logged it, whatever the thread is for."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
OWN, OTHER = "client-1", "client-2"


@pytest.mark.parametrize(
    ("thread", "heard"),
    [
        (f"{OWN}-network-thread", [OWN]),
        (f"{OWN}-heartbeat", [OWN]),
        (f"kafka-io-{OWN}", [OWN]),  # the only one of a consumer from 3.0 on: refused log-ins are logged there
        (f"kafka-io-{OTHER}", [OTHER]),
        ("kafka-io-", []),
        ("MainThread-2", []),
    ],
)
def test_a_line_goes_to_the_instance_of_its_thread(
    monkeypatch: pytest.MonkeyPatch, thread: str, heard: list[str]
) -> None:
    for folder in ("python", "kafka-python"):
        monkeypatch.syspath_prepend(str(CLIENTS / folder))
    from kafka_python_driver.notices import Notices  # noqa: PLC0415  # found by the lines above

    lines: list[str] = []

    def instance(name: str) -> Any:
        return SimpleNamespace(ended=False, log=lambda text: lines.append(f"{name}: {text}"))

    notices = Notices()
    for name in (OWN, OTHER):
        notices.watch(name, instance(name))
    record = logging.LogRecord("kafka.net.manager", logging.ERROR, __file__, 1, "Connection failed: %s", ("58",), None)
    record.threadName = thread
    assert notices.handle(record)
    assert lines == [f"{name}: log: Connection failed: 58" for name in heard]
