"""Credentials of a run: made anew, marked, never printed, and gone with the run."""

from __future__ import annotations

import socket
import ssl
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from probe.access import Access
from probe.model.security import Security
from probe.run_credentials import MARK, run_credentials
from probe.scenarios.steps.handshakes import Flaw

PLAIN, SCRAM, SSL = map(Security.parse, ("SASL_PLAINTEXT/PLAIN", "SASL_SSL/SCRAM-SHA-512", "SSL"))
OAUTH, MUTUAL = map(Security.parse, ("SASL_PLAINTEXT/OAUTHBEARER", "SSL/CLIENT-AUTH"))


def test_nothing_is_made_where_nothing_is_wanted() -> None:
    with run_credentials([]) as found:
        assert not found


def test_each_security_has_what_it_needs() -> None:
    with run_credentials([PLAIN, SCRAM, SSL, SSL]) as found:
        assert set(found) == {PLAIN, SCRAM, SSL}
        has = {one: (bool(it.password), bool(it.authority), it.server is not None) for one, it in found.items()}
        assert has == {PLAIN: (True, False, False), SCRAM: (True, True, True), SSL: (False, True, True)}
        assert Path(found[SSL].authority_file).read_text() == found[SSL].authority
    assert not Path(found[SSL].authority_file).parent.exists()


def test_passwords_are_marked_new_in_every_run_and_not_printed() -> None:
    passwords = set()
    for _ in range(2):
        with run_credentials([SCRAM]) as found:
            access = found[SCRAM]
            assert access.password.startswith(MARK)
            assert access.password not in repr(found)
            assert "CERTIFICATE" not in repr(found)
            passwords.add(access.password)
    assert len(passwords) == 2


def test_tokens_have_a_signer_where_clients_log_in_by_them() -> None:
    with run_credentials([PLAIN, OAUTH]) as found:
        issuer = found[OAUTH].issuer
        assert issuer is not None
        assert issuer.mark.startswith(MARK)
        assert issuer.mark != found[OAUTH].password
        assert found[PLAIN].issuer is None
        assert issuer.mark not in repr(found)


def test_no_key_is_on_disk() -> None:
    with run_credentials([SSL]) as found:
        folder = Path(found[SSL].authority_file).parent
        assert [file.name for file in folder.iterdir()] == ["authority.pem"]
        assert "PRIVATE KEY" not in found[SSL].authority


def test_the_clients_key_is_in_a_file_of_its_owner_only_while_brokers_ask_for_its_certificate() -> None:
    with run_credentials([SSL, MUTUAL]) as found:
        access = found[MUTUAL]
        file = Path(access.certificate_file)
        assert file.read_text() == access.key + access.certificate
        assert stat.S_IMODE(file.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
        assert sorted(one.name for one in file.parent.iterdir()) == ["authority.pem", "client.pem"]
        assert "PRIVATE KEY" not in repr(found)
        assert (found[SSL].certificate, found[SSL].key, found[SSL].certificate_file) == ("", "", "")
    assert not file.exists()


def _handshake(access: Access, context: ssl.SSLContext, host: str) -> str:
    ours, theirs = socket.socketpair()
    assert access.server is not None
    server = threading.Thread(target=_serve, args=(access.server, theirs))
    server.start()
    try:
        with context.wrap_socket(ours, server_hostname=host) as peer:
            return str(peer.version())
    finally:
        ours.close()
        server.join()


def _serve(context: ssl.SSLContext, sock: socket.socket) -> None:
    try:
        with context.wrap_socket(sock, server_side=True) as peer:
            peer.recv(1)
    except OSError:
        sock.close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_clients_that_trust_the_authority_accept_the_certificate_of_loopback(
    version: ssl.TLSVersion, host: str
) -> None:
    with run_credentials([SSL]) as found:
        context = ssl.create_default_context(cadata=found[SSL].authority)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        context.minimum_version = context.maximum_version = version
        assert _handshake(found[SSL], context, host) == version.name.replace("_", ".")


@pytest.mark.parametrize("host", ["127.0.0.2", "kafka.example"])
def test_the_certificate_is_of_no_other_host(host: str) -> None:
    with run_credentials([SSL]) as found, pytest.raises(ssl.SSLCertVerificationError):
        _handshake(found[SSL], ssl.create_default_context(cadata=found[SSL].authority), host)


def test_others_do_not_trust_it() -> None:
    with run_credentials([SSL]) as found, pytest.raises(ssl.SSLCertVerificationError):
        _handshake(found[SSL], ssl.create_default_context(), "127.0.0.1")


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        (Flaw.EXPIRED, "certificate has expired"),
        (Flaw.OTHER_NAME, "IP address mismatch"),
        (Flaw.OTHER_AUTHORITY, "unable to get local issuer certificate|certificate signature failure"),
    ],
)
def test_each_flawed_certificate_has_one_flaw(flaw: Flaw, reason: str) -> None:
    with run_credentials([SSL]) as found:
        access = replace(found[SSL], server=found[SSL].flawed[flaw])
        context = ssl.create_default_context(cadata=access.authority)
        with pytest.raises(ssl.SSLCertVerificationError, match=reason):
            _handshake(access, context, "127.0.0.1")
        context.check_hostname = False
        if flaw is Flaw.OTHER_NAME:
            assert _handshake(access, context, "127.0.0.1") == "TLSv1.3"


def test_flaws_without_a_certificate_have_none() -> None:
    with run_credentials([SSL, PLAIN]) as found:
        assert set(found[SSL].flawed) == set(Flaw) - {Flaw.CLOSED}
        assert not found[PLAIN].flawed


def _reason_of_server(access: Access, version: ssl.TLSVersion, *, certified: bool) -> str:
    """Return why the server's side of a handshake fails with a client that has its certificate, or none; else empty."""
    context = ssl.create_default_context(cadata=access.authority)
    context.minimum_version = context.maximum_version = version
    if certified:
        context.load_cert_chain(access.certificate_file)
    assert access.server is not None
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = access.server.wrap_bio(incoming, outgoing, server_side=True)
    client = context.wrap_bio(outgoing, incoming, server_hostname="127.0.0.1")
    for side in (client, server) * 3:
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLError as error:
            assert side is server
            return str(error.reason)
    return ""


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("flaw", "certified", "reason"),
    [
        (None, True, ""),
        (None, False, "PEER_DID_NOT_RETURN_A_CERTIFICATE"),
        (Flaw.CLIENT_REFUSED, True, "CERTIFICATE_VERIFY_FAILED"),
        (Flaw.CLIENT_REFUSED, False, "PEER_DID_NOT_RETURN_A_CERTIFICATE"),
    ],
)
def test_brokers_that_ask_for_certificates_take_those_of_the_run(
    version: ssl.TLSVersion, flaw: Flaw | None, certified: bool, reason: str
) -> None:
    with run_credentials([MUTUAL]) as found:
        access = found[MUTUAL]
        asked = access if flaw is None else replace(access, server=access.flawed[flaw])
        assert _reason_of_server(asked, version, certified=certified) == reason
