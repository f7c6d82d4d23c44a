"""Where client versions come from: a module per kind of source, each with `obtain`, `newest`, `exists`, `releases`."""
