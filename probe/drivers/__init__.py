"""Client versions and their drivers: how they are obtained, started, and spoken to by driver.proto."""
