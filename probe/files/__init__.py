"""Files on this machine: atomic writes, locks, and temporary files."""
