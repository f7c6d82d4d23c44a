"""Child processes: their start, their end with the parent, and their scheduling priority."""
