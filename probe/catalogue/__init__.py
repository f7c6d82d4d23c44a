"""What can be asked: client families, scenarios, the user's own probe.toml."""
