"""Write Kafka's message definitions into the package, with a notice of where they come from.

`python -m probe.toolchain.message_definitions` reads the jars of `probe/catalogue/data/jars.toml`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from probe.files.atomic_writes import write_file
from probe.protocol.definitions import Jar
from probe.protocol.shipped_definitions import DEFINITIONS, pack
from probe.toolchain.maven_jars import schema_jars
from probe.toolchain.pinned_jars import read_pins
from probe.toolchain.tools import cache_root

NOTICE = DEFINITIONS.with_name("NOTICE")


def notice(coordinates: Sequence[str]) -> str:
    """Return the notice for definitions of these jars (Apache License 2.0, section 4)."""
    jars = "\n".join(f"  {name}" for name in coordinates)
    return f"""{DEFINITIONS.name} holds message definitions of Apache Kafka: the files common/message/*.json of
{jars}
as published in the Maven registry. Comments and keys that no reader needs were removed; the rest is unchanged.

Apache Kafka
Copyright 2026 The Apache Software Foundation.
This product includes software developed at The Apache Software Foundation (https://www.apache.org/).
Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).
"""


def main() -> None:
    """Write both files. ProvisionError if a jar cannot be fetched, DefinitionsError if one cannot be read."""
    write_file(DEFINITIONS, pack([Jar(path) for path in schema_jars(cache_root())]))
    write_file(NOTICE, notice(read_pins().schemas))
    sys.stdout.write(f"{DEFINITIONS.name} and {NOTICE.name} written\n")


if __name__ == "__main__":
    main()
