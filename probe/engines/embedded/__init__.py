"""The embedded engine: one fake cluster of go_shim per cell, from Python."""
