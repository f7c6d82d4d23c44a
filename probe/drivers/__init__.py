"""Getting client versions, starting their drivers, speaking driver.proto."""
