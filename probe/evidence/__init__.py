"""Evidence: settled cells in one SQLite file, which look-ups read by the standard library alone.

`schema` describes the file, `write` makes it, `read` reads it, `places` finds it. Nothing that judges reads evidence.
"""
