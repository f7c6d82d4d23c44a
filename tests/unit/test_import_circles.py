"""No module imports one that imports it, directly or by others, at run time or for types alone."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp


def circle(graph: grimp.ImportGraph) -> list[str]:
    """Return the modules of a circle, the first one again at its end; none if there is no circle."""
    try:
        TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_modules_do_not_import_each_other() -> None:
    """Imports inside functions count: what is imported late hides a circle, and does not open it."""
    graph = grimp.build_graph("probe", "spark", cache_dir=None)
    assert len(graph.modules) > 500
    assert not circle(graph)


def test_a_circle_of_three_is_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in (("main", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")):
        graph.add_import(importer=importer, imported=imported)
    assert set(circle(graph)) == {"a", "b", "c"}
