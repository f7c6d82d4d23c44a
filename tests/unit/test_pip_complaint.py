"""The line of pip's output that names the failure."""

from __future__ import annotations

import pytest

from probe.toolchain.pip import complaint

CUT = """  WARNING: Attempting to resume incomplete download
error: incomplete-download

\N{MULTIPLICATION SIGN} Download failed because not enough bytes were received (11 bytes/0.3 kB)
╰─> URL: http://127.0.0.1:1/files/a.whl

note: This is an issue with network connectivity, not pip.
hint: Use --resume-retries to configure resume attempt limit.
"""


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        (CUT, "Download failed because not enough bytes were received (11 bytes/0.3 kB)"),
        ("ERROR: Wheel 'a' located at /tmp/a.whl is invalid.\n", "Wheel 'a' located at /tmp/a.whl is invalid."),
        ("something else\n[notice] A new release of pip is available\n", "something else"),
        ("hint: try it\n", "it printed no reason"),
        ("", "it printed no reason"),
    ],
)
def test_pip_is_quoted_with_the_failure_and_not_with_its_hints(stderr: str, line: str) -> None:
    assert complaint(stderr) == line
