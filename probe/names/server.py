"""The name server of a private network: addresses of names that change while clients run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from socket import socket
from typing import cast

import dns.exception
import dns.flags
import dns.message
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

TTL_S = 0
"""Time for which an answer may be kept: none, so that what is kept is the client's or its runtime's own doing."""

Asked = Callable[[tuple[str, ...]], None]
"""Receives the addresses of each answer to a question for addresses; none = there is no such name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Addresses of a name."""

    addresses: tuple[str, ...]
    """IPv4 addresses in the order of the answer; none: there is no such name (NXDOMAIN)."""
    asked: Asked


class NameServer(asyncio.DatagramProtocol):
    """Answers questions about the names in `entries`, in lower case; it knows no others."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.DatagramTransport", transport)  # uvloop's own class is registered nowhere

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer a question; anything else is dropped."""
        answer = self.answer(data)
        if answer and self._transport is not None:
            self._transport.sendto(answer, addr)

    def answer(self, data: bytes) -> bytes:
        """Return the answer to a message; empty if it is no question."""
        try:
            query = dns.message.from_wire(data)
        except (dns.exception.DNSException, ValueError):
            return b""
        if query.flags & dns.flags.QR or query.opcode() != dns.opcode.QUERY or len(query.question) != 1:
            return b""
        response = dns.message.make_response(query)
        response.flags |= dns.flags.AA | dns.flags.RA
        self._fill(response)
        return response.to_wire()

    def _fill(self, response: dns.message.Message) -> None:
        (question,) = response.question
        entry = self.entries.get(question.name.to_text(omit_final_dot=True).lower())
        of_addresses = (question.rdclass, question.rdtype) == (dns.rdataclass.IN, dns.rdatatype.A)
        if entry is None or not entry.addresses:
            response.set_rcode(dns.rcode.NXDOMAIN)
        elif of_addresses:
            asked = (question.name, TTL_S, question.rdclass, question.rdtype)
            response.answer += [dns.rrset.from_text(*asked, one) for one in entry.addresses]  # one set is shuffled
        if entry is not None and of_addresses:
            entry.asked(entry.addresses)


@asynccontextmanager
async def serving(names: socket) -> AsyncIterator[NameServer]:
    """Serve at a datagram socket inside the block."""
    names.setblocking(False)
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(NameServer, sock=names)
    try:
        yield server
    finally:
        transport.close()
