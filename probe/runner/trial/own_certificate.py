"""The client's own certificate in a trial that renews it: a file of the trial's own, which another one replaces."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from probe.access import Access
from probe.errors import EngineError
from probe.files.atomic_writes import put_file
from probe.files.private_files import write_private
from probe.processes.resources import translated
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.handshakes import RenewClientCertificate


@dataclass(frozen=True, slots=True)
class CertificateFile:
    """Certificate and key of one trial's client as a file, and what replaces it."""

    path: Path
    renewed: str = field(repr=False)
    """Certificate and key of the other authority (PEM)."""

    def renew(self) -> None:
        """Replace the file as a whole. Raises EngineError, or ExhaustedError."""
        with translated(EngineError):
            put_file(write_private(self.path.with_suffix(".new"), self.renewed), self.path)


@contextlib.contextmanager
def certificate_of(access: Access | None, part: RoleVariant) -> Iterator[CertificateFile | None]:
    """Copy the client's certificate for a trial that renews it; others share the run's file.

    Raises EngineError, or ExhaustedError.
    """
    renews = any(isinstance(step, RenewClientCertificate) for step in part.steps)
    if access is None or not access.certificate_file or not renews:
        yield None
        return
    file = Path(access.certificate_file).with_name(f"client-{secrets.token_hex(4)}.pem")
    with translated(EngineError):
        write_private(file, access.key + access.certificate)
    try:
        yield CertificateFile(file, access.renewed)
    finally:
        file.unlink(missing_ok=True)
