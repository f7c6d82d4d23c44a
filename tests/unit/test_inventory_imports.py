"""A library is imported when a file of its format is met, and not before."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.host_files import kafka_clients
from tests.support.inventories import SAMPLES

LOADED = """
import sys
from probe.inventory.inventory_reader import read_inventories
found = [item.shown for one in read_inventories(sys.argv[1:]) for item in one.found]
libraries = ("yaml", "prometheus_client", "packageurl", "defusedxml", "zipfile")
print(len(found), *(name for name in libraries if name in sys.modules))
"""
FILES: Mapping[str, tuple[bytes, list[str]]] = {
    "go.mod": (b"module a.example/b\n\ngo 1.24\n\nrequire github.com/IBM/sarama v1.43.2\n", []),
    "filebeat.yml": (b"output.kafka:\n  topic: a\n", ["yaml"]),
    "a.prom": ((SAMPLES / "metrics-strimzi.prom").read_bytes(), ["prometheus_client"]),
    "request.log": ((SAMPLES / "request-4.3.1.log").read_bytes(), []),
    "pods.json": ((SAMPLES / "kubectl-get-pods.json").read_bytes(), []),
    "a.jar": (kafka_clients(), ["zipfile"]),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_loads_the_library_of_its_format_only(name: str, tmp_path: Path) -> None:
    data, libraries = FILES[name]
    (tmp_path / name).write_bytes(data)
    argv = [sys.executable, "-c", LOADED, str(tmp_path / name)]
    count, *loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    assert int(count) > 0
    assert loaded == libraries
