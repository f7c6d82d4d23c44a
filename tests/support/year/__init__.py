"""A year of a schedule, for `benchmarks/year.py`."""
