"""Key and trust stores of brokers that end TLS themselves: files of each broker's, and the settings that name them.

Kafka reads PEM from 2.7 on (KIP-651). A running broker takes other files for a listener (KIP-226), with another
distinguished name or other hosts from 3.7 on where a setting allows it (KIP-978).
"""

from __future__ import annotations

import ssl
from pathlib import Path

from probe.access import RIGHT, Access
from probe.files.private_files import write_private

LISTENER = "listener.name.ext"
"""The prefix of settings of the listener for clients."""
KEYS, TRUST = f"{LISTENER}.ssl.keystore", f"{LISTENER}.ssl.truststore"
NAMES_MAY_CHANGE = "ssl.allow.san.changes"
AUTHORITY, CLIENT = "authority.pem", "client.pem"
"""The authority of the clients' certificate, and that certificate with its key, which shows whom a broker trusts."""


def write(folder: Path, access: Access) -> None:
    """Write the stores of a broker into its folder, for its owner only."""
    for kind, stores in ((KEYS, access.key_stores), (TRUST, access.trust_stores)):
        for name, text in stores.items():
            write_private(_file(folder, kind, name), text)
    if access.trust_stores:
        write_private(folder / AUTHORITY, access.authority)
        write_private(folder / CLIENT, access.key + access.certificate)


def settings(folder: Path, access: Access) -> dict[str, str]:
    """Return the settings with which a broker starts."""
    found = {f"{KEYS}.type": "PEM", NAMES_MAY_CHANGE: "true", f"{LISTENER}.{NAMES_MAY_CHANGE}": "true"}
    if access.trust_stores:
        found |= {f"{TRUST}.type": "PEM", f"{LISTENER}.ssl.client.auth": "required"}
    return found | locations(folder, RIGHT)


def locations(folder: Path, name: str) -> dict[str, str]:
    """Return the settings by which a broker has the stores of this name, and the right ones where there is none."""
    return {
        f"{kind}.location": str(next(filter(Path.exists, (_file(folder, kind, name), right))))
        for kind in (KEYS, TRUST)
        if (right := _file(folder, kind, RIGHT)).exists()
    }


def certificate(folder: Path, name: str) -> bytes:
    """Return the certificate that a broker presents with the stores of this name (DER)."""
    text = Path(locations(folder, name)[f"{KEYS}.location"]).read_text()
    return ssl.PEM_cert_to_DER_cert(text[text.index(ssl.PEM_HEADER) :])


def client(folder: Path) -> Path | None:
    """Return the file of the clients' certificate with its key, where brokers ask for one."""
    return file if (file := folder / CLIENT).exists() else None


def trusts_clients(folder: Path, name: str) -> bool:
    """Return whether a broker with the stores of this name accepts it."""
    return (folder / AUTHORITY).read_text() in Path(locations(folder, name)[f"{TRUST}.location"]).read_text()


def _file(folder: Path, kind: str, name: str) -> Path:
    return folder / f"{kind.rpartition('.')[2]}-{name or 'right'}.pem"
