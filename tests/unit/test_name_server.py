"""The name server of a private network, and the names of a trial's brokers: what resolvers get."""

from __future__ import annotations

import socket
from itertools import count

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import pytest

from probe.model import EngineEvent, EngineKind, Event
from probe.names.namespace import hosts_by_name_server
from probe.names.server import Entry, NameServer
from probe.names.trial_hosts import TrialHosts, loopback_addresses


def asked(server: NameServer, name: str, kind: str = "A") -> tuple[str, list[str]]:
    """Return the code and the addresses of the answer to a question."""
    query = dns.message.make_query(name, kind)
    answer = dns.message.from_wire(server.answer(query.to_wire()))
    assert answer.id == query.id
    assert answer.flags & dns.flags.QR
    return dns.rcode.to_text(answer.rcode()), [str(item) for rrset in answer.answer for item in rrset]


def trial(server: NameServer) -> tuple[TrialHosts, list[Event]]:
    events: list[Event] = []
    return TrialHosts(server, socket.socket, (f"127.9.0.{number}" for number in count(1)), events.append), events


def test_a_name_is_answered_with_its_addresses_in_their_order() -> None:
    server, answers = NameServer(), list[tuple[str, ...]]()
    server.entries["b1.mark.test"] = Entry(("127.1.0.9", "127.1.0.2"), answers.append)
    assert asked(server, "B1.mark.test") == ("NOERROR", ["127.1.0.9", "127.1.0.2"])
    assert asked(server, "b1.mark.test", "AAAA") == ("NOERROR", [])
    assert answers == [("127.1.0.9", "127.1.0.2")]


def test_a_name_that_leads_nowhere_does_not_exist() -> None:
    server, answers = NameServer(), list[tuple[str, ...]]()
    server.entries["b1.mark.test"] = Entry((), answers.append)
    assert asked(server, "b1.mark.test") == ("NXDOMAIN", [])
    assert asked(server, "b1.mark.test", "AAAA") == ("NXDOMAIN", [])
    assert asked(server, "kafka.apache.org") == ("NXDOMAIN", [])
    assert answers == [()]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 5,
        bytes(range(200)),
        dns.message.make_response(dns.message.make_query("b1.mark.test", "A")).to_wire(),
        dns.message.make_query("b1.mark.test", "A").to_wire()[:-3],
    ],
    ids=["nothing", "short", "noise", "an answer", "cut"],
)
def test_what_is_no_question_gets_no_answer(data: bytes) -> None:
    assert NameServer().answer(data) == b""


def test_each_trial_has_names_of_its_own() -> None:
    server = NameServer()
    (first, _), (second, _) = trial(server), trial(server)
    assert first.name(1) != second.name(1)
    for one in (first, second):
        assert asked(server, one.name(1)) == ("NXDOMAIN", [])
        address = one.settle(1)
        assert asked(server, one.name(1)) == ("NOERROR", [address])
        assert one.mark in one.name(1)
    first.close()
    assert asked(server, first.name(1)) == ("NXDOMAIN", [])
    assert asked(server, second.name(1))[0] == "NOERROR"


def test_a_broker_that_settles_again_is_elsewhere_behind_its_name() -> None:
    server = NameServer()
    hosts, events = trial(server)
    first, name = hosts.settle(1), hosts.name(1)
    hosts.hide(1)
    assert asked(server, name) == ("NXDOMAIN", [])
    second = hosts.settle(1)
    assert second != first
    assert hosts.name(1) == name
    assert [asked(server, name) for _ in range(3)] == [("NOERROR", [second])] * 3
    seen = [(event.kind, event.broker) for event in events if isinstance(event, EngineEvent)]
    assert seen == [
        (EngineKind.NOTE, 1),
        (EngineKind.RELOCATED, 1),
        (EngineKind.NOTE, 1),  # asked, while it leads nowhere
        (EngineKind.RELOCATED, 1),
        (EngineKind.NOTE, 1),  # asked since then: once, however often
    ]


def test_the_former_name_of_a_renamed_broker_leads_nowhere() -> None:
    server = NameServer()
    hosts, _ = trial(server)
    hosts.settle(1)
    before = hosts.name(1)
    hosts.name_anew(1)
    address = hosts.settle(1)
    assert asked(server, before) == ("NXDOMAIN", [])
    assert asked(server, hosts.name(1)) == ("NOERROR", [address])


def test_every_address_is_given_once() -> None:
    addresses = loopback_addresses()
    given = [next(addresses) for _ in range(1000)]
    assert len(set(given)) == 1000
    assert all(address.startswith("127.1.") for address in given)


def test_hosts_are_looked_up_at_the_name_server_whatever_the_machine_does() -> None:
    switch = "passwd: files systemd\nhosts: files resolve [!UNAVAIL=return] dns myhostname\n"
    assert hosts_by_name_server(switch) == "passwd: files systemd\nhosts: files dns\n"
    assert hosts_by_name_server("") == "hosts: files dns\n"
