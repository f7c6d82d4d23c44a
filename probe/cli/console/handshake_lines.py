"""First requests of the client of a trial, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from probe.model import Header, encode
from probe.model.handshake import Handshake
from probe.protocol.apis import FETCH, METADATA, PRODUCE
from probe.protocol.names import api_name


def handshake_lines(header: Header) -> Iterator[str]:
    """Yield a line per connection that was kept, and one for each of its first requests that was read."""
    for found in header.handshakes:
        yield _summary(found)
        for api, body in ((METADATA, found.metadata), (FETCH, found.fetch), (PRODUCE, found.produce)):
            if body is not None:
                fields = " ".join(f"{name}={value}" for name, value in encode(body).items())
                yield f"    first {api_name(api)}: {fields}"


def _summary(found: Handshake) -> str:
    first = ", ".join(f"{api_name(api)} v{version}" for api, version in found.requests)
    sent = {api for api, _ in found.requests}
    later = ", ".join(f"{api_name(api)} v{version}" for api, version in found.versions if api not in sent)
    software = " ".join(filter(None, (found.software_name, found.software_version)))
    where = f"  connection {found.conn} to broker {found.broker} ({', '.join(found.purposes)})"
    return "".join((where, f" of {software}" if software else "", f": {first}", f"; later {later}" if later else ""))
