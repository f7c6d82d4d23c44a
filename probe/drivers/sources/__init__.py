"""Sources of client versions: a module per kind of source, each with `obtain`, `newest`, `exists`, `releases`."""
