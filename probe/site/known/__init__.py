"""The site of what is known without a run: clients, scenarios, and the same as JSON, from settled cells."""
