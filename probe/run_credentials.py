"""Credentials of a run, made anew each time: a password, a key that signs tokens, and an authority of certificates.

They live in memory and in a folder of the run's that is removed at its end; the key of the clients' own certificate
lies there for the run, in a file that only its owner can read. Real brokers that end TLS have theirs so, too, in the
folder of their cluster. Every secret text begins with `MARK`, and every token with `TOKEN_MARK`, so that a search finds
them where they must not be. The authority is trusted by nobody but the clients of its run, and what it signs is valid
for loopback only.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import secrets
import ssl
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from probe.access import RIGHT, Access
from probe.files.private_files import write_private
from probe.model.endpoint import LOOPBACK
from probe.model.security import Mechanism, Security
from probe.scenarios.steps.handshakes import Flaw
from probe.token_issuer import Issuer, beginning, new_issuer

if TYPE_CHECKING:  # loaded with the first certificate
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

MARK = "probe-secret-"
"""The beginning of every secret text of a run."""
TOKEN_MARK = beginning(MARK)
"""The beginning of every token of a run."""
USER = "probe"
VALID = dt.timedelta(days=2)
"""Time for which certificates are valid, beyond the longest run."""
BEFORE = dt.timedelta(hours=1)
"""Time by which they begin earlier, for clocks that differ."""
AUTHORITY = "probe run authority"
OTHER_HOST = "other-host.invalid"
"""The name of a host that no client connects to (RFC 6761)."""


@contextlib.contextmanager
def run_credentials(wanted: Iterable[Security]) -> Iterator[Mapping[Security, Access]]:
    """Make what clients need for each of these. Without any of them nothing is made, and no package is loaded."""
    needed = sorted(set(wanted))
    if not needed:
        yield {}
        return
    password = _secret()
    tls = any(one.protocol.tls for one in needed)
    tokens = any(one.mechanism is Mechanism.OAUTHBEARER for one in needed)
    issuer = new_issuer(_secret()) if tokens else None
    with tempfile.TemporaryDirectory(prefix="kafka-metadata-probe-") as folder:
        issued = _issued(Path(folder)) if tls else None
        yield {one: _access(one, password, issued, issuer) for one in needed}


def _secret() -> str:
    return f"{MARK}{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class _Issued:
    authority: str
    file: Path
    server: ssl.SSLContext
    asking: ssl.SSLContext
    """The same server, which asks for certificates of clients, of either authority."""
    flawed: Mapping[str, ssl.SSLContext]
    key_stores: Mapping[str, str]
    trust_stores: Mapping[str, str]
    certificate: str
    key: str
    renewed: str


def _access(security: Security, password: str, issued: _Issued | None, issuer: Issuer | None) -> Access:
    access = Access(
        security=security,
        user=USER if security.protocol.sasl else "",
        password=password if security.protocol.sasl else "",
        issuer=issuer if security.mechanism is Mechanism.OAUTHBEARER else None,
    )
    if issued is None or not security.protocol.tls:
        return access
    access = replace(
        access,
        authority=issued.authority,
        authority_file=str(issued.file),
        server=issued.server,
        flawed=issued.flawed,
        key_stores=issued.key_stores,
    )
    if not security.client_auth:
        return access
    return replace(
        access,
        server=issued.asking,
        trust_stores=issued.trust_stores,
        certificate=issued.certificate,
        key=issued.key,
        renewed=issued.renewed,
        certificate_file=str(write_private(issued.file.with_name("client.pem"), issued.key + issued.certificate)),
    )


def _issued(folder: Path) -> _Issued:
    """Make an authority and certificates of it; brokers' keys are on disk only until they are loaded."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # loaded by runs with TLS only

    root, other, key, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(4))
    authority, stranger = _certificate(AUTHORITY, root, root, None), _certificate(AUTHORITY, other, other, None)
    text, file = _pem(authority), folder / "authority.pem"
    file.write_text(text)

    def serving(certificate: x509.Certificate, *clients: x509.Certificate) -> ssl.SSLContext:
        chain = write_private(folder / "broker.pem", _private(key) + _pem(certificate))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(chain)
        chain.unlink()
        if clients:
            server.verify_mode = ssl.CERT_REQUIRED
            server.load_verify_locations(cadata="".join(map(_pem, clients)))
        return server

    broker = partial(_certificate, "probe broker", key)
    right = broker(root, authority)
    flawed = {
        Flaw.EXPIRED: broker(root, authority, ends=-BEFORE),
        Flaw.OTHER_NAME: broker(root, authority, host=OTHER_HOST),
        Flaw.OTHER_AUTHORITY: broker(other, stranger),
    }
    found = {str(flaw): serving(certificate) for flaw, certificate in flawed.items()}
    theirs = {RIGHT: right, **{str(flaw): certificate for flaw, certificate in flawed.items()}}
    found[str(Flaw.CLIENT_REFUSED)] = serving(right, stranger)
    return _Issued(
        authority=text,
        file=file,
        server=serving(right),
        asking=serving(right, authority, stranger),
        flawed=found,
        key_stores={name: _private(key) + _pem(certificate) for name, certificate in theirs.items()},
        trust_stores={RIGHT: text + _pem(stranger), str(Flaw.CLIENT_REFUSED): _pem(stranger)},
        certificate=_pem(_certificate(USER, own, root, authority, client=True)),
        key=_private(own),
        renewed=_private(own) + _pem(_certificate(USER, own, other, stranger, client=True)),
    )


def _certificate(
    name: str,
    key: EllipticCurvePrivateKey,
    signer: EllipticCurvePrivateKey,
    authority: x509.Certificate | None,
    *,
    ends: dt.timedelta = VALID,
    host: str = "",
    client: bool = False,
) -> x509.Certificate:
    """Return a certificate for a key: the authority's own without an `authority`, else a server's on loopback.

    It ends this time from now, and is a server's of another `host` where one is named, or a client's.
    """
    from cryptography import x509  # noqa: PLC0415  # see `_issued`
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID  # noqa: PLC0415

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    own = authority is None
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if authority is None else authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID if ends < dt.timedelta() else now - BEFORE)
        .not_valid_after(now + ends)
        .add_extension(x509.BasicConstraints(ca=own, path_length=0 if own else None), critical=True)
        .add_extension(_usage(signs=own), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
            critical=False,
        )
    )
    if client:
        built = built.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
    elif not own:
        own_names = [x509.IPAddress(ipaddress.ip_address(LOOPBACK)), x509.DNSName("localhost")]
        names = [x509.DNSName(host)] if host else own_names
        built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
        built = built.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    return built.sign(signer, hashes.SHA256())


def _usage(*, signs: bool) -> x509.KeyUsage:
    from cryptography import x509  # noqa: PLC0415  # see `_issued`

    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415  # see `_issued`

    return certificate.public_bytes(Encoding.PEM).decode()


def _private(key: EllipticCurvePrivateKey) -> str:
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415  # see `_issued`

    return key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()).decode()
