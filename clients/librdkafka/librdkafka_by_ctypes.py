"""The driver for librdkafka, always by ctypes: what tests compare with the way through confluent-kafka."""

from __future__ import annotations

from librdkafka import load_binding, main

if __name__ == "__main__":
    main(load_binding, "confluent_kafka")
