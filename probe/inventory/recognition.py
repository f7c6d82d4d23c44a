"""Recognition of formats by the beginning of a file. Pure, and without any library, since every file is tried.

Patterns are texts: `re` compiles one when it is first used, and keeps it. An audit of one file needs few of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.columns import column, delimiter_of, header_words
from probe.inventory.document import Head

GO_MODULE = r"(?m)^module\s+\S+\s*(//.*)?$"
GO_WORK = r"go \d|toolchain go|use[ \t(]"
USES = r'(?m)^use(?:[ \t]+["`]?[./]|[ \t]*\()'
LISTED = r"^(- )?[A-Za-z][\w.-]*@\S+$"
FLEET_KEY = r'(?i)"(client|family|library|software|clientSoftwareName|client_software_name)"\s*:'
TOML_SERVICE = r"(?m)^[ \t]*(\[\[?[ \t]*service[ \t]*\]\]?|service[ \t]*=)"

GO_PROGRAM = r"\S.*: (go\d|devel)\S*"
LONGEST = 1_000
"""Characters of a line that are looked at, so that no pattern takes long."""
LOOKED_AT = 30
"""Lines by which a file without a mark of its own is recognised."""
REQUIREMENT = (
    r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*([=<>!~]=?=?\s*[\w(]|@\s*\S+|;|\\|#|$)|\./|https?://|git\+|\w+\.whl$"
)
PINNED = r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*([=<>!~]=|[<>]|@\s+\S)"
PIP_FILE = r"(?i)requirements|constraints|freeze"
PIP_TABLE = r"Package +Version[^\n]*\n-+ -+"
PIP_JSON = r'\s*\[\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"version"\s*:'
MAVEN_LIST = r"(?m)^(\[INFO\] )?--- \S{0,100}dependency\S{0,100}:list "
MAVEN_TREE = r"(?m)^(\[INFO\] )?--- \S{0,100}dependency\S{0,100}:tree "
BRANCH = r"(?m)^(\[INFO\] )?(\|  |   ){0,50}(\+|\\)- [\w.-]{1,200}:[\w.-]{1,200}:[\w.-]{1,50}:[\w.-]"
PACKAGES = r"(?m)^\[(dev-)?packages(\.[^\]\n]*)?\]"
SOURCES = r"(?m)^\[\[source\]\]"
CYCLONEDX = r'"bomFormat"\s*:\s*"CycloneDX"'
SPDX = r'"spdxVersion"\s*:\s*"SPDX-2|"SPDXID"\s*:\s*"SPDXRef-'
SPDX_TAG = r"(?m)^SPDXVersion:[ \t]*SPDX-2"
POM = r"<project[\s>]"
DOTNET = r"<Project[\s>]"
DOTNET_ITEM = r"<(?:PackageReference|PackageVersion|GlobalPackageReference|ItemGroup)\b"
PACKAGES_CONFIG = r"<packages>\s*<package\s"
DEPENDENCIES = r"(?m)^[ \t]*dependencies[ \t]*\{"
CONFIGURATION = r"(?m)^[ \t]*\w{0,60}(?:[iI]mplementation|[aA]pi|[cC]ompile(?:Only)?|[rR]untime(?:Only)?)[ \t]*[('\"p]"
LIBRARIES = r"(?m)^\[libraries\][ \t]*\r?$"


def content(head: Head, comments: tuple[str, ...] = ("#",)) -> Iterator[str]:
    """Yield the beginnings of the lines that are neither empty nor comments, without white space at both ends."""
    for line in head.text.splitlines():
        if (plain := line.strip()[:LONGEST]) and not plain.startswith(comments):
            yield plain


def go_mod(head: Head) -> bool:
    """Return whether the first statement names a module, as the go command writes it."""
    first = next(content(head, ("//",)), "")
    return re.fullmatch(GO_MODULE, first) is not None and "{" not in first


def go_work(head: Head) -> bool:
    """Return whether it begins as the go command writes a workspace, and uses modules."""
    first = next(content(head, ("//",)), "")
    return re.match(GO_WORK, first) is not None and re.search(USES, head.text) is not None


def fleet_toml(head: Head) -> bool:
    """Return whether there are tables `service`."""
    return head.file.endswith(".toml") and re.search(TOML_SERVICE, head.text) is not None


def fleet_json(head: Head) -> bool:
    """Return whether it is JSON with the keys of a fleet, or a list of texts `CLIENT@VERSION`."""
    start = head.text.lstrip()
    return start[:1] in {"[", "{"} and (
        re.search(FLEET_KEY, start) is not None or re.match(r'\[\s*"[\w.-]+@', start) is not None
    )


def sheet(head: Head) -> bool:
    """Return whether the first line is a header with a column of clients."""
    first = next(content(head), "")
    return any(column(word) in {"client", "reported"} for word in header_words(first, delimiter_of(first)))


def plain_list(head: Head) -> bool:
    """Return whether the first line is `CLIENT@VERSION`."""
    return re.match(LISTED, next(content(head), "")) is not None


def go_version(head: Head) -> bool:
    """Return whether the first line is a program's name with its Go, and modules follow."""
    return re.match(GO_PROGRAM, head.text) is not None and "\tpath\t" in head.text


def requirements(head: Head) -> bool:
    """Return whether the lines are requirements, most of them with a version."""
    lines = [line for line in content(head) if not line.startswith(("-", "\\"))][:LOOKED_AT]
    fitting = sum(re.match(REQUIREMENT, line) is not None for line in lines)
    pinned = any(re.match(PINNED, line) for line in lines) or re.search(PIP_FILE, head.file) is not None
    return pinned and fitting == len(lines)


def pip_list(head: Head) -> bool:
    """Return whether it is pip's table of packages, or its JSON."""
    return re.match(PIP_TABLE, head.text) is not None or re.match(PIP_JSON, head.text) is not None


def pipfile(head: Head) -> bool:
    """Return whether it is TOML with packages and sources, or named Pipfile."""
    has_packages = re.search(PACKAGES, head.text) is not None
    return has_packages and (head.file == "Pipfile" or re.search(SOURCES, head.text) is not None)


def maven_list(head: Head) -> bool:
    """Return whether Maven's dependency plugin lists what it resolved."""
    return "The following files have been resolved:" in head.text or re.search(MAVEN_LIST, head.text) is not None


def maven_tree(head: Head) -> bool:
    """Return whether Maven's dependency plugin draws a tree, or a line is a branch of one."""
    return re.search(MAVEN_TREE, head.text) is not None or re.search(BRANCH, head.text) is not None


def cyclonedx(head: Head) -> bool:
    """Return whether it is JSON that calls itself CycloneDX."""
    return head.text.lstrip().startswith("{") and re.search(CYCLONEDX, head.text) is not None


def spdx(head: Head) -> bool:
    """Return whether it is JSON that calls itself SPDX 2."""
    return head.text.lstrip().startswith("{") and re.search(SPDX, head.text) is not None


def spdx_tag_value(head: Head) -> bool:
    """Return whether it begins with the tags of an SPDX 2 document."""
    return re.search(SPDX_TAG, head.text) is not None


def pom(head: Head) -> bool:
    """Return whether it is XML whose root is a Maven project."""
    return head.text.lstrip().startswith("<") and re.search(POM, head.text) is not None


def dotnet_project(head: Head) -> bool:
    """Return whether it is XML of MSBuild with items, or packages.config."""
    if not head.text.lstrip().startswith("<"):
        return False
    is_project = re.search(DOTNET, head.text) is not None and re.search(DOTNET_ITEM, head.text) is not None
    return is_project or re.search(PACKAGES_CONFIG, head.text) is not None


def gradle_build(head: Head) -> bool:
    """Return whether it has a block of dependencies with one of Gradle's configurations."""
    return re.search(DEPENDENCIES, head.text) is not None and re.search(CONFIGURATION, head.text) is not None


def gradle_catalogue(head: Head) -> bool:
    """Return whether it is TOML with a table of libraries."""
    return re.search(LIBRARIES, head.text) is not None


def fleet_json_in_a_walk(head: Head) -> bool:
    """Return whether a key of a fleet has a text, and it is no schema: many files of JSON have such keys."""
    return re.search(FLEET_KEY + r'\s*"', head.text) is not None and '"$schema"' not in head.text
