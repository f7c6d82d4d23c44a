"""Output of `mvn dependency:tree`: a module, then its dependencies behind branches, with or without `[INFO]`.

What Maven leaves out for another version stands in brackets (`-Dverbose`) and is not read: the other one is listed,
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.readers.maven_list import COORDINATES, clients_in

MODULE = re.compile(r"(?:\[INFO\] )?[\w.-]+:([\w.-]+):[\w.-]+:(?:[\w.-]+:)?[\w.-]+\s*")
"""The root of a tree, which has no scope."""
BRANCH = re.compile(rf"(?:\[INFO\] )?(?:\|  |   )*(?:\+- |\\- ){COORDINATES}(?: .*)?")


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients of each module's tree."""
    return clients_in(document, MODULE.fullmatch, BRANCH)
