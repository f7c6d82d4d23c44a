"""The embedded engine: starts and controls one fake cluster of go_shim per trial."""
