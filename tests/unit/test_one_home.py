"""Single definitions: outcomes are listed only in the table of outcomes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

import probe.model.outcomes
import probe.verdict
from probe.model import Outcome
from probe.scenarios import scenario

ROOT = Path(__file__).parents[2]
TABLE = Path(probe.model.outcomes.__file__)
RULES = Path(probe.verdict.__file__).parent
EXPECTED = (Path(scenario.__file__), "CONFORMS")
"""The file and the name of the outcomes that conform, per required reaction."""
STATIC = ROOT / "probe" / "site" / "static"
WORDS = {outcome.value for outcome in Outcome}
QUOTED = re.compile("['\"](" + "|".join(sorted(WORDS)) + ")['\"]")


def sources() -> list[Path]:
    found = [ROOT / "run.py", *(path for name in ("probe", "spark", "clients") for path in (ROOT / name).rglob("*.py"))]
    skipped = {"__pycache__", "node_modules", ".venv", "site-packages"}
    return [path for path in found if path != TABLE and RULES not in path.parents and not skipped & set(path.parts)]


def outcome_of(node: ast.AST | None) -> str | None:
    """Return the outcome that an expression stands for (a member, its value, or its string), or None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) and node.value in WORDS else None
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
        return outcome_of(node.args[0]) if node.func.id in {"str", "Outcome", "repr"} else None
    if isinstance(node, ast.Attribute) and node.attr in {"value", "name"}:
        return outcome_of(node.value)
    if isinstance(node, ast.Attribute) and node.attr in Outcome.__members__:
        owner = node.value
        name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
        return Outcome[node.attr].value if name == "Outcome" else None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Outcome":
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return Outcome[key].value if isinstance(key, str) and key in Outcome.__members__ else None
    return None


def compared(node: ast.AST) -> Iterator[str | None]:
    """Yield the outcomes that a condition or its parts compare with."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from compared(part)
    elif isinstance(node, ast.UnaryOp):
        yield from compared(node.operand)
    elif isinstance(node, ast.Compare):
        for part in (node.left, *node.comparators):
            yield outcome_of(part)
            if isinstance(part, ast.Set | ast.List | ast.Tuple):
                yield from map(outcome_of, part.elts)


def branches(node: ast.If | ast.IfExp) -> Iterator[str | None]:
    """Yield the outcomes that a chain of `if` and `elif`, or of conditional expressions, compares with."""
    yield from compared(node.test)
    rest = node.orelse[0] if isinstance(node.orelse, list) and len(node.orelse) == 1 else node.orelse
    if isinstance(rest, ast.If | ast.IfExp):
        yield from branches(rest)


def united(node: ast.AST) -> Iterator[str | None]:
    if isinstance(node, ast.BinOp):
        yield from united(node.left)
        yield from united(node.right)
    elif isinstance(node, ast.Set | ast.List | ast.Tuple):
        yield from map(outcome_of, node.elts)
    elif isinstance(node, ast.Call):
        for argument in node.args:
            yield from united(argument)


def called(node: ast.Call) -> Iterator[str | None]:
    """Yield the outcomes among the arguments of a call, and those of a text that is split into words."""
    yield from map(outcome_of, node.args)
    if isinstance(node.func, ast.Name) and node.func.id == "dict":
        yield from (item.arg if item.arg in WORDS else None for item in node.keywords)
    text = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "split" else None
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        yield from (word if word in WORDS else None for word in re.findall(r"\w+", text.value))


def matched(node: ast.Match) -> Iterator[str | None]:
    for case in node.cases:
        for part in ast.walk(case.pattern):
            if isinstance(part, ast.MatchValue):
                yield outcome_of(part.value)


Reader = Callable[[ast.AST], Iterable[str | None]]
READERS: tuple[tuple[tuple[type[ast.AST], ...], Reader], ...] = (
    ((ast.Set, ast.List, ast.Tuple), lambda node: map(outcome_of, node.elts)),  # type: ignore[attr-defined]  # by type
    ((ast.Dict,), lambda node: map(outcome_of, node.keys)),  # type: ignore[attr-defined]  # by type
    ((ast.Dict,), lambda node: map(outcome_of, node.values)),  # type: ignore[attr-defined]  # by type
    ((ast.Call,), called),  # type: ignore[arg-type]  # by type
    ((ast.BoolOp, ast.Compare), compared),
    ((ast.If, ast.IfExp), branches),  # type: ignore[arg-type]  # by type
    ((ast.BinOp,), united),
    ((ast.Match,), matched),  # type: ignore[arg-type]  # by type
    ((ast.Constant,), lambda node: QUOTED.findall(node.value) if isinstance(node.value, str) else ()),  # type: ignore[attr-defined]  # by type
)


def prose(tree: ast.AST) -> set[int]:
    """Return the identities of the docstrings."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def lists_in(tree: ast.AST) -> list[tuple[int, list[str]]]:
    """Return the line and the outcomes of every expression that lists two or more."""
    texts = prose(tree)
    found = {
        (getattr(node, "lineno", 0), tuple(sorted(named)))
        for node in ast.walk(tree)
        if id(node) not in texts
        for kinds, read in READERS
        if isinstance(node, kinds) and len(named := set(read(node)) - {None}) > 1
    }
    return [(line, list(named)) for line, named in sorted(found)]


def without(tree: ast.Module, name: str) -> ast.Module:
    """Return the module without the assignment to a name."""
    kept = [
        node
        for node in tree.body
        if not any(isinstance(part, ast.Name) and part.id == name for part in ast.iter_child_nodes(node))
    ]
    return ast.Module(kept, [])


@pytest.mark.parametrize(
    "text",
    [
        "X = {Outcome.BROKEN, Outcome.WAITING}",
        "X = frozenset({Outcome.BROKEN, Outcome.WAITING})",
        "X = frozenset((model.Outcome.BROKEN, Outcome.WAITING.value))",
        "X = [str(Outcome.BROKEN), 'waiting']",
        "X = ('stuck', 'late')",
        "X = {Outcome.STUCK: 'bold red', Outcome.LATE: 'yellow'}",
        "X = {'stuck': 4, 'late': 2}",
        "X = {'a': 'stuck', 'b': 'late'}",
        "X = dict(stuck=4, late=2)",
        "X = {Outcome.BROKEN} | {Outcome.WAITING}",
        "X = frozenset({Outcome.BROKEN}) | {Outcome.WAITING}",
        "X = 'broken waiting'.split()",
        "X = \"outcome IN ('broken', 'waiting')\"",
        "X = f\"outcome IN ('broken', 'waiting') AND {more}\"",
        "X = column.isin('broken', 'waiting')",
        "X = {Outcome['BROKEN'], Outcome('waiting')}",
        "if x in {Outcome.BROKEN, Outcome.WAITING}: pass",
        "if x is Outcome.BROKEN or x is Outcome.WAITING: pass",
        "if not (x == 'broken' or (y and x == 'waiting')): pass",
        "if x is not Outcome.BROKEN and x is not Outcome.WAITING: pass",
        "if x is Outcome.BROKEN: y = 1\nelif x is Outcome.WAITING: y = 2",
        "y = 1 if x is Outcome.BROKEN else 2 if x is Outcome.WAITING else 3",
        "match x:\n    case Outcome.BROKEN | Outcome.WAITING: pass",
        "match x:\n    case Outcome.BROKEN: pass\n    case 'waiting': pass",
    ],
)
def test_a_list_of_outcomes_is_found(text: str) -> None:
    assert [len(named) for _, named in lists_in(ast.parse(text))].count(2) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "'''Returns `broken` where 'broken' or 'waiting' was seen.'''",
        "X = {Outcome.BROKEN, Kind.WAITING}",
        "X = {expected, Outcome.BROKEN}",
        "X = SAY_NOTHING | {Outcome.FLAKY}",
        "X = ('clean', 'dirty')",
        "class AppKind(StrEnum):\n    FATAL = 'fatal'\n    UNSUPPORTED = 'unsupported'",
        "if x is Outcome.BROKEN or y is Outcome.BROKEN: pass",
        "for x in Outcome: pass",
    ],
)
def test_a_single_outcome_is_no_list(text: str) -> None:
    assert lists_in(ast.parse(text)) == []


def test_outcomes_are_listed_only_in_their_table() -> None:
    """Other code uses named properties of `probe.model.outcomes`, from which lists follow."""
    found = []
    for path in sources():
        tree = ast.parse(path.read_text())
        tree = without(tree, EXPECTED[1]) if path == EXPECTED[0] else tree
        found += [f"{path.relative_to(ROOT)}:{line}: {', '.join(named)}" for line, named in lists_in(tree)]
    assert found == []


def test_every_source_folder_is_searched() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in sources()}
    assert names == {"run.py", "probe", "spark", "clients"}
    assert lists_in(ast.parse(TABLE.read_text())) == []  # it has properties per outcome, from which lists follow
    assert lists_in(ast.parse(EXPECTED[0].read_text())) != []


@pytest.mark.parametrize("path", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_no_style_sheet_or_script_lists_outcomes(path: Path) -> None:
    """The builder of the site writes everything that depends on an outcome, except for the waiting symbol."""
    text = re.sub(r"/\*.*?\*/|//.*", "", path.read_text(), flags=re.DOTALL if path.suffix == ".css" else 0)
    found = set(re.findall(r"[.](?:g-)?(\w+)\b(?=[^;{}]*[{])", text)) if path.suffix == ".css" else set()
    assert (found | set(QUOTED.findall(text))) & WORDS <= {Outcome.WAITING}
