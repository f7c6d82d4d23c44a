"""go.work: what it replaces counts for the modules that it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.inventory.inventory_reader import read_inventories
from tests.support.inventories import SAMPLES, read, shown

GO = "module example.org/shop/{}\n\ngo 1.24\n\nrequire github.com/IBM/sarama v1.43.2\n{}"
WORK = "go 1.24\n\nuse (\n\t./orders\n\t{}\n)\n\nreplace github.com/IBM/sarama => github.com/IBM/sarama v1.43.3\n"


def clients(root: Path) -> list[tuple[str, str, str]]:
    return [
        (item.service.rpartition("/")[2], item.shown, item.note)
        for one in read_inventories([str(root)])
        for item in one.found
    ]


def write(root: Path, **modules: str) -> None:
    for name, more in modules.items():
        (root / name).mkdir(parents=True)
        (root / name / "go.mod").write_text(GO.format(name, more))


def test_a_workspace_replaces_modules_of_those_that_it_uses(tmp_path: Path) -> None:
    own = "replace github.com/IBM/sarama v1.43.2 => github.com/IBM/sarama v1.40.0\n"
    write(tmp_path, orders="", billing=own, other="")
    (tmp_path / "go.work").write_text(WORK.format("./billing"))
    by_work = "in place of github.com/IBM/sarama v1.43.2, by go.work"
    assert clients(tmp_path) == [
        ("billing", "sarama@1.43.3", by_work),
        ("orders", "sarama@1.43.3", by_work),
        ("other", "sarama@1.43.2", ""),
    ]


def test_the_nearest_workspace_counts_and_none_outside_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "inner", orders="", billing="")
    (tmp_path / "go.work").write_text(WORK.format("./inner/orders").replace("./orders", "./inner/billing"))
    assert [shown for _, shown, _ in clients(tmp_path / "inner")] == ["sarama@1.43.2"] * 2
    assert [shown for _, shown, _ in clients(tmp_path)] == ["sarama@1.43.3"] * 2
    (tmp_path / "inner" / "go.work").write_text("go 1.24\n\nuse ./orders\n")
    assert [shown for _, shown, _ in clients(tmp_path)] == ["sarama@1.43.2"] * 2


def test_the_module_beside_a_workspace_may_be_used(tmp_path: Path) -> None:
    write(tmp_path, shop="")
    (tmp_path / "shop" / "go.work").write_text(WORK.format("."))
    assert [shown for _, shown, _ in clients(tmp_path)] == ["sarama@1.43.3"]


def test_modules_of_a_workspace_are_read_where_they_lie(tmp_path: Path) -> None:
    write(tmp_path, orders="")
    (tmp_path / "go.work").write_text(WORK.format("../outside"))
    (work,) = [one for one in read_inventories([str(tmp_path)]) if one.taken_for == "go.work"]
    assert (work.found, [str(item) for item in work.skipped]) == (
        (),
        [
            "./orders: its go.mod is read where it lies",
            "../outside: its go.mod is not read; name the folder of the workspace",
        ],
    )


def test_a_workspace_alone_names_what_it_replaces_with() -> None:
    text = WORK.format("./billing") + "replace github.com/Shopify/sarama => ../sarama\n"
    reading = read(text)
    assert (reading.taken_for, [item.shown for item in reading.found]) == (
        "go.work",
        ["sarama@1.43.3", "../sarama"],
    )
    assert (str(reading.found[0].place), len(reading.skipped)) == ("-, line 8", 2)


def test_a_workspace_that_cannot_be_read_is_a_problem_of_its_modules(tmp_path: Path) -> None:
    write(tmp_path, orders="")
    (tmp_path / "go.work").write_bytes(b"go 1.24\nuse ./orders\n// \xff\n")
    problems = {one.taken_for: one.problem for one in read_inventories([str(tmp_path)])}
    assert "its workspace" in problems["go.mod"]
    assert "is not text in UTF-8" in problems["go.work"]


@pytest.mark.parametrize("text", ["go = 1\nuse ./x\n", "going\nuse ./x\n", "use: ./x\n", "go 1.24\n", "use shop;\n"])
def test_other_texts_are_no_workspaces(text: str) -> None:
    assert read(text).taken_for != "go.work"


def test_a_workspace_of_the_real_tool_is_read() -> None:
    reading = read((SAMPLES / "go.work").read_bytes())
    assert (reading.taken_for, shown(reading)) == ("go.work", [("", "sarama@1.43.3", "")])
