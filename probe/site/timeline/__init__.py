"""A trial as a picture and as a table of events. Pure."""
