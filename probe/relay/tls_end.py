"""One end of a link over TLS, which the relay ends: an SSL object between two buffers, over a plain transport.

Event loops report a connection over TLS only after its handshake, and cannot end one direction of it. This way the
link learns of a connection when it is accepted, and the end of a stream passes through (RFC 8446, section 6.1): TLS
1.3 keeps the other direction open, a TLS 1.2 peer closes.
"""

from __future__ import annotations

import contextlib
import ssl
from dataclasses import dataclass
from typing import Protocol

from probe.relay.socket_end import LinkCallbacks, SocketEnd

PIECE = 256 << 10
"""Most bytes of one read, which takes whole records of 16 KiB."""


@dataclass(frozen=True, slots=True)
class ServerTls:
    """The relay's side of TLS."""

    context: ssl.SSLContext
    flawed: bool = False
    """Whether handshakes are meant to fail: a scenario gives clients a reason to refuse the certificate."""
    closes: bool = False
    """Whether the handshake ends after the client's first bytes, without an alert."""


class SecureLinkCallbacks(LinkCallbacks, Protocol):
    """Calls of an end over TLS to its link."""

    def handshake_failed(self, reason: str, *, meant: bool) -> None:
        """Report a TLS handshake that did not succeed, and whether a scenario's fault is the reason."""

    def finish(self) -> None:
        """End both sides."""


class TlsEnd(SocketEnd):
    """The socket of a client that speaks TLS; the link sees the decrypted bytes."""

    link: SecureLinkCallbacks

    def __init__(self, link: SecureLinkCallbacks, name: str, side: ServerTls) -> None:
        super().__init__(link, name)
        self._side = side
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = side.context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._shaken = self._failed = self._ended = self._end_waits = False
        self._early = b""
        """Bytes for the client that came before its handshake was over."""

    def data_received(self, data: bytes) -> None:
        """Decrypt bytes and pass them to the link."""
        if self._failed or self.eof:
            return
        if self._side.closes:
            self._failed = self._ended = True
            self.link.handshake_failed("the listener ended the connection during the handshake", meant=True)
            self.link.finish()
            return
        self._incoming.write(data)
        if self._shaken or self._shake():
            self._decrypt()

    def eof_received(self) -> bool:
        """Report the end of the stream, which need not have been announced (as most clients end it)."""
        if not self._shaken and not self._failed:
            self._fail("the client ended the connection during the handshake")
        elif not self.eof:
            super().eof_received()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the loss to the link."""
        if not self._shaken and not self._failed and not self._ended:
            self._failed = True
            self.link.handshake_failed("the connection was lost during the handshake", meant=self._side.flawed)
        super().connection_lost(exc)

    def read(self, wanted: bool) -> None:
        """Start or pause reading from this side."""
        super().read(wanted)
        if self._end_waits and wanted:
            self._report_end()

    def write(self, data: bytes) -> None:
        """Encrypt and send bytes."""
        if not self._shaken:
            self._early += data
        elif not self._ended and data:
            try:
                self._tls.write(data)
            except ssl.SSLError:  # the client has broken its side, which the next read reports
                return
            self._flush()

    def end(self) -> None:
        """End the stream after all written bytes."""
        self._say_end()
        super().end()

    def close(self) -> None:
        """Send all written bytes, say that no more come, and close."""
        self._say_end()
        super().close()

    def reset(self) -> None:
        """Close at once; the peer gets a reset."""
        self._ended = True
        super().reset()

    def _shake(self) -> bool:
        """Go on with the handshake; return whether it is over."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return False
        except ssl.SSLError as error:
            self._flush()
            self._fail(_reason(error))
            return False
        self._shaken = True
        self._flush()
        early, self._early = self._early, b""
        self.write(early)
        return True

    def _decrypt(self) -> None:
        """Pass what can be decrypted to the link, then the end of the stream if it was announced."""
        pieces, ended = [], False
        try:
            while piece := self._tls.read(PIECE):
                pieces.append(piece)
            ended = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            ended = True
        except ssl.SSLError as error:
            self._fail(_reason(error))
        self._flush()
        if pieces:
            super().data_received(b"".join(pieces))
        if ended and not self.eof:
            self._report_end()

    def _report_end(self) -> None:
        """Report the announced end of the stream once the link reads on, as a plain socket's comes then."""
        self._end_waits = self.transport is not None and not self.transport.is_reading()
        if not self._end_waits:
            super().eof_received()

    def _fail(self, reason: str) -> None:
        """Report a handshake that failed, or a record that cannot be read, and close: the client has its alert."""
        self._failed = self._ended = True
        self.link.handshake_failed(reason, meant=self._side.flawed)
        super().eof_received()
        super().close()

    def _say_end(self) -> None:
        if self._shaken and not self._ended:
            self._ended = True
            with contextlib.suppress(ssl.SSLError):  # it waits for the client's own end, which is read later
                self._tls.unwrap()
            self._flush()

    def _flush(self) -> None:
        if data := self._outgoing.read():
            super().write(data)


def _reason(error: ssl.SSLError) -> str:
    """Return the reason in OpenSSL's words: `tlsv1 alert unknown ca`, `wrong version number`."""
    return (error.reason or str(error)).lower().replace("_", " ")
