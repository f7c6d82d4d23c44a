"""A run as JUnit XML, Markdown, metrics, and an exit code. Pure."""
