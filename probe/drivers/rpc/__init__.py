"""Generated from clients/driver.proto."""
