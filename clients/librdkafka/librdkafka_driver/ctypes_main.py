"""The driver for librdkafka, always by ctypes: tests compare it with the driver through confluent-kafka."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.pop(0)  # this folder: its modules are those of a package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from driver_runtime.main import main  # found by the lines above

from librdkafka_driver.library_choice import load_binding  # as above

if __name__ == "__main__":
    main(load_binding, "confluent_kafka")
