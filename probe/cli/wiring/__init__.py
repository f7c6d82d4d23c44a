"""Assembly of the parts of the probe for the commands."""
