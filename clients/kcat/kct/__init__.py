"""kcat as a client: its command line, its roles."""
