"""Compile a layout to a reader: the Python source of one function per message, compiled on first use.

A reader takes `(b, p, end)`: the bytes, and the start and the end of the body. It returns a dict with Kafka's own field
names, and the position after the body. Absent fields are absent, null is None, and `records` are only their size.

A reader is safe for hostile bodies, since its work is linear in the size of the body. Positions never go back, except
to the end of an overrun tagged field, which is an error. An array never has more elements than there are bytes left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, groupby
from struct import Struct, unpack_from
from struct import error as StructError  # noqa: N812  # a class
from typing import Any

from probe.protocol.layout import Item, Layout

Body = dict[str, Any]
Reader = Callable[[bytes, int, int], tuple[Body, int]]

FIXED = {
    "bool": "?", "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "float64": "d",
    "uuid": "16s",
}  # fmt: skip
INDENT = "    "


class MalformedError(ValueError):
    """A body does not fit its definition."""


MALFORMED = (ValueError, LookupError, TypeError, OverflowError, StructError)
"""Exceptions of a reader, or of a digest of its result, for bytes that do not fit."""


def uvarint(b: bytes | bytearray, p: int) -> tuple[int, int]:
    """Return an unsigned varint and the position after it. Raises MalformedError for more than five bytes."""
    value = 0
    for shift in range(0, 35, 7):
        byte = b[p]
        p += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, p
    raise MalformedError("varint of more than five bytes")


def skip_tags(data: bytes | bytearray, p: int) -> int:
    """Return the position after a header's tagged fields. Raises the same exceptions as readers."""
    count, p = uvarint(data, p)
    for _ in range(count):
        _, p = uvarint(data, p)
        size, p = uvarint(data, p)
        p += size
    return p


def short(what: int) -> None:
    """Reject an array that claims more elements than there are bytes."""
    raise MalformedError(f"array of {what} elements in a body that is shorter")


def compile_reader(plan: Layout, *, heads: int = 0) -> Reader:
    """Return the reader of a layout. With `heads`, `records` are their first bytes, at most that many."""
    names: dict[str, Any] = {"uvarint": uvarint, "short": short, "unpack_from": unpack_from}
    source = "\n".join(_Writer(plan.flexible, names, heads).function(plan.items))
    exec(source, names)  # noqa: S102  # our own source, generated from Kafka's definitions; only names come from them
    return names["read"]  # type: ignore[no-any-return]  # made by exec


class _Writer:
    """Generates the source. `names` collects the precompiled structs that the source uses."""

    def __init__(self, flexible: bool, names: dict[str, Any], heads: int) -> None:
        self.flexible = flexible
        self.heads = heads
        self.names = names
        self.number = count()

    def function(self, items: tuple[Item, ...]) -> Iterator[str]:
        yield "def read(b, p, end):"
        yield from self.indent(self.struct("root", items))
        yield f"{INDENT}if p > end: raise ValueError('body ends early')"
        yield f"{INDENT}return root, p"

    @staticmethod
    def indent(lines: Iterator[str]) -> Iterator[str]:
        return (INDENT + line for line in lines)

    def fresh(self) -> str:
        return f"v{next(self.number)}"

    def struct(self, target: str, items: tuple[Item, ...]) -> Iterator[str]:
        """Generate code that reads a struct into `target`. Adjacent fields of fixed size are read at once."""
        plain = [(item, self.fresh()) for item in items if item.tag < 0]
        for fixed, group in groupby(plain, key=lambda pair: pair[0].type in FIXED and not pair[0].array):
            if fixed:
                yield from self.run(list(group))
            else:
                for item, name in group:
                    yield from self.field(name, item)
        yield f"{target} = {{{', '.join(f'{item.name!r}: {name}' for item, name in plain)}}}"
        if self.flexible:
            yield from self.tags(target, [item for item in items if item.tag >= 0])

    def run(self, group: list[tuple[Item, str]]) -> Iterator[str]:
        form = Struct(">" + "".join(FIXED[item.type] for item, _ in group))
        self.names[name := f"s{len(self.names)}"] = form.unpack_from
        yield f"{', '.join(name for _, name in group)}, = {name}(b, p)"
        yield f"p += {form.size}"

    def field(self, target: str, item: Item) -> Iterator[str]:
        if item.array:
            yield from self.sequence(target, item)
        elif item.type == "struct":
            yield from self.single(target, item)
        elif item.type in FIXED:
            yield from self.run([(item, target)])
        else:
            yield from self.sized(target, item.type)

    def length(self, target: str, classic: str) -> Iterator[str]:
        """Generate code that reads a length. Compact lengths are stored plus one, so that 0 is null."""
        if self.flexible:
            yield f"{target} = b[p]; p += 1"
            yield f"if {target} > 127: {target}, p = uvarint(b, p - 1)"
            yield f"{target} -= 1"
        else:
            yield from self.run([(Item("", classic, array=False, nullable=False, tag=-1), target)])

    def sized(self, target: str, kind: str) -> Iterator[str]:
        """Generate code that reads a string, bytes or records. A negative length is null."""
        size = self.fresh()
        yield from self.length(size, "int16" if kind == "string" else "int32")
        yield f"if {size} < 0: {target} = None"
        yield "else:"
        value = {"string": f"b[p:p + {size}].decode('utf-8', 'replace')", "records": size}
        if self.heads:
            value["records"] = f"b[p:p + min({size}, {self.heads})]"
        yield f"{INDENT}{target} = {value.get(kind, f'b[p:p + {size}]')}"
        yield f"{INDENT}p += {size}"

    def single(self, target: str, item: Item) -> Iterator[str]:
        """Generate code that reads a struct. A nullable one is preceded by a byte that is negative for null."""
        if not item.nullable:
            yield from self.struct(target, item.items)
            return
        yield f"{target} = None; p += 1"
        yield "if b[p - 1] < 128:"
        yield from self.indent(self.struct(target, item.items))

    def sequence(self, target: str, item: Item) -> Iterator[str]:
        size = self.fresh()
        yield from self.length(size, "int32")
        yield f"if {size} > end - p: short({size})"
        yield f"if {size} < 0: {target} = None"
        yield "else:"
        if item.type in FIXED and item.type != "uuid":
            code, width = FIXED[item.type], Struct(">" + FIXED[item.type]).size
            yield f"{INDENT}{target} = list(unpack_from('>%d{code}' % {size}, b, p)); p += {width} * {size}"
            return
        element = self.fresh()
        yield f"{INDENT}{target} = []"
        yield f"{INDENT}for _ in range({size}):"
        one = Item(item.name, item.type, array=False, nullable=False, tag=-1, items=item.items)
        yield from self.indent(self.indent(self.field(element, one)))
        yield f"{INDENT * 2}{target}.append({element})"

    def tags(self, target: str, items: list[Item]) -> Iterator[str]:
        """Generate code that reads tagged fields into `target`. Unknown ones are skipped."""
        left, tag, size, stop = (self.fresh() for _ in range(4))
        yield f"{left}, p = (0, p + 1) if b[p] == 0 else uvarint(b, p)"
        yield f"for _ in range({left}):"
        body = [f"{tag}, p = uvarint(b, p)", f"{size}, p = uvarint(b, p)", f"{stop} = p + {size}"]
        for item in items:
            value = self.fresh()
            body.append(f"if {tag} == {item.tag}:")
            body += self.indent(iter([*self.field(value, item), f"{target}[{item.name!r}] = {value}"]))
        body += [f"if p > {stop}: raise ValueError('tagged field is shorter than its content')", f"p = {stop}"]
        yield from self.indent(iter(body))
