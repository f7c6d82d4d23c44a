"""One module per format. Each has `read(document)`, which yields what it found and what it skipped."""
