"""Facts and mechanisms that are defined in one place only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from probe.protocol.names import API_NAMES, api_slug

ROOT = Path(__file__).parents[2]
API_CONSTANTS = {api_slug(key).replace("-", "_").upper() for key in API_NAMES}
MISBEHAVING = ROOT / "tests" / "support" / "misbehaving"
OWN_WIRES = {MISBEHAVING / "wire.py", MISBEHAVING / "share_wire.py"}
"""A client that speaks Kafka's protocol independently of the probe's code."""


def trees(*folders: str, naming: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the Python files below these folders in which an expression matches, each with its syntax tree."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "_pb2" not in path.name and re.search(naming, text := path.read_text()):
                yield path, ast.parse(text)


def place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(is_number(item) for item in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def names_of(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def test_api_keys_are_numbers_in_the_protocol_table_only() -> None:
    found = [
        place(path, node)
        for path, tree in trees(
            "probe", "spark", "clients", "benchmarks", "tests", naming="|".join(sorted(API_CONSTANTS))
        )
        for node in ast.walk(tree)
        if path not in OWN_WIRES
        and isinstance(node, ast.Assign)
        and any(names_of(target) & API_CONSTANTS for target in node.targets)
        and is_number(node.value)
    ]
    assert found == []


def test_no_call_passes_an_api_key_as_a_number() -> None:
    found = [
        place(path, node.value)
        for path, tree in trees("probe", "spark", "clients", "benchmarks", naming=r"\bapis?\s*=")
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in {"api", "apis"} and is_number(node.value)
    ]
    assert found == []


RENAMES = {
    "probe/files/atomic_writes.py": "the one place that renames finished files and folders",
    "probe/files/filesystems.py": "object stores, which have no rename of their own",
    "probe/engines/kafka/disks/methods.py": "moves a log directory away: the fault itself",
    "probe/store/pruning.py": "hides a whole run before it is removed",
}
"""Modules that rename files, with the reason."""
LOCKS = {"probe/files/locks.py"}


def renames(node: ast.AST) -> bool:
    """Return whether this is a call of Path.rename, Path.replace or a rename or move of a module or file system."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return False
    name, arguments = node.func.attr, len(node.args)
    on_module = isinstance(node.func.value, ast.Name) and node.func.value.id in {"os", "shutil", "system"}
    return (name in {"rename", "replace"} and arguments == 1) or (on_module and name in {"rename", "replace", "move"})


def test_files_and_folders_are_renamed_in_one_module() -> None:
    found = [
        place(path, node)
        for path, tree in trees("probe", "spark", naming=r"\.\s*(rename|replace|move)\b")
        for node in ast.walk(tree)
        if renames(node) and str(path.relative_to(ROOT)) not in RENAMES
    ]
    assert found == []


def test_locks_are_taken_in_one_module() -> None:
    files = [path for path, _ in trees("probe", "spark", "clients", naming=r"fcntl\.flock")]
    assert {path.relative_to(ROOT).as_posix() for path in files} == LOCKS


def names_tests(node: ast.AST) -> bool:
    """Return whether this is a path into `tests/`."""
    parts = [node] if isinstance(node, ast.Constant) else [node.right] if isinstance(node, ast.BinOp) else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(text.startswith("tests/") or (text == "tests" and isinstance(node, ast.BinOp)) for text in texts)


def test_the_program_reads_nothing_from_its_tests() -> None:
    found = [
        place(path, node)
        for path, tree in trees("probe", "spark", naming=r"\btests\b")
        for node in ast.walk(tree)
        if names_tests(node)
    ]
    assert found == []


def modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def test_drivers_import_only_their_contract_from_the_probe() -> None:
    found = [
        f"{place(path, node)}: {name}"
        for path, tree in trees("clients", naming=r"\b(probe|spark)\b")
        for node in ast.walk(tree)
        for name in modules(node)
        if name.split(".")[0] in {"probe", "spark"} and name.split(".")[:2] != ["probe", "driver_contract"]
    ]
    assert found == []


def test_ids_of_brokers_are_written_by_their_engines_only() -> None:
    made = [
        str(path.relative_to(ROOT))
        for path, tree in trees("probe", naming=r"from probe.model.cluster import .*\bNodes\b|PLANNED = ")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Nodes"
    ]
    assert made == [
        "probe/engines/embedded/nodes.py",
        "probe/engines/kafka/cluster/nodes.py",
        "probe/model/cluster.py",
    ]


def test_no_mapping_has_a_row_per_role_or_engine_outside_their_tables() -> None:
    """The third is a registry of functions that build engines."""
    tables = {"probe/model/roles.py", "probe/model/engines.py", "probe/cli/wiring/engines.py"}
    found = {
        str(path.relative_to(ROOT))
        for path, tree in trees("probe", "spark", naming=r"\b(Role|Engine)\.[A-Z]")
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict) and any(is_member(key) for key in node.keys)
    }
    assert found == tables


def is_member(key: ast.expr | None) -> bool:
    """Return whether a key is a role or an engine."""
    return isinstance(key, ast.Attribute) and isinstance(key.value, ast.Name) and key.value.id in {"Role", "Engine"}
