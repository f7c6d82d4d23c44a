"""Settings of applications with a Kafka client: which keys are read, and the library's properties that they mean. Pure.

No other key is looked at, and a value has to be of its kind, so that no secret is kept, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from probe.inventory.entries import Found, Place, Skipped
from probe.model import Role

NO_VERSION = "its settings name no version; put an inventory that does into the same folder"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
"""In the order of their numbers in Kafka's protocol."""
DURATION = r"\d{1,9}(?:\.\d{1,3})?(?:ns|us|ms|s|m|h)(?:\d{1,9}(?:ms|s|m))*"
VERSION = r"v?(\d{1,3}(?:\.\d{1,3}){1,3})"
DEPTH = 20
"""Keys below keys that are looked at."""


def number(value: Any) -> str:
    """Return a whole number as a property; empty if it is none."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**12 else ""


def flag(value: Any) -> str:
    """Return a boolean as a property."""
    return str(value).lower() if isinstance(value, bool) else ""


def acks(value: Any) -> str:
    """Return the acknowledgements that a producer waits for."""
    return {"-1": "all", "0": "0", "1": "1", "all": "all"}.get(str(value), "") if not isinstance(value, bool) else ""


def codec(value: Any) -> str:
    """Return a compression by its name or number."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(CODECS):
        return CODECS[value]
    return value if isinstance(value, str) and value in CODECS else ""


def duration(value: Any) -> str:
    """Return a duration with its unit."""
    return value if isinstance(value, str) and re.fullmatch(DURATION, value) else ""


def duration_s(value: Any) -> str:
    """Return a duration, seconds if it has no unit."""
    return f"{seconds}s" if (seconds := number(value)) else duration(value)


def version(value: Any) -> str:
    """Return a version of Kafka."""
    found = re.fullmatch(VERSION, str(value)) if isinstance(value, str | float) else None
    return found[1] if found else ""


Kind = Any
"""One of the functions above: returns a value as a property, empty if it is of another kind."""


@dataclass(frozen=True, slots=True)
class Application:
    """An application's settings of Kafka."""

    client: str
    """Application of the catalogue."""
    role: Role
    keys: Mapping[str, tuple[str, Kind]]
    """Property of the library and kind of the value, by the path of keys with dots."""


FILEBEAT = Application(
    "filebeat",
    Role.PRODUCER,
    {
        "required_acks": ("Producer.RequiredAcks", acks),
        "version": ("Version", version),
        "compression": ("Producer.Compression", codec),
        "compression_level": ("Producer.CompressionLevel", number),
        "bulk_max_size": ("Producer.Flush.MaxMessages", number),
        "max_retries": ("Producer.Retry.Max", number),
        "broker_timeout": ("Producer.Timeout", duration_s),
        "metadata.full": ("Metadata.Full", flag),
        "metadata.refresh_frequency": ("Metadata.RefreshFrequency", duration_s),
        "metadata.retry.max": ("Metadata.Retry.Max", number),
        "metadata.retry.backoff": ("Metadata.Retry.Backoff", duration_s),
    },
)
"""https://www.elastic.co/docs/reference/beats/filebeat/kafka-output."""
TELEGRAF: Mapping[str, tuple[str, Kind]] = {
    "version": ("Version", version),
    "metadata_full": ("Metadata.Full", flag),
    "metadata_retry_max": ("Metadata.Retry.Max", number),
    "metadata_retry_backoff": ("Metadata.Retry.Backoff", duration),
}
"""Keys that all Kafka plugins of Telegraf have: plugins/common/kafka/config.go of influxdata/telegraf."""
TELEGRAF_OUTPUT = Application(
    "telegraf",
    Role.PRODUCER,
    {
        **TELEGRAF,
        "required_acks": ("Producer.RequiredAcks", acks),
        "compression_codec": ("Producer.Compression", codec),
        "idempotent_writes": ("Producer.Idempotent", flag),
        "max_retry": ("Producer.Retry.Max", number),
    },
)
"""plugins/outputs/kafka/README.md of influxdata/telegraf."""
TELEGRAF_INPUT = Application(
    "telegraf",
    Role.GROUP,
    {**TELEGRAF, "session_timeout": ("Consumer.Group.Session.Timeout", duration)},
)
"""plugins/inputs/kafka_consumer/README.md of influxdata/telegraf."""
COLLECTOR = Application(
    "opentelemetry-collector",
    Role.PRODUCER,
    {
        "protocol_version": ("Version", version),
        "timeout": ("Producer.Timeout", duration),
        "metadata.full": ("Metadata.Full", flag),
        "metadata.refresh_interval": ("Metadata.RefreshFrequency", duration),
        "metadata.retry.max": ("Metadata.Retry.Max", number),
        "metadata.retry.backoff": ("Metadata.Retry.Backoff", duration),
        "producer.required_acks": ("Producer.RequiredAcks", acks),
        "producer.compression": ("Producer.Compression", codec),
    },
)
"""exporter/kafkaexporter/README.md of open-telemetry/opentelemetry-collector-contrib."""


def flat(values: Any, depth: int = DEPTH) -> dict[str, Any]:
    """Return the values by their path of keys; Beats take `a.b: 1` for `a: {b: 1}`."""
    found: dict[str, Any] = {}
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, dict) and depth:
            found |= {f"{key}.{path}": inner for path, inner in flat(value, depth - 1).items()}
        else:
            found[str(key)] = value
    return found


def client_of_settings(application: Application, values: Mapping[str, Any], place: Place) -> Iterator[Found | Skipped]:
    """Yield the application with its properties, and what is set to something that is not understood."""
    properties = []
    for key, (name, kind) in application.keys.items():
        if values.get(key) is None:
            continue
        if value := kind(values[key]):
            properties.append(f"{name}={value}")
        else:
            yield Skipped(f"`{key}`", "its value is not understood, and is left out")
    yield Found(
        package=application.client,
        client=application.client,
        unknown=NO_VERSION,
        role=application.role,
        properties=tuple(properties),
        place=place,
    )
