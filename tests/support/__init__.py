"""Helpers of the tests: builders, fake clusters, fake registries, synthetic rows."""
