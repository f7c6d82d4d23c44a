"""librdkafka's own version and configuration table, read from the library file that the extension module has loaded.

confluent-kafka has no getter for effective settings; the C library has one (rd_kafka_conf_dump, rdkafka.h). So the
reported defaults are those of this version, and the library itself rejects an unknown key.
The version is the C library's own: the `libversion()` of confluent-kafka 2.12.0 is a text, that of others a pair.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path

OK = 0
TEXT = 512
NEIGHBOURS = ("libz*.so*", "libcrypto*.so*", "libssl*.so*")
"""In the order of their dependencies."""


class ConfigurationError(ValueError):
    """librdkafka rejects a key or its value; the text is librdkafka's own."""


def bundled(package: Path) -> Path:
    """Return the library file next to the package. Raises OSError if the wheel has none."""
    found = [
        path for path in sorted(package.parent.rglob("*librdkafka*")) if ".so" in path.name or ".dylib" in path.name
    ]
    if not found:
        raise OSError(f"no librdkafka library file lies next to {package}")
    return found[0]


def load(library: Path) -> ctypes.CDLL:
    """Load a library after its dependencies in the wheel. Raises OSError if it cannot be loaded.

    An extension module finds these by its own search path; the C libraries of releases up to 1.3 have none: libz,
    libcrypto and libssl lie next to them and must be loaded first.
    """
    for pattern in NEIGHBOURS:
        for file in sorted(library.parent.glob(pattern)):
            ctypes.CDLL(str(file))
    return ctypes.CDLL(str(library))


class Native:
    """The C library's functions of version and configuration."""

    def __init__(self, library: Path) -> None:
        self._c = load(library)
        pairs = ctypes.POINTER(ctypes.c_char_p)
        handle, size = ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
        text = ctypes.c_char_p
        for name, result, arguments in (
            ("rd_kafka_version", ctypes.c_int, []),
            ("rd_kafka_version_str", text, []),
            ("rd_kafka_conf_new", handle, []),
            ("rd_kafka_conf_destroy", None, [handle]),
            ("rd_kafka_conf_set", ctypes.c_int, [handle, text, text, text, ctypes.c_size_t]),
            ("rd_kafka_conf_dump", pairs, [handle, size]),
            ("rd_kafka_topic_conf_new", handle, []),
            ("rd_kafka_topic_conf_destroy", None, [handle]),
            ("rd_kafka_topic_conf_set", ctypes.c_int, [handle, text, text, text, ctypes.c_size_t]),
            ("rd_kafka_topic_conf_dump", pairs, [handle, size]),
            ("rd_kafka_conf_dump_free", None, [pairs, ctypes.c_size_t]),
        ):
            function = getattr(self._c, name)
            function.restype, function.argtypes = result, arguments

    def version(self) -> tuple[str, int]:
        """Return the library's version as text and as its number, 0xMMmmppxx (rdkafka.h, RD_KAFKA_VERSION)."""
        return (self._c.rd_kafka_version_str() or b"").decode(), self._c.rd_kafka_version()

    def effective(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return all effective settings with `settings` applied to the defaults; topic settings included.

        Topic-level keys go to the client's own topic defaults, which versions before 1.6 cannot return; so they are
        also applied to separate topic defaults.
        """
        conf, topic = self._c.rd_kafka_conf_new(), self._c.rd_kafka_topic_conf_new()
        try:
            for key, value in settings.items():
                self._set(conf, topic, key, value)
            whole = self._dump(self._c.rd_kafka_topic_conf_dump, topic)
            return whole | {key: value for key, value in self._dump(self._c.rd_kafka_conf_dump, conf).items() if value}
        finally:
            self._c.rd_kafka_topic_conf_destroy(topic)
            self._c.rd_kafka_conf_destroy(conf)

    def _set(self, conf: int, topic: int, key: str, value: str) -> None:
        why = ctypes.create_string_buffer(TEXT)
        pair = key.encode(), value.encode()
        if self._c.rd_kafka_conf_set(conf, *pair, why, TEXT) != OK:
            raise ConfigurationError(why.value.decode(errors="replace"))
        self._c.rd_kafka_topic_conf_set(topic, *pair, None, 0)  # it rejects keys that are not topic-level

    def _dump(self, function: ctypes._FuncPointer, conf: int) -> dict[str, str]:
        count = ctypes.c_size_t()
        pairs = function(conf, ctypes.byref(count))
        try:
            texts = [(pairs[index] or b"").decode(errors="replace") for index in range(count.value)]
        finally:
            self._c.rd_kafka_conf_dump_free(pairs, count)
        return dict(zip(texts[::2], texts[1::2], strict=True))
