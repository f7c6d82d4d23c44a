"""The driver of kcat."""
