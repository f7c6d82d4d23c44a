"""Names of one trial's brokers, and the loopback addresses behind them."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable, Iterator
from itertools import count
from socket import socket

from probe.model import EngineEvent, EngineKind
from probe.model.clock import now_us
from probe.names.server import Entry, NameServer
from probe.ports import Sink

DOMAIN = "test"
"""A top-level domain that no public name server has (RFC 6761)."""
FIRST_ADDRESS = ipaddress.IPv4Address("127.1.0.1")


def loopback_addresses() -> Iterator[str]:
    """Yield addresses of a private network, each once: all of 127.0.0.0/8 lead to the loopback."""
    return (str(FIRST_ADDRESS + number) for number in count())


class TrialHosts:
    """Names that hold the trial's mark: no cache and no other trial has ever seen them.

    It is the `probe.relay.listener.Hosts` of one relay.
    """

    def __init__(
        self, server: NameServer, make_socket: Callable[[], socket], addresses: Iterator[str], sink: Sink
    ) -> None:
        self.mark = secrets.token_hex(4)
        self.socket = make_socket
        self._server, self._addresses, self._sink = server, addresses, sink
        self._names: dict[int, str] = {}
        self._settled: set[int] = set()

    def name(self, broker: int) -> str:
        """Return the name of a broker, or of the bootstrap address, for which its number stands."""
        return self._names.setdefault(broker, f"b{broker}.{self.mark}.{DOMAIN}")

    def settle(self, broker: int, *, beside: bool = False) -> str:
        """Return another address, to which the name of a broker leads from now on; `beside` its former ones, or alone.

        The former ones come first.
        """
        address = next(self._addresses)
        before = self._server.entries[self.name(broker)].addresses if beside else ()
        self._lead(broker, (*before, address))
        return address

    def name_anew(self, broker: int) -> None:
        """Give a broker another name; the former one leads nowhere any more."""
        self._lead(broker, ())
        self._names[broker] = f"b{broker}-{secrets.token_hex(2)}.{self.mark}.{DOMAIN}"

    def hide(self, broker: int) -> None:
        """Let the name of a broker lead nowhere until it settles elsewhere."""
        self._lead(broker, ())

    def close(self) -> None:
        """Forget all names of the trial."""
        for name in [name for name in self._server.entries if name.endswith(f".{self.mark}.{DOMAIN}")]:
            del self._server.entries[name]

    def _lead(self, broker: int, addresses: tuple[str, ...]) -> None:
        name = self.name(broker)
        reported = False

        def asked(answer: tuple[str, ...]) -> None:
            nonlocal reported
            if not reported:
                reported = True
                self._emit(EngineKind.NOTE, broker, f"a client asks for {name}, which leads to {_words(answer)}")

        self._server.entries[name] = Entry(addresses, asked)
        kind = EngineKind.RELOCATED if broker in self._settled else EngineKind.NOTE
        self._settled.add(broker)
        self._emit(kind, broker, f"{name} leads to {_words(addresses)}")

    def _emit(self, kind: EngineKind, broker: int, text: str) -> None:
        self._sink(EngineEvent(at=now_us(), kind=kind, broker=broker, text=text))


def _words(addresses: tuple[str, ...]) -> str:
    return ", ".join(addresses) or "nothing (NXDOMAIN)"
