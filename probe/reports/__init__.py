"""Reports of a run: JUnit XML, Markdown, metrics, and gates for the exit code. Pure."""
