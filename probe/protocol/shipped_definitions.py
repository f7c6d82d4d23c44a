"""Kafka's message definitions as the package ships them, so that nothing need be fetched to decode.

`python -m probe.toolchain.message_definitions` writes the file from the jars of `probe/catalogue/data/jars.toml`.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from probe.model.lazy_attribute import lazy
from probe.protocol.definitions import COMMENT, DefinitionsError, Jar
from probe.protocol.schemas import Schemas

DEFINITIONS = Path(__file__).with_name("data") / "message_definitions.json.gz"
JARS, MESSAGES = "jars", "messages"
"""Keys of the file: the jars; by name of the message, what each jar says, null for a jar without it."""
UNREAD = frozenset({"about", "entityType", "ignorable", "default", "mapKey"})
"""Keys of definitions that no reader needs."""


class Shipped(Jar):
    """The definitions of one jar, out of the shipped file."""

    def __init__(self, name: str, texts: Mapping[str, str]) -> None:
        super().__init__(Path(name))
        self._shipped = texts

    @lazy
    def texts(self) -> dict[str, bytes]:
        """Return requests and responses by name."""
        return {name: text.encode() for name, text in self._shipped.items()}


class ShippedSchemas(Schemas):
    """The readers of all API versions, from the shipped file."""

    def __init__(self, path: Path = DEFINITIONS) -> None:
        """Read the file. Raises DefinitionsError."""
        super().__init__(())
        self.jars = read_shipped(path)


def read_shipped(path: Path = DEFINITIONS) -> tuple[Jar, ...]:
    """Return the definitions of every jar in the file. Raises DefinitionsError."""
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        messages: Mapping[str, Sequence[str | None]] = data[MESSAGES]
        return tuple(
            Shipped(name, {key: text for key, texts in messages.items() if (text := texts[at])})
            for at, name in enumerate(data[JARS])
        )
    except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise DefinitionsError(f"cannot read {path}: {reason}; install the package again") from error


def pack(jars: Sequence[Jar]) -> bytes:
    """Return the content of the file for these jars. Raises DefinitionsError.

    What two jars say of a message stands side by side, so that equal texts are compressed to one.
    """
    names = sorted({name for jar in jars for name in jar.texts})
    messages = {name: [shortened(jar.texts[name]) if name in jar.texts else None for jar in jars] for name in names}
    text = json.dumps({JARS: [jar.path.name for jar in jars], MESSAGES: messages}, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


def shortened(definition: bytes) -> str:
    """Return a definition without comments and what no reader needs."""
    return json.dumps(_needed(json.loads(re.sub(COMMENT, "", definition.decode()))), separators=(",", ":"))


def _needed(part: Any) -> Any:
    if isinstance(part, list):
        return [_needed(item) for item in part]
    if isinstance(part, dict):
        return {key: _needed(value) for key, value in part.items() if key not in UNREAD}
    return part
