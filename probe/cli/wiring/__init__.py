"""How commands put the parts of the probe together."""
