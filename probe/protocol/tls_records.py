"""Records of TLS in one direction of a connection, as they show without its keys: kinds, lengths, alerts in clear."""

from __future__ import annotations

from collections.abc import Mapping

ALERT, HANDSHAKE, DATA = 21, 22, 23
KINDS = frozenset({20, ALERT, HANDSHAKE, DATA})
"""Kinds of records (RFC 8446, 5.1); 20 is the change of the cipher."""
HEADER = 5
"""Bytes of a record's header: kind, version, length."""
CLEAR_ALERT = 2
"""Bytes of an alert that is not encrypted: level and description."""
HIDDEN_ALERT = CLEAR_ALERT + 1 + 16
"""Bytes of one that TLS 1.3 encrypts as data: with its kind and the tag of the ciphers in use. No frame of Kafka and no
message of the handshake is as short."""
ALERTS: Mapping[int, str] = {
    0: "close notify",
    40: "handshake failure",
    42: "bad certificate",
    43: "unsupported certificate",
    45: "certificate expired",
    46: "certificate unknown",
    47: "illegal parameter",
    48: "unknown ca",
    49: "access denied",
    50: "decode error",
    51: "decrypt error",
    70: "protocol version",
    80: "internal error",
    112: "unrecognized name",
    116: "certificate required",
}
"""Descriptions of alerts (RFC 8446, 6), as OpenSSL writes them."""


class TlsRecords:
    """The records of one direction."""

    def __init__(self) -> None:
        self.alert = ""
        """The last record, where it is an alert: its description, or that it is encrypted; else empty."""
        self.plain = False
        """Whether the bytes are not TLS."""
        self.begun = False
        """Whether anything has passed."""
        self._head = b""
        self._left = 0
        """Bytes of the present record that have not passed yet."""

    def feed(self, data: bytes) -> None:
        """Take the bytes that pass next."""
        self.begun = self.begun or bool(data)
        while data and not self.plain:
            if self._left:
                passed = min(self._left, len(data))
                data, self._left = data[passed:], self._left - passed
                continue
            needed = HEADER + CLEAR_ALERT - len(self._head)
            self._head, data = self._head + data[:needed], data[needed:]
            if self._head[0] not in KINDS:
                self.plain = True
            elif len(self._head) == HEADER + CLEAR_ALERT:
                data = self._begin() + data

    def _begin(self) -> bytes:
        """Begin a record, of which two bytes have passed. Return those that belong to the next one."""
        kind, length = self._head[0], int.from_bytes(self._head[3:5], "big")
        first, self._head = self._head[HEADER:], b""
        if kind == ALERT and length == CLEAR_ALERT:
            self.alert = ALERTS.get(first[1], f"alert {first[1]}")
        elif kind == ALERT or (kind == DATA and length == HIDDEN_ALERT):
            self.alert = "encrypted"
        else:
            self.alert = ""
        self._left = max(0, length - len(first))
        return first[length:]
