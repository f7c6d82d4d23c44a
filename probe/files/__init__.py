"""Files on this machine: written whole or not at all, locked, temporary."""
